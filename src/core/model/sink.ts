import { discard } from '../../../wasm/memories/discard.ts'
import { concat } from '../bytes/concat.ts'
import { PATCHABLE_BYTES, type Sink, type Source } from './codec.ts'
import { noGain } from './error.ts'
import { memorySource } from './source.ts'

/** A sink whose result can be read back. */
export interface ResultSink extends Sink {
  /** Nothing is written after this. The result, readable. */
  finish(): Promise<Source>
}

/** Storage frees chunks from this size as soon as it has copied them, so that results leave no garbage of their size. */
export const FREED_BYTES = 32 * 1024

const GATHERED_BYTES = 256 * 1024

/** Many small chunks as few large ones, which storage frees. */
export class Gathered {
  readonly #sink: Sink
  #chunk = new Uint8Array(0)
  #filled = 0

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /** Copies `bytes`. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0; ) {
      if (this.#chunk.length === 0) this.#chunk = new Uint8Array(GATHERED_BYTES)
      const taken = rest.subarray(0, GATHERED_BYTES - this.#filled)
      this.#chunk.set(taken, this.#filled)
      this.#filled += taken.length
      rest = rest.subarray(taken.length)
      if (this.#filled === GATHERED_BYTES) await this.flush()
    }
  }

  /** Forgets what was not handed over yet. */
  drop(): void {
    discard(this.#chunk)
    this.#chunk = new Uint8Array(0)
    this.#filled = 0
  }

  /** Hands over what is left. */
  async flush(): Promise<void> {
    if (this.#filled === 0) return
    const whole = this.#filled === GATHERED_BYTES
    const chunk = whole ? this.#chunk : this.#chunk.slice(0, this.#filled)
    if (!whole) discard(this.#chunk)
    this.#chunk = new Uint8Array(0)
    this.#filled = 0
    await this.#sink.write(chunk)
  }
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
      if (written + chunk.length >= limit) throw noGain()
      written += chunk.length
      chunks.push(taken(chunk))
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
      for (const chunk of chunks) if (chunk.length >= FREED_BYTES) discard(chunk)
      chunks = []
      written = 0
    },
    bytes() {
      if (chunks.length > 1) {
        const parts = chunks
        chunks = [concat(parts)]
        for (const part of parts) if (part.length >= FREED_BYTES) discard(part)
      }
      return chunks[0] ?? new Uint8Array()
    },
  }
}

/** The chunk, gone for whoever wrote it: nobody can rely on what only memory would forgive. */
function taken(chunk: Uint8Array): Uint8Array {
  const { buffer } = chunk
  const whole = chunk.length >= FREED_BYTES && chunk.length === buffer.byteLength && buffer instanceof ArrayBuffer
  return whole ? new Uint8Array(buffer.transfer()) : chunk
}

/** A patch must lie inside what was written and inside the part that is held back. */
export function assertPatchable(offset: number, length: number, written: number): void {
  if (offset < 0 || offset + length > Math.min(written, PATCHABLE_BYTES)) {
    throw new RangeError(`a patch of ${length} bytes at ${offset} lies outside the first ${Math.min(written, PATCHABLE_BYTES)} bytes`)
  }
}
