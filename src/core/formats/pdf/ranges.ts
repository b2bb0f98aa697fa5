import { discard } from '../../../../wasm/memories/discard.ts'
import type { Source } from '../../model/codec.ts'
import type { Heads } from './object-head-index.ts'

const BLOCK_BYTES = 65_536
const MAX_BLOCKS = 32

/** A source read in blocks, the last few of which stay in memory; neighbouring misses are one read. */
export class Ranges {
  readonly size: number
  /** Beginnings of objects, where they were gathered. */
  heads: Heads | undefined
  private readonly source: Source
  private readonly blocks = new Map<number, Uint8Array>()

  constructor(source: Source) {
    this.source = source
    this.size = source.size
  }

  /** Bytes `offset … offset + length`, cut at the end of the file. A view: do not write into it. */
  async read(offset: number, length: number): Promise<Uint8Array> {
    const start = Math.max(0, offset)
    const end = Math.min(this.size, offset + length)
    if (end <= start) return new Uint8Array(0)
    const known = this.heads?.read(start, end - start)
    if (known) return known
    const first = Math.floor(start / BLOCK_BYTES)
    const last = Math.floor((end - 1) / BLOCK_BYTES)
    // Long spans would only push the useful blocks out.
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

  /** Frees what `read` returned, unless others may look at it; nobody may use it afterwards. */
  release(bytes: Uint8Array): void {
    // What is not longer than a block may be one that is kept.
    if (bytes.length > BLOCK_BYTES && bytes.length < this.size) discard(bytes)
  }

  /** Reads blocks `first … last` at once; returns the first. */
  private async load(first: number, last: number): Promise<Uint8Array> {
    const start = first * BLOCK_BYTES
    const bytes = await this.source.read(start, Math.min(this.size, (last + 1) * BLOCK_BYTES) - start)
    for (let index = first; index <= last; index++) {
      const at = (index - first) * BLOCK_BYTES
      // A block of its own, so that one block does not keep its neighbours alive.
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
