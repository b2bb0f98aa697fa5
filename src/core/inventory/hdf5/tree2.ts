/** B-trees of version 2 (HDF5 File Format Specification 4.0, III.A.2): indexes of links, attributes and large objects. */
import { bytesFor, type Cursor } from './cursor.ts'
import type { Hdf5File } from './file.ts'

/** Signature, version, type and checksum of a node. */
const NODE_FRAME_BYTES = 10
const NODE_HEAD_BYTES = 2
const MAX_DEPTH = 32
const MAX_NODE_BYTES = 1 << 20

interface Tree {
  readonly file: Hdf5File
  readonly nodeBytes: number
  readonly recordBytes: number
  /** Bytes of the number of records in a child node. */
  readonly countBytes: number
  /** Bytes of the number of records in all nodes below a child, by the depth of the child. */
  readonly totalBytes: readonly number[]
}

/** Yields the records of a tree in order. */
export async function* treeRecords(file: Hdf5File, address: number | undefined): AsyncGenerator<Cursor> {
  const { offsetBytes, lengthBytes } = file.sizes
  const head = await file.checked(address, 22 + offsetBytes + lengthBytes, 'BTHD')
  head.skip(2)
  const [nodeBytes, recordBytes, depth] = [head.u32(), head.u16(), head.u16()]
  head.skip(2)
  const [root, count] = [head.address(), head.u16()]
  if (root === undefined || count === 0) return
  if (depth > MAX_DEPTH || recordBytes === 0 || nodeBytes <= NODE_FRAME_BYTES || nodeBytes > MAX_NODE_BYTES) throw file.malformed(address)
  const most = Math.floor((nodeBytes - NODE_FRAME_BYTES) / recordBytes)
  const countBytes = bytesFor(most)
  const totalBytes = [0]
  for (let below = most; totalBytes.length < depth; ) {
    const pointer = offsetBytes + countBytes + totalBytes.at(-1)!
    const inNode = Math.floor((nodeBytes - NODE_FRAME_BYTES - pointer) / (recordBytes + pointer))
    below = (inNode + 1) * below + inNode
    totalBytes.push(bytesFor(below))
  }
  yield* nodeRecords({ file, nodeBytes, recordBytes, countBytes, totalBytes }, root, count, depth)
}

async function* nodeRecords(tree: Tree, address: number | undefined, count: number, depth: number): AsyncGenerator<Cursor> {
  const { file, recordBytes, countBytes, totalBytes } = tree
  const pointerBytes = depth === 0 ? 0 : file.sizes.offsetBytes + countBytes + totalBytes[depth - 1]!
  const used = NODE_FRAME_BYTES + count * recordBytes + (depth === 0 ? 0 : (count + 1) * pointerBytes)
  if (used > tree.nodeBytes) throw file.malformed(address)
  const node = (await file.checked(address, used, depth === 0 ? 'BTLF' : 'BTIN')).skip(NODE_HEAD_BYTES)
  const records = node.part(count * recordBytes)
  for (let i = 0; i <= count; i++) {
    if (depth > 0) {
      const [child, inChild] = [node.address(), node.unsigned(countBytes)]
      node.skip(totalBytes[depth - 1]!)
      yield* nodeRecords(tree, child, inChild, depth - 1)
    }
    if (i < count) yield records.part(recordBytes)
  }
}
