/** Reads ranges of a file through a cache of blocks, because objects are read in the order of the document, not of the file. */
import type { Source } from '../../model/codec.ts'
import { damaged } from './values.ts'

const BLOCK_BYTES = 64 * 1024
/** Most cached blocks: 4 MiB. */
const MAX_BLOCKS = 64
/** Blocks from which a range bypasses the cache, because it would evict all others. */
const UNCACHED_BLOCKS = 8

export class Blocks {
  readonly size: number
  readonly #source: Source
  readonly #signal: AbortSignal
  readonly #blocks = new Map<number, Uint8Array>()

  /** `size`: number of bytes of `source` that belong to the document. */
  constructor(source: Source, size: number, signal: AbortSignal) {
    this.#source = source
    this.#signal = signal
    this.size = size
  }

  /** Returns at most `length` bytes at `at`: fewer at the end of the file. Callers must not write into them. */
  async read(at: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.size, at + length)
    if (!(at >= 0) || end <= at) return new Uint8Array(0)
    const [first, last] = [Math.floor(at / BLOCK_BYTES), Math.floor((end - 1) / BLOCK_BYTES)]
    if (last - first >= UNCACHED_BLOCKS) return this.#load(at, end)
    if (first === last) return (await this.#block(first)).subarray(at - first * BLOCK_BYTES, end - first * BLOCK_BYTES)
    const whole = new Uint8Array(end - at)
    for (let index = first; index <= last; index++) {
      const start = index * BLOCK_BYTES
      const part = (await this.#block(index)).subarray(Math.max(0, at - start), end - start)
      whole.set(part, Math.max(0, start - at))
    }
    return whole
  }

  /** Yields a range in pieces. */
  async *pieces(at: number, length: number): AsyncGenerator<Uint8Array> {
    for (let done = 0; done < length; ) {
      const piece = await this.read(at + done, Math.min(BLOCK_BYTES, length - done))
      if (piece.length === 0) return
      done += piece.length
      yield piece
    }
  }

  async #block(index: number): Promise<Uint8Array> {
    const known = this.#blocks.get(index)
    const block = known ?? (await this.#load(index * BLOCK_BYTES, Math.min(this.size, (index + 1) * BLOCK_BYTES)))
    this.#blocks.delete(index)
    this.#blocks.set(index, block)
    if (this.#blocks.size > MAX_BLOCKS) this.#blocks.delete(this.#blocks.keys().next().value!)
    return block
  }

  async #load(at: number, end: number): Promise<Uint8Array> {
    this.#signal.throwIfAborted()
    const bytes = await this.#source.read(at, end - at)
    if (bytes.length < end - at) throw damaged(at)
    return bytes
  }
}
