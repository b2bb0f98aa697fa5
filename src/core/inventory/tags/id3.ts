/** Reads ID3v2 tags, versions 2.2, 2.3 and 2.4 (id3.org). */
import { latin1Of } from '../../bytes/latin1.ts'
import type { FileView } from '../file-view.ts'
import type { InventoryBuilder } from '../inventory.ts'
import { digestText } from '../media/digests.ts'
import { be24, be32, nameAt, seconds } from '../media/numbers.ts'
import { commentName, id3Name } from './names.ts'
import { pictureText } from './pictures.ts'

/** Largest tag that is read. */
const MAX_TAG_BYTES = 12 * 1024 * 1024
const MAX_FRAMES = 10_000
const UNSYNCHRONISED = 0x80
const EXTENDED_HEADER = 0x40
const FOOTER = 0x10

type AddTag = (name: string, value: string) => void

/** 28 bits in four bytes whose highest bit is 0. */
const synchsafe = (b: Uint8Array, at: number) =>
  ((b[at]! & 127) << 21) | ((b[at + 1]! & 127) << 14) | ((b[at + 2]! & 127) << 7) | (b[at + 3]! & 127)

/** Bytes of the tag that begins with `header`, ten bytes, with header and footer. 0: no tag. */
export function id3Size(header: Uint8Array): number {
  if (header.length < 10 || nameAt(header, 0, 3) !== 'ID3' || header[3] === 0xff || header.subarray(6, 10).some((byte) => byte & 0x80))
    return 0
  return 10 + synchsafe(header, 6) + (header[5]! & FOOTER ? 10 : 0)
}

/**
 * Adds the frames of the tag at `at`. @returns false if no tag begins there, or it has no frames that can be read. A tag of more than
 * 12 MiB becomes one item with a digest of both ends.
 */
export async function readId3(view: FileView, at: number, end: number, addTag: AddTag, items: InventoryBuilder): Promise<boolean> {
  const header = (await view.bytesUpTo(at, Math.min(10, end - at))).slice()
  const size = Math.min(id3Size(header), end - at)
  if (size <= 10 || size > MAX_TAG_BYTES) return false
  const version = header[3]!
  if (version < 2 || version > 4) return false
  let body = (await view.bytes(at + 10, size - 10)).slice()
  if (header[5]! & UNSYNCHRONISED && version < 4) body = synchronised(body)
  let count = 0
  for (const frame of framesOf(body, version, header[5]!)) {
    if (++count > MAX_FRAMES) break
    addFrame(frame, addTag, items)
  }
  return count > 0
}

interface Frame {
  readonly id: string
  readonly body: Uint8Array
  /** True if the body is compressed or encrypted, so that only its bytes can be compared. */
  readonly isCoded: boolean
}

/** Removes the zero byte after each 0xFF (ID3v2.4, section 6.1). */
const synchronised = (bytes: Uint8Array) => bytes.filter((byte, i) => !(byte === 0 && i > 0 && bytes[i - 1] === 0xff))

function* framesOf(tag: Uint8Array, version: number, flags: number): Generator<Frame> {
  const isOld = version === 2
  const head = isOld ? 6 : 10
  let at = 0
  if (!isOld && flags & EXTENDED_HEADER) at = version === 4 ? synchsafe(tag, 0) : 4 + be32(tag, 0)
  while (at + head <= tag.length && tag[at] !== 0) {
    const id = nameAt(tag, at, isOld ? 3 : 4)
    if (!/^[A-Z0-9]+ ?$/.test(id)) return
    const size = isOld ? be24(tag, at + 3) : version === 4 ? synchsafe(tag, at + 4) : be32(tag, at + 4)
    if (at + head + size > tag.length) return
    const form = isOld ? 0 : tag[at + 9]!
    let body = tag.subarray(at + head, at + head + size)
    if (version === 4 && form & 1) body = body.subarray(4)
    if (version === 4 && form & 2) body = synchronised(body)
    yield { id, body, isCoded: (form & (version === 4 ? 0x0c : 0xc0)) !== 0 }
    at += head + size
  }
}

/** Frames that begin with a language and a description. */
const IN_LANGUAGE: { readonly [id: string]: string | undefined } = { COMM: 'comment', COM: 'comment', USLT: 'lyrics', ULT: 'lyrics' }

const ENCODINGS = ['latin1', 'utf-16', 'utf-16be', 'utf-8']

/** Texts of a frame body that begins with the encoding, split at zeros. */
function textsOf(encoding: number, bytes: Uint8Array): string[] {
  const text = encoding === 0 ? latin1Of(bytes) : new TextDecoder(ENCODINGS[encoding] ?? 'latin1').decode(bytes)
  const texts = text.split('\0').map((part) => part.replace(/^\ufeff/, ''))
  return texts.filter((part, i) => part !== '' || i === 0)
}

function addFrame({ id, body, isCoded }: Frame, addTag: AddTag, items: InventoryBuilder): void {
  const encoding = body[0] ?? 0
  const texts = (from: number) => textsOf(encoding, body.subarray(from))
  if (isCoded) addTag(id.toLowerCase(), digestText(body))
  else if (id === 'TXXX' || id === 'TXX') {
    const [key = '', ...values] = texts(1)
    addOwnText(key, values, addTag, items)
  } else if (IN_LANGUAGE[id]) {
    const [description, ...values] = textsOf(encoding, body.subarray(4))
    addTag(description ? `${IN_LANGUAGE[id]} ${description}` : IN_LANGUAGE[id], values.join('; ') || '')
  } else if (id.startsWith('T')) for (const text of texts(1)) addTag(id3Name(id), text)
  else if (id === 'APIC' || id === 'PIC') items.add('covers', coverText(body, id === 'PIC'))
  else if (id === 'CHAP') {
    const name = body.indexOf(0)
    const title = nameAt(body, name + 17) === 'TIT2' ? (textsOf(body[name + 27] ?? 0, body.subarray(name + 28))[0] ?? '') : ''
    items.add('chapters', `${latin1Of(body.subarray(0, name))} = ${seconds(be32(body, name + 1) / 1000)} ${title} ${digestText(body)}`)
  } else if (id === 'CTOC') items.add('chapters', `contents = ${digestText(body)}`)
  else if (id.startsWith('W') && id !== 'WXXX' && id !== 'WXX') addTag(id.toLowerCase(), latin1Of(body))
  else addTag(id.toLowerCase(), digestText(body))
}

/** Adds a text with its own name. iTunes stores delay and padding of the encoder there. */
function addOwnText(key: string, values: readonly string[], addTag: AddTag, items: InventoryBuilder): void {
  if (key === 'iTunSMPB') items.add('gapless_data', `iTunSMPB = ${values.join()}`)
  else for (const value of values) addTag(commentName(key), value)
}

/** Item of an attached picture: type, description, and type and size of the picture (ID3v2.4, section 4.14). */
function coverText(body: Uint8Array, isOld: boolean): string {
  const encoding = body[0] ?? 0
  const typeAt = isOld ? 4 : Math.max(1, body.indexOf(0, 1) + 1)
  const wide = encoding === 1 || encoding === 2
  let end = typeAt + 1
  while (end < body.length && !(body[end] === 0 && (!wide || body[end + 1] === 0))) end += wide ? 2 : 1
  const [description = ''] = textsOf(encoding, body.subarray(typeAt + 1, end))
  return `type ${body[typeAt] ?? 0} ${description} = ${pictureText(body.subarray(end + (wide ? 2 : 1)))}`
}
