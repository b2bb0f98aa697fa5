/** Ranges of a file with a cache of blocks, for formats whose structures refer to each other across the whole file. */
import { message } from '../i18n/message.ts'
import type { Source } from '../model/codec.ts'
import { malformed } from '../model/error.ts'
import type { Ranges } from './ranges.ts'

const BLOCK_BYTES = 64 * 1024
/** Blocks from which a range bypasses the cache, because it would evict all others. */
const UNCACHED_BLOCKS = 8
/** Longest range that `bytes` returns. */
const MAX_RANGE_BYTES = 16 * 1024 * 1024

interface CacheOptions {
  /** Name of the format in error messages. */
  readonly format: string
  /** Bytes of the source that belong to the file; default: all. */
  readonly size?: number
  /** Blocks that are kept; default: 64 (4 MiB). */
  readonly maxBlocks?: number
}

/** Bytes that a method returns stay valid. Callers must not write into them. */
export class CachedRanges implements Ranges {
  readonly size: number
  readonly #source: Source
  readonly #format: string
  readonly #maxBlocks: number
  readonly #signal: AbortSignal
  /** Blocks by index, the least recently used one first. */
  readonly #blocks = new Map<number, Uint8Array>()
  #last: { readonly index: number; readonly block: Uint8Array } | undefined

  constructor(source: Source, { format, size = source.size, maxBlocks = 64 }: CacheOptions, signal: AbortSignal) {
    this.#source = source
    this.#format = format
    this.#maxBlocks = maxBlocks
    this.#signal = signal
    this.size = size
  }

  async bytes(at: number, length: number): Promise<Uint8Array> {
    if (!(at >= 0 && length >= 0 && at + length <= this.size) || length > MAX_RANGE_BYTES) throw this.malformed(at)
    return await this.bytesUpTo(at, length)
  }

  /** Returns at most `length` bytes at `at`: fewer at the end of the file. */
  async bytesUpTo(at: number, length: number): Promise<Uint8Array> {
    const end = Math.min(this.size, at + length)
    if (!(at >= 0) || end <= at) return new Uint8Array(0)
    const [first, last] = [Math.floor(at / BLOCK_BYTES), Math.floor((end - 1) / BLOCK_BYTES)]
    if (first === last) {
      const block = this.#last?.index === first ? this.#last.block : await this.#block(first)
      return block.subarray(at - first * BLOCK_BYTES, end - first * BLOCK_BYTES)
    }
    if (last - first >= UNCACHED_BLOCKS) return await this.#load(at, end)
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
      const piece = await this.bytesUpTo(at + done, Math.min(BLOCK_BYTES, length - done))
      if (piece.length === 0) return
      done += piece.length
      yield piece
    }
  }

  /** Returns the error for a structure that cannot be read at offset `at`. */
  malformed(at: number): Error {
    return malformed(this.#format, at, message('inventory_cannot_read'))
  }

  async #block(index: number): Promise<Uint8Array> {
    const known = this.#blocks.get(index)
    const block = known ?? (await this.#load(index * BLOCK_BYTES, Math.min(this.size, (index + 1) * BLOCK_BYTES)))
    this.#blocks.delete(index)
    this.#blocks.set(index, block)
    this.#last = { index, block }
    if (this.#blocks.size > this.#maxBlocks) this.#blocks.delete(this.#blocks.keys().next().value!)
    return block
  }

  async #load(at: number, end: number): Promise<Uint8Array> {
    this.#signal.throwIfAborted()
    const bytes = await this.#source.read(at, end - at)
    if (bytes.length < end - at) throw this.malformed(at)
    return bytes
  }
}
