import type { Source } from '../../model/codec.ts'
import { FIRST_WINDOW_BYTES, WINDOW_BYTES } from './tuning.ts'

/** Reads ranges in roughly ascending order. The result is a view that is valid until the next read. Callers must not write into it. */
export type RangeReader = (offset: number, length: number) => Promise<Uint8Array>

/** Serves small reads from one window of a source, so that thousands of small files do not cause thousands of requests. */
export function windowedReader(source: Source): RangeReader {
  let start = 0
  let window: Uint8Array = new Uint8Array()
  return async (offset, length) => {
    const end = Math.min(source.size, offset + length)
    if (offset >= start && end <= start + window.length) return window.subarray(offset - start, Math.max(offset, end) - start)
    if (length >= WINDOW_BYTES) return source.read(offset, length)
    const isSequential = offset >= start && offset <= start + window.length
    start = offset
    window = await source.read(offset, isSequential ? WINDOW_BYTES : Math.max(length, FIRST_WINDOW_BYTES))
    return window.subarray(0, length)
  }
}
