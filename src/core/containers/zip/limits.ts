/** Limits that no legitimate document exceeds. Archives above them are refused. */
export const ZIP_LIMITS = {
  entries: 20_000,
  directoryBytes: 16 * 1024 * 1024,
  totalBytes: 2 * 1024 ** 3,
  /** An archive is a ZIP bomb if it expands by more than `bombRatio` to more than `bombBytes` bytes. */
  bombRatio: 200,
  bombBytes: 100 * 1024 * 1024,
} as const

/** Bytes. Files up to this size are inflated and deflated in memory; larger ones are streamed. */
export const IN_MEMORY_BYTES = 24 * 1024 * 1024
