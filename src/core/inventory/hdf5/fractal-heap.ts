/** Fractal heaps (HDF5 File Format Specification 4.0, III.G), which hold links, attributes and shared messages of large objects. */
import { type Ranges, rangesOf } from '../ranges.ts'
import { Cursor } from './cursor.ts'
import type { Hdf5File } from './file.ts'
import { type Filter, unfiltered } from './filters.ts'
import { type HeapLayout, readLayout } from './fractal-heap-layout.ts'
import { treeRecords } from './tree2.ts'

/** Indirect blocks, and blocks with filters, that are remembered. */
const MAX_KEPT = 16
const MAX_HUGE_OBJECTS = 65_536
/** Longest identifier whose byte of flags has the whole length of a tiny object, without the flags. */
const MAX_SHORT_TINY_BYTES = 16
const [MANAGED, HUGE, TINY] = [0, 1, 2]

/** Place of a direct block. */
interface Block {
  readonly address: number | undefined
  /** Heap offset of its first byte. */
  readonly start: number
  readonly bytes: number
  /** Bytes in the file and mask of skipped filters, if the heap has filters. */
  readonly stored: number
  readonly mask: number
}

/** Place of a large object, in the file. */
interface Huge {
  readonly address: number | undefined
  readonly stored: number
  readonly mask: number
  readonly bytes: number
}

export class FractalHeap {
  readonly #file: Hdf5File
  readonly #layout: HeapLayout
  #huge: Map<number, Huge> | undefined
  /** Verified indirect blocks by address. */
  readonly #nodes = new Map<number, Uint8Array>()
  /** Content of blocks with filters by address. */
  readonly #blocks = new Map<number, Uint8Array>()

  private constructor(file: Hdf5File, layout: HeapLayout) {
    this.#file = file
    this.#layout = layout
  }

  static async open(file: Hdf5File, address: number | undefined): Promise<FractalHeap> {
    return new FractalHeap(file, await readLayout(file, address))
  }

  get idBytes(): number {
    return this.#layout.idBytes
  }

