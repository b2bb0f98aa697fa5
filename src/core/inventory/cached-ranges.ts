/** Ranges of a file with a cache of blocks, for formats whose structures refer to each other across the whole file. */
import type { Source } from '../model/codec.ts'
import { FileView } from './file-view.ts'
import type { Ranges } from './ranges.ts'

const BLOCK_BYTES = 64 * 1024
/** Blocks that are kept: 8 MiB. */
const MAX_BLOCKS = 128

/** Bytes that `bytes` returns stay valid. */
export class CachedRanges implements Ranges {
  readonly view: FileView
  readonly #source: Source
  readonly #signal: AbortSignal
  /** Blocks by index, the least recently used one first. */
  readonly #blocks = new Map<number, Uint8Array>()

  #last: { readonly index: number; readonly block: Uint8Array } | undefined

  /** `format`: name of the format in error messages. */
  constructor(source: Source, format: string, signal: AbortSignal) {
    this.view = new FileView(source, format, signal)
    this.#source = source
    this.#signal = signal
  }

  get size(): number {
    return this.view.size
  }

  async bytes(at: number, length: number): Promise<Uint8Array> {
    if (!(at >= 0 && length >= 0 && at + length <= this.size)) throw this.view.malformed(at)
    const [first, inFirst] = [Math.floor(at / BLOCK_BYTES), at % BLOCK_BYTES]
    if (inFirst + length <= BLOCK_BYTES) {
      const block = this.#last?.index === first ? this.#last.block : await this.#block(first)
      return block.subarray(inFirst, inFirst + length)
    }
    // `FileView` limits the length.
    return (await this.view.bytes(at, length)).slice()
  }

  async #block(index: number): Promise<Uint8Array> {
    let block = this.#blocks.get(index)
    if (block) this.#blocks.delete(index)
    else {
      this.#signal.throwIfAborted()
      const length = Math.min(BLOCK_BYTES, this.size - index * BLOCK_BYTES)
      block = length > 0 ? await this.#source.read(index * BLOCK_BYTES, length) : new Uint8Array(0)
      if (block.length < length) throw this.view.malformed(index * BLOCK_BYTES)
    }
    this.#blocks.set(index, block)
    this.#last = { index, block }
    if (this.#blocks.size > MAX_BLOCKS) this.#blocks.delete(this.#blocks.keys().next().value!)
    return block
  }
}
