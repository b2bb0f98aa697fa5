/** Attributes of objects (HDF5 File Format Specification 4.0, IV.A.2.m and IV.A.2.v). */
import { type Ranges, rangesOf } from '../ranges.ts'
import { Cursor } from './cursor.ts'
import { type Dataspace, dataspaceOf } from './dataspace.ts'
import { type Datatype, datatypeOf } from './datatype.ts'
import type { Hdf5File } from './file.ts'
import { FractalHeap } from './fractal-heap.ts'
import { MESSAGE, type Message } from './header.ts'
import type { SharedMessages } from './shared.ts'
import { treeRecords } from './tree2.ts'

export interface Attribute {
  readonly name: string
  /** Number in the order of creation. 0 if the object does not track it. */
  readonly order: number
  readonly type: Datatype
  /** True if the type is an object of its own. */
  readonly hasCommittedType: boolean
  readonly space: Dataspace
  readonly data: Ranges
}

const [TRACKS_ORDER, INDEXES_ORDER] = [1, 2]
const [TYPE_IS_SHARED, SPACE_IS_SHARED] = [1, 2]
const IS_SHARED = 2
/** Most bytes of an attribute before its values: name, type and shape have 16-bit lengths. */
const MAX_HEAD_BYTES = 9 + 3 * 65_536

/** Yields the attributes of a message: one, or all that are not in the header. */
export async function* attributesIn(file: Hdf5File, shared: SharedMessages, message: Message): AsyncGenerator<Attribute> {
  if (message.type === MESSAGE.attribute) {
    const { content } = await shared.resolve(message)
    yield await attributeOf(shared, rangesOf(content.bytes.subarray(content.at)), content, message.order)
  } else if (message.type === MESSAGE.attributeInfo) yield* denseAttributes(file, shared, message.content)
}

async function* denseAttributes(file: Hdf5File, shared: SharedMessages, info: Cursor): AsyncGenerator<Attribute> {
  const flags = info.skip(1).u8()
  if (flags & TRACKS_ORDER) info.skip(2)
  const [heapAddress, byName] = [info.address(), info.address()]
  const byOrder = flags & INDEXES_ORDER ? info.address() : undefined
  if (heapAddress === undefined) return
  const heap = await FractalHeap.open(file, heapAddress)
  for await (const record of treeRecords(file, byName ?? byOrder)) {
    const id = record.take(heap.idBytes)
    const [isShared, order] = [(record.u8() & IS_SHARED) !== 0, record.u32()]
    const object = isShared ? await shared.inHeap(MESSAGE.attribute, id) : await heap.object(id)
    const whole = object instanceof Cursor ? rangesOf(object.bytes) : object
    const head = new Cursor(await whole.bytes(0, Math.min(MAX_HEAD_BYTES, whole.size)), file.sizes)
    await file.spend(head.left)
    yield await attributeOf(shared, whole, head, flags & TRACKS_ORDER ? order : 0)
  }
}

/** `whole`: the message; `head`: its first bytes. */
async function attributeOf(shared: SharedMessages, whole: Ranges, head: Cursor, order: number): Promise<Attribute> {
  const start = head.at
  const [version, flags] = [head.u8(), head.u8()]
  const [nameBytes, typeBytes, spaceBytes] = [head.u16(), head.u16(), head.u16()]
  if (version >= 3) head.skip(1)
  const padded = (bytes: number) => (version < 2 ? Math.ceil(bytes / 8) * 8 : bytes)
  const part = (bytes: number) => head.part(Math.min(padded(bytes), head.left))
  const name = part(nameBytes).text()
  const isShared = (bit: number) => version >= 2 && (flags & bit) !== 0
  const type = shared.resolve({ type: MESSAGE.datatype, content: part(typeBytes), isShared: isShared(TYPE_IS_SHARED) })
  const { content, committed } = type instanceof Promise ? await type : type
  const space = shared.resolve({ type: MESSAGE.dataspace, content: part(spaceBytes), isShared: isShared(SPACE_IS_SHARED) })
  const dataAt = head.at - start
  return {
    ...{ name, order, type: datatypeOf(content), hasCommittedType: committed !== undefined },
    space: dataspaceOf((space instanceof Promise ? await space : space).content),
    data: { size: whole.size - dataAt, bytes: (at, length) => whole.bytes(dataAt + at, length) },
  }
}