  /** Returns the object of a heap identifier. */
  async object(id: Uint8Array): Promise<Ranges> {
    const cursor = new Cursor(id, this.#file.sizes)
    const flags = cursor.u8()
    const type = (flags >> 4) & 3
    if (type === MANAGED) return await this.#managed(cursor)
    if (type === HUGE) return await this.#hugeObject(cursor)
    if (type !== TINY) throw this.#file.malformed(this.#layout.root)
    const isShort = this.#layout.idBytes - 1 <= MAX_SHORT_TINY_BYTES
    const length = 1 + (isShort ? flags & 15 : (flags & 15) * 256 + cursor.u8())
    return rangesOf(cursor.take(length))
  }

  async #managed(id: Cursor): Promise<Ranges> {
    const { offsetBytes, lengthBytes, filters } = this.#layout
    const [offset, length] = [id.unsigned(offsetBytes), id.unsigned(lengthBytes)]
    const block = await this.#blockOf(offset)
    const inBlock = offset - block.start
    if (inBlock + length > block.bytes || block.address === undefined) throw this.#file.malformed(block.address)
    if (filters.length === 0) return this.#file.part(block.address + inBlock, length)
    const content = this.#blocks.get(block.address) ?? (await unfiltered(this.#file, filters, block, block.bytes))
    keep(this.#blocks, block.address, content)
    return rangesOf(content.subarray(inBlock, inBlock + length))
  }

  /** Finds the direct block of a heap offset in the doubling table. */
  async #blockOf(offset: number): Promise<Block> {
    const { width, startBytes, maxDirectBytes, root, rootRows, filters } = this.#layout
    const { filteredRootBytes, filteredRootMask } = this.#layout
    if (rootRows === 0) return { address: root, start: 0, bytes: startBytes, stored: filteredRootBytes, mask: filteredRootMask }
    const directRows = Math.log2(maxDirectBytes / startBytes) + 2
    const { offsetBytes: addressBytes, lengthBytes } = this.#file.sizes
    const directBytes = addressBytes + (filters.length > 0 ? lengthBytes + 4 : 0)
    let [address, start, rows] = [root, 0, rootRows]
    for (;;) {
      const relative = offset - start
      const row = relative < startBytes * width ? 0 : Math.floor(Math.log2(relative / (startBytes * width))) + 1
      const bytes = startBytes * 2 ** Math.max(0, row - 1)
      const rowStart = row === 0 ? 0 : startBytes * width * 2 ** (row - 1)
      const column = Math.floor((relative - rowStart) / bytes)
      if (row >= rows) throw this.#file.malformed(address)
      const direct = Math.min(rows, directRows) * width
      const length = 9 + addressBytes + this.#layout.offsetBytes + direct * directBytes + (rows * width - direct) * addressBytes
      const node = new Cursor(await this.#node(address, length), this.#file.sizes, 5 + addressBytes + this.#layout.offsetBytes)
      const index = row * width + column
      node.skip(Math.min(index, direct) * directBytes + Math.max(0, index - direct) * addressBytes)
      start += rowStart + column * bytes
      const child = node.address()
      if (index < direct) {
        const isFiltered = filters.length > 0
        return { address: child, start, bytes, stored: isFiltered ? node.length() : bytes, mask: isFiltered ? node.u32() : 0 }
      }
      // Each level has fewer rows, so the loop ends.
      const childRows = Math.log2(bytes / (startBytes * width)) + 1
      if (childRows >= rows || !Number.isInteger(childRows) || childRows < 1) throw this.#file.malformed(address)
      ;[address, rows] = [child, childRows]
    }
  }

  async #node(address: number | undefined, length: number): Promise<Uint8Array> {
    const known = this.#nodes.get(address ?? -1)
    if (known) return known
    const { bytes } = await this.#file.checked(address, length, 'FHIB')
    keep(this.#nodes, address ?? -1, bytes)
    return bytes
  }

  async #hugeObject(id: Cursor): Promise<Ranges> {
    const { idBytes, filters } = this.#layout
    const huge =
      idBytes - 1 >= hugeBytes(this.#file, filters)
        ? hugeOf(id, filters)
        : (await this.#hugeObjects()).get(id.unsigned(Math.min(8, id.left)))
    if (!huge) throw this.#file.malformed(this.#layout.hugeTree)
    if (filters.length === 0) return this.#file.part(huge.address, huge.stored)
    return rangesOf(await unfiltered(this.#file, filters, huge, huge.bytes))
  }

  async #hugeObjects(): Promise<Map<number, Huge>> {
    if (this.#huge) return this.#huge
    this.#huge = new Map()
    for await (const record of treeRecords(this.#file, this.#layout.hugeTree)) {
      if (this.#huge.size >= MAX_HUGE_OBJECTS) throw this.#file.malformed(this.#layout.hugeTree)
      const huge = hugeOf(record, this.#layout.filters)
      this.#huge.set(record.length(), huge)
    }
    return this.#huge
  }
}

/** Remembers a block, and forgets the oldest one if there are many. */
function keep(blocks: Map<number, Uint8Array>, address: number, content: Uint8Array): void {
  blocks.set(address, content)
  if (blocks.size > MAX_KEPT) blocks.delete(blocks.keys().next().value!)
}

const hugeBytes = ({ sizes }: Hdf5File, filters: readonly Filter[]): number =>
  sizes.offsetBytes + sizes.lengthBytes + (filters.length > 0 ? 4 + sizes.lengthBytes : 0)

function hugeOf(cursor: Cursor, filters: readonly Filter[]): Huge {
  const [address, stored] = [cursor.address(), cursor.length()]
  if (filters.length === 0) return { address, stored, mask: 0, bytes: stored }
  return { address, stored, mask: cursor.u32(), bytes: cursor.length() }
}
