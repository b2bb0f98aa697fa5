import { discard, moved } from '../../../wasm/memories/discard.ts'
import { concat } from '../bytes/concat.ts'
import { PATCHABLE_BYTES, type Sink, type Source } from './codec.ts'
import { noGain } from './error.ts'
import { memorySource } from './source.ts'

/** Sink whose result can be read back. */
export interface ResultSink extends Sink {
  /** Ends the result and returns it. Nothing can be written afterwards. */
  finish(): Promise<Source>
}

/** Smallest chunk in bytes whose buffer a sink frees after copying. Without this, results leave garbage of their own size. */
export const MIN_FREED_BYTES = 32 * 1024

const GATHERED_BYTES = 256 * 1024

/** Buffer that combines many small writes into chunks of 256 KiB for a sink. */
export class WriteBuffer {
  readonly #sink: Sink
  #chunk = new Uint8Array(0)
  #filled = 0

  constructor(sink: Sink) {
    this.#sink = sink
  }

  /** Copies `bytes` into the buffer and writes full chunks to the sink. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let rest = bytes; rest.length > 0; ) {
      if (this.#chunk.length === 0) this.#chunk = new Uint8Array(GATHERED_BYTES)
      const part = rest.subarray(0, GATHERED_BYTES - this.#filled)
      this.#chunk.set(part, this.#filled)
      this.#filled += part.length
      rest = rest.subarray(part.length)
      if (this.#filled === GATHERED_BYTES) await this.flush()
    }
  }

  /** Discards the bytes that are not written yet. */
  drop(): void {
    discard(this.#chunk)
    this.#chunk = new Uint8Array(0)
    this.#filled = 0
  }

  /** Writes the remaining bytes to the sink. */
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

/**
 * Returns a sink that keeps the result in memory.
 * @throws CodecError `no_gain` if the result reaches `limit` bytes
 */
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
      chunks.push(takeOwnership(chunk))
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
      for (const chunk of chunks) if (chunk.length >= MIN_FREED_BYTES) discard(chunk)
      chunks = []
      written = 0
    },
    bytes() {
      if (chunks.length > 1) {
        const parts = chunks
        chunks = [concat(parts)]
        for (const part of parts) if (part.length >= MIN_FREED_BYTES) discard(part)
      }
      return chunks[0] ?? new Uint8Array()
    },
  }
}

/** Moves a large chunk into a new buffer and detaches the caller's. A codec that reuses a chunk then fails with this sink, too. */
function takeOwnership(chunk: Uint8Array): Uint8Array {
  const { buffer } = chunk
  const whole = chunk.length >= MIN_FREED_BYTES && chunk.length === buffer.byteLength && buffer instanceof ArrayBuffer
  return whole ? new Uint8Array(moved(buffer)) : chunk
}

/** @throws RangeError if a patch lies outside the written bytes or the first `PATCHABLE_BYTES` */
export function assertPatchable(offset: number, length: number, written: number): void {
  if (offset < 0 || offset + length > Math.min(written, PATCHABLE_BYTES)) {
    throw new RangeError(`a patch of ${length} bytes at ${offset} lies outside the first ${Math.min(written, PATCHABLE_BYTES)} bytes`)
  }
}
