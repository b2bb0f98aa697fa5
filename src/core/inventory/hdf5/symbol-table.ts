/** Links of groups in the old form: a B-tree of version 1 and a local heap (HDF5 File Format Specification 4.0, III.A.1 to III.D). */
import type { Cursor } from './cursor.ts'
import type { Hdf5File } from './file.ts'
import type { Link } from './links.ts'
import { type LocalHeap, openLocalHeap } from './local-heap.ts'

const GROUP_NODE = 0
/** Bytes of a signature, node type, level and number of entries; bytes of a symbol table node before its entries. */
const [NODE_HEAD_BYTES, SYMBOLS_HEAD_BYTES] = [8, 8]
const SCRATCH_BYTES = 16
const SOFT_LINK = 2
/** Most levels of a tree. A node has at least two children if the tree is sound. */
const MAX_LEVEL = 32

/** Yields the links of a group. `message`: its symbol table message. */
export async function* oldLinks(file: Hdf5File, message: Cursor): AsyncGenerator<Link> {
  const [tree, heap] = [message.address(), await openLocalHeap(file, message.address())]
  yield* linksBelow(file, heap, tree, MAX_LEVEL)
}

async function* linksBelow(file: Hdf5File, heap: LocalHeap, address: number | undefined, maxLevel: number): AsyncGenerator<Link> {
  const { offsetBytes, lengthBytes } = file.sizes
  const head = await file.signed(address, NODE_HEAD_BYTES, 'TREE')
  const [type, level, count] = [head.u8(), head.u8(), head.u16()]
  if (type !== GROUP_NODE || level > maxLevel) throw file.malformed(address)
  const start = NODE_HEAD_BYTES + 2 * offsetBytes
  const node = (await file.cursor(address, start + count * (lengthBytes + offsetBytes))).skip(start)
  for (let i = 0; i < count; i++) {
    const child = node.skip(lengthBytes).address()
    if (level === 0) yield* symbolsOf(file, heap, child)
    else yield* linksBelow(file, heap, child, level - 1)
  }
}

async function* symbolsOf(file: Hdf5File, heap: LocalHeap, address: number | undefined): AsyncGenerator<Link> {
  const { offsetBytes, lengthBytes } = file.sizes
  const count = (await file.signed(address, SYMBOLS_HEAD_BYTES, 'SNOD')).skip(2).u16()
  const node = (await file.cursor(address, SYMBOLS_HEAD_BYTES + count * (lengthBytes + offsetBytes + 8 + SCRATCH_BYTES))).skip(
    SYMBOLS_HEAD_BYTES,
  )
  for (let i = 0; i < count; i++) {
    const name = await heap.text(node.length())
    const [target, cacheType] = [node.address(), node.u32()]
    const scratch = node.skip(4).part(SCRATCH_BYTES)
    yield cacheType === SOFT_LINK
      ? { name, order: 0, kind: 'soft', value: await heap.text(scratch.u32()) }
      : { name, order: 0, kind: 'hard', address: target }
  }
}
