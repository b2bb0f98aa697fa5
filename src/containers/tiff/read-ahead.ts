import type { Source } from '../../codec/codec.ts'

const WINDOW_BYTES = 1024 * 1024
/** A read that begins this close behind the one before goes on with it. */
const GAP_BYTES = 64 * 1024

/**
 * A source whose small reads, where they follow each other, are served from one larger one: a picture of a thousand strips
 * is not a thousand requests. What comes back is a view that stands until the next read.
 */
export function readAhead(source: Source): Source {
  let start = 0
  let window = new Uint8Array()
  let expected = -1
  return {
    name: source.name,
    size: source.size,
    stream: () => source.stream(),
    async read(offset, length) {
      const end = Math.min(source.size, offset + length)
      const goesOn = offset >= expected && offset - expected <= GAP_BYTES && expected >= 0
      expected = end
      if (offset >= start && end <= start + window.length) return window.subarray(offset - start, end - start)
      if (!goesOn || length >= WINDOW_BYTES) return source.read(offset, length)
      window = (await source.read(offset, WINDOW_BYTES)) as Uint8Array<ArrayBuffer>
      start = offset
      return window.subarray(0, Math.max(0, end - offset))
    },
  }
}
