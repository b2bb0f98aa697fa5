/** Object headers (HDF5 File Format Specification 4.0, IV.A.1): the messages that describe a group, a dataset or a type. */
import { Cursor } from './cursor.ts'
import type { Hdf5File } from './file.ts'

/** Types of messages (IV.A.2). */
export const MESSAGE = {
  dataspace: 0x01,
  linkInfo: 0x02,
  datatype: 0x03,
  oldFillValue: 0x04,
  fillValue: 0x05,
  link: 0x06,
  attribute: 0x0c,
  comment: 0x0d,
  sharedMessages: 0x0f,
  continuation: 0x10,
  symbolTable: 0x11,
  attributeInfo: 0x15,
} as const

const SIGNATURE = [0x4f, 0x48, 0x44, 0x52]
const IS_SHARED = 1 << 1
const [HAS_ATTRIBUTE_ORDER, HAS_PHASE_CHANGE, HAS_TIMES] = [1 << 2, 1 << 4, 1 << 5]
const VERSION_1_PREFIX_BYTES = 16
const MAX_PREFIX_BYTES = 34
const CHECKSUM_BYTES = 4
/** Most chunks of a header, and longest chunk. A chunk holds at least one message of at most 64 KB. */
const MAX_CHUNKS = 65_536
const MAX_CHUNK_BYTES = 4 * 1024 * 1024

export interface Message {
  readonly type: number
  readonly content: Cursor
  /** True if the content is a reference to a message in another place. */
  readonly isShared: boolean
  /** Number of the attribute in the order of creation. 0 if the object does not track this order. */
  readonly order: number
}

export interface ObjectHeader {
  readonly address: number
  /** True if the object tracks the order in which its attributes were created. */
  readonly tracksAttributeOrder: boolean
  /** Reads the messages of all chunks. */
  messages(): AsyncGenerator<Message>
}

interface Format {
  readonly isVersion1: boolean
  readonly hasOrder: boolean
}

export async function openHeader(file: Hdf5File, address: number | undefined): Promise<ObjectHeader> {
  if (address === undefined) throw file.malformed(address)
  const start = await file.bytesUpTo(address, MAX_PREFIX_BYTES)
  const prefix = new Cursor(start, file.sizes, SIGNATURE.length)
  if (!SIGNATURE.every((byte, i) => start[i] === byte)) return openVersion1(file, address, start)
  const [version, flags] = [prefix.u8(), prefix.u8()]
  if (version !== 2) throw file.malformed(address)
  prefix.skip((flags & HAS_TIMES ? 16 : 0) + (flags & HAS_PHASE_CHANGE ? 4 : 0))
  const length = prefix.unsigned(2 ** (flags & 3))
  const hasOrder = (flags & HAS_ATTRIBUTE_ORDER) !== 0
  const first = { address, skipped: prefix.at, length: prefix.at + length + CHECKSUM_BYTES, signature: 'OHDR' }
  return { address, tracksAttributeOrder: hasOrder, messages: () => messagesOf(file, first, { isVersion1: false, hasOrder }) }
}

function openVersion1(file: Hdf5File, address: number, start: Uint8Array): ObjectHeader {
  const prefix = new Cursor(start, file.sizes)
  if (prefix.u8() !== 1) throw file.malformed(address)
  const length = prefix.skip(7).u32()
  const first = { address: address + VERSION_1_PREFIX_BYTES, skipped: 0, length, signature: '' }
  return { address, tracksAttributeOrder: false, messages: () => messagesOf(file, first, { isVersion1: true, hasOrder: false }) }
}

interface Chunk {
  readonly address: number
  /** Bytes before the messages. */
  readonly skipped: number
  readonly length: number
  /** Empty: chunks of version 1 have neither signature nor checksum. */
  readonly signature: string
}

async function* messagesOf(file: Hdf5File, first: Chunk, format: Format): AsyncGenerator<Message> {
  const chunks = [first]
  const known = new Set<number>()
  for (let i = 0; i < chunks.length; i++) {
    const { address, skipped, length, signature } = chunks[i]!
    if (length > MAX_CHUNK_BYTES || chunks.length > MAX_CHUNKS || known.has(address)) throw file.malformed(address)
    known.add(address)
    const cursor = signature === '' ? await file.cursor(address, length) : await file.checked(address, length, signature)
    cursor.at = skipped
    // The rest is a gap that is too short for a message.
    while (cursor.left >= (format.isVersion1 ? 8 : format.hasOrder ? 6 : 4)) {
      const found = nextMessage(cursor, format)
      if (found.type === MESSAGE.continuation) chunks.push(continuation(file, found.content, format))
      else yield found
    }
  }
}

function nextMessage(cursor: Cursor, { isVersion1, hasOrder }: Format): Message {
  const type = isVersion1 ? cursor.u16() : cursor.u8()
  const [length, flags] = [cursor.u16(), cursor.u8()]
  if (isVersion1) cursor.skip(3)
  const order = hasOrder ? cursor.u16() : 0
  return { type, content: cursor.part(length), isShared: (flags & IS_SHARED) !== 0, order }
}

function continuation(file: Hdf5File, content: Cursor, { isVersion1 }: Format): Chunk {
  const [address, length] = [content.address(), content.length()]
  if (address === undefined) throw file.malformed(address)
  return { address, skipped: isVersion1 ? 0 : 4, length, signature: isVersion1 ? '' : 'OCHK' }
}
