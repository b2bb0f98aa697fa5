import { discard } from '../../../../wasm/memories/discard.ts'
import type { Source } from '../../model/codec.ts'
import type { ObjectHeadIndex } from './object-head-index.ts'

const BLOCK_BYTES = 65_536
const MAX_BLOCKS = 32

/** Reads a source in blocks of 64 KiB and caches the last 32 of them. Neighbouring missing blocks are one read. */
export class BlockCache {
  readonly size: number
  /** Cached first bytes of all objects. `undefined`: not collected. */
  headIndex: ObjectHeadIndex | undefined
  private readonly source: Source
  private readonly blocks = new Map<number, Uint8Array>()

  constructor(source: Source) {
    this.source = source
    this.size = source.size
  }

  /** Returns bytes `offset … offset + length`, cut at the end of the file. The result is a view of the cache; do not modify it. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const start = Math.max(0, offset)
    const end = Math.min(this.size, offset + length)
    if (end <= start) return new Uint8Array(0)
    const known = this.headIndex?.read(start, end - start)
    if (known) return known
    const first = Math.floor(start / BLOCK_BYTES)
    const last = Math.floor((end - 1) / BLOCK_BYTES)
    // Ranges of more than three blocks bypass the cache, because they would evict all useful blocks.
    if (last - first >= 3) return this.source.read(start, end - start)
    if (first === last) {
      const block = this.blocks.get(first) ?? (await this.load(first, first))
      return block.subarray(start - first * BLOCK_BYTES, end - first * BLOCK_BYTES)
    }
    const whole = new Uint8Array(end - start)
    for (let index = first; index <= last; index++) {
      let block = this.blocks.get(index)
      if (!block) {
        let until = index
        while (until < last && !this.blocks.has(until + 1)) until++
        block = await this.load(index, until)
      }
      const base = index * BLOCK_BYTES
      const from = Math.max(start, base)
      const to = Math.min(end, base + block.length)
      if (to > from) whole.set(block.subarray(from - base, to - base), from - start)
    }
    return whole
  }

  /** Frees bytes that `read` returned, unless the cache may still hold them. Callers must not use the bytes afterwards. */
  release(bytes: Uint8Array): void {
    // A range of at most one block may be part of the cache, so it is not freed.
    if (bytes.length > BLOCK_BYTES && bytes.length < this.size) discard(bytes)
  }

  /** Loads blocks `first … last` with one read and returns the first block. */
  private async load(first: number, last: number): Promise<Uint8Array> {
    const start = first * BLOCK_BYTES
    const bytes = await this.source.read(start, Math.min(this.size, (last + 1) * BLOCK_BYTES) - start)
    for (let index = first; index <= last; index++) {
      const at = (index - first) * BLOCK_BYTES
      // Each block is copied, so a cached block does not keep the memory of its neighbours.
      this.blocks.set(index, first === last ? bytes : bytes.slice(at, at + BLOCK_BYTES))
    }
    while (this.blocks.size > MAX_BLOCKS) {
      const oldest = this.blocks.keys().next()
      if (oldest.done) break
      this.blocks.delete(oldest.value)
    }
    this.release(bytes)
    return this.blocks.get(first)!
  }
}
