import type { Source } from '../../model/codec.ts'

/** Range reads in roughly ascending order. What comes back is a view: do not write into it, do not keep it for long. */
export type RangeReader = (offset: number, length: number) => Promise<Uint8Array>

const WINDOW_BYTES = 1024 * 1024
/** After a jump: who skips the large files of an archive reads their headers only. */
const FIRST_WINDOW_BYTES = 64 * 1024

/** Serves small reads from one window of a source, so that thousands of small files do not become thousands of requests. */
export function windowed(source: Source): RangeReader {
  let start = 0
  let window: Uint8Array = new Uint8Array()
  return async (offset, length) => {
    const end = Math.min(source.size, offset + length)
    if (offset >= start && end <= start + window.length) return window.subarray(offset - start, Math.max(offset, end) - start)
    if (length >= WINDOW_BYTES) return source.read(offset, length)
    const goesOn = offset >= start && offset <= start + window.length
    start = offset
    window = await source.read(offset, goesOn ? WINDOW_BYTES : Math.max(length, FIRST_WINDOW_BYTES))
    return window.subarray(0, length)
  }
}
