/** What no honest document has; beyond these an archive is refused. */
export const ZIP_LIMITS = {
  entries: 20_000,
  directoryBytes: 16 * 1024 * 1024,
  totalBytes: 2 * 1024 ** 3,
  /** An archive that grows by more than this, to more than `bombBytes`, is a bomb. */
  bombRatio: 200,
  bombBytes: 100 * 1024 * 1024,
} as const

/** Files up to this many bytes are inflated and deflated in memory; larger ones stream. */
export const IN_MEMORY_BYTES = 24 * 1024 * 1024
