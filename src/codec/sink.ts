import { concat } from '../bytes/concat.ts'
import { NoGain, PATCHABLE_BYTES, type Sink, type Source } from './codec.ts'
import { memorySource } from './source.ts'

/** A sink whose result can be read back, or thrown away. */
export interface ResultSink extends Sink {
  /** Nothing is written after this. The result, readable. */
  finish(): Promise<Source>
  /** Forgets what was written. */
  abort(): Promise<void>
}

/** A sink into memory that refuses to reach `limit` bytes. */
export function memorySink(limit: number, name: string): ResultSink & { bytes(): Uint8Array } {
  let chunks: Uint8Array[] = []
  let written = 0
  return {
    get written() {
      return written
    },
    async write(chunk) {
      if (written + chunk.length >= limit) throw new NoGain()
      chunks.push(chunk)
      written += chunk.length
    },
    patch(offset, bytes) {
      assertPatchable(offset, bytes.length, written)
      if (chunks.length > 1) chunks = [concat(chunks)]
      const [whole] = chunks
      whole?.set(bytes, offset)
    },
    async finish() {
      return memorySource(this.bytes(), name)
    },
    async abort() {
      chunks = []
      written = 0
    },
    bytes() {
      if (chunks.length > 1) chunks = [concat(chunks)]
      return chunks[0] ?? new Uint8Array()
    },
  }
}

/** A patch must lie inside what was written and inside the part that is held back. */
export function assertPatchable(offset: number, length: number, written: number): void {
  if (offset < 0 || offset + length > Math.min(written, PATCHABLE_BYTES)) {
    throw new RangeError(`a patch of ${length} bytes at ${offset} lies outside the first ${Math.min(written, PATCHABLE_BYTES)} bytes`)
  }
}
