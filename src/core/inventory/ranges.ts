/** Ranges of a file or of a part of it, for readers that work on both. `FileView` is one, too. */
export interface Ranges {
  /** Size in bytes. */
  readonly size: number
  /** Returns `length` bytes at `at`, which stay valid until the next call. @throws CodecError if they are outside */
  bytes(at: number, length: number): Promise<Uint8Array>
}

/** Returns the ranges of bytes in memory. A range outside throws a `RangeError`, so callers must compare with `size` first. */
export const rangesOf = (all: Uint8Array): Ranges => ({
  size: all.length,
  bytes: async (at, length) => {
    if (at < 0 || length < 0 || at + length > all.length) throw new RangeError(`${length} bytes at ${at} of ${all.length}`)
    return all.subarray(at, at + length)
  },
})

/** Returns a part of `whole` as ranges of its own; a part that would exceed `whole` is cut. */
export function partOf(whole: Ranges, from: number, length: number): Ranges {
  const size = Math.max(0, Math.min(length, whole.size - from))
  return {
    size,
    bytes: async (at, count) => {
      if (at < 0 || count < 0 || at + count > size) throw new RangeError(`${count} bytes at ${at} of ${size}`)
      return await whole.bytes(from + at, count)
    },
  }
}
