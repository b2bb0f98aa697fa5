/** Small binary Office documents with pictures ([MS-ODRAW], [MS-PPT], [MS-XLS]). */
import { concat } from '../../src/core/bytes/concat.ts'
import { md4 } from '../../src/core/bytes/md4.ts'
import { type CompoundFileOptions, type CompoundFileStream, compoundFile } from './compound-file.ts'

const utf16 = (text: string) => new Uint8Array(Buffer.from(text, 'utf16le'))

/** Returns an OfficeArt or PowerPoint record. */
export function record(type: number, instance: number, version: number, ...data: readonly Uint8Array[]): Uint8Array {
  const body = concat(data)
  const head = Buffer.alloc(8)
  head.writeUInt16LE((instance << 4) | version, 0)
  head.writeUInt16LE(type, 2)
  head.writeUInt32LE(body.length, 4)
  return concat([new Uint8Array(head), body])
}

const container = (type: number, ...records: readonly Uint8Array[]) => record(type, 0, 15, ...records)

export interface OfficePicture {
  readonly kind: 'jpg' | 'png' | 'dib' | 'emf'
  readonly bytes: Uint8Array
  /** Identifiers of the record. Default: 1. */
  readonly uids?: 1 | 2
  /** Size of a shape that shows it, in inches. Default: no shape. */
  readonly shown?: readonly [width: number, height: number]
}

const BLIP = { jpg: [0xf01d, 0x46a, 5], png: [0xf01e, 0x6e0, 6], dib: [0xf01f, 0x7a8, 7], emf: [0xf01a, 0x3d4, 2] } as const

export function blipRecord({ kind, bytes, uids = 1 }: OfficePicture): Uint8Array {
  const [type, instance] = BLIP[kind]
  const identifiers = Array.from({ length: uids }, () => md4(bytes))
  return record(type, instance + uids - 1, 0, ...identifiers, ...(kind === 'emf' ? [] : [Uint8Array.of(0xff)]), bytes)
}

/** Returns the record's data of a metafile: its header, and its content deflated by `deflate`. */
export function metafileData(content: Uint8Array, deflate: (bytes: Uint8Array) => Uint8Array): Uint8Array {
  const data = deflate(content)
  const head = Buffer.alloc(34)
  head.writeUInt32LE(content.length, 0)
  head.writeUInt32LE(data.length, 28)
  head.writeUInt8(0xfe, 33)
  return concat([new Uint8Array(head), data])
}

/** Returns an entry of the table of pictures. `embedded`: the record of the picture, in workbooks. */
function fbse({ kind, bytes }: OfficePicture, size: number, place: number, embedded: Uint8Array = new Uint8Array(0)): Uint8Array {
  const type = BLIP[kind][2]
  const body = Buffer.alloc(36)
  body.writeUInt8(type, 0)
  body.writeUInt8(type, 1)
  Buffer.from(md4(bytes)).copy(body, 2)
  body.writeUInt32LE(size, 20)
  body.writeUInt32LE(1, 24)
  body.writeUInt32LE(place, 28)
  return record(0xf007, type, 2, new Uint8Array(body), embedded)
}

/** Returns the shape of a picture frame. */
function shape(index: number, [width, height]: readonly [number, number]): Uint8Array {
  const property = Buffer.alloc(6)
  property.writeUInt16LE(0x4104, 0)
  property.writeUInt32LE(index, 2)
  const anchor = Buffer.alloc(8)
  for (const [at, value] of [0, 0, width * 576, height * 576].entries()) anchor.writeInt16LE(Math.round(value), 2 * at)
  return container(0xf004, record(0xf00b, 1, 3, new Uint8Array(property)), record(0xf010, 0, 0, new Uint8Array(anchor)))
}

export const EDIT = { plain: 0xe391c05f, encrypted: 0xf3d1c4df } as const

export interface PptOptions extends CompoundFileOptions {
  readonly token?: number
  readonly more?: readonly CompoundFileStream[]
  /** Bytes behind the last picture. Default: none. */
  readonly tail?: Uint8Array
}

/** Bytes between two versions. They are no records. */
const GAP = 77

/** Returns objects with their directory and edit. `at`: offset of the edit in the stream, in which the objects begin at `from`. */
function editOf(objects: readonly Uint8Array[], from: number, before: number): { bytes: Uint8Array; at: number } {
  let place = from
  const places = objects.map(({ length }) => {
    place += length
    return place - length
  })
  const directory = record(0x1772, 0, 0, numbers(1 | (places.length << 20), ...places))
  const edit = record(0x0ff5, 0, 0, numbers(0, 0, before, place, 1, 2, 0))
  return { bytes: concat([...objects, directory, edit]), at: place + directory.length }
}

/** Returns a presentation with one slide, a text, macros and pictures. */
export function pptFile(
  pictures: readonly OfficePicture[],
  { token = EDIT.plain, more = [], tail, ...options }: PptOptions = {},
): Uint8Array {
  const blips = pictures.map(blipRecord)
  let place = 0
  const entries = pictures.map((picture, index) => {
    const entry = fbse(picture, blips[index]!.length, place)
    place += blips[index]!.length
    return entry
  })
  const shapes = pictures.flatMap(({ shown }, index) => (shown ? [shape(index + 1, shown)] : []))
  const objects = [
    container(0x03e8, container(0x040b, container(0xf000, record(0xf001, entries.length, 15, ...entries)))),
    container(
      0x03ee,
      container(0x040c, container(0xf002, container(0xf003, ...shapes))),
      record(0x0fa0, 0, 0, utf16('A title'.repeat(600))),
    ),
  ]
  // An older version of the slides, which the last edit leads to, and free bytes behind it.
  const older = editOf(objects, 0, 0)
  const newer = editOf(objects, older.bytes.length + GAP, older.at)
  const document = concat([older.bytes, new Uint8Array(GAP), newer.bytes])
  const user = Buffer.alloc(20)
  user.writeUInt32LE(token, 12)
  user.writeUInt32LE(newer.at, 16)
  return compoundFile(
    [
      { name: 'PowerPoint Document', bytes: document },
      { name: 'Current User', bytes: new Uint8Array(user) },
      { name: 'Pictures', bytes: concat([...blips, ...(tail ? [tail] : [])]) },
      { name: '\u0005SummaryInformation', bytes: utf16('A title, by Ada') },
      { name: '_VBA_PROJECT_CUR/VBA/Module1', bytes: utf16('Sub Hello()') },
      ...more,
    ],
    options,
  )
}

function biff(type: number, data: Uint8Array): Uint8Array {
  const head = Buffer.alloc(4)
  head.writeUInt16LE(type, 0)
  head.writeUInt16LE(data.length, 2)
  return concat([new Uint8Array(head), data])
}

const numbers = (...values: readonly number[]) => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, 4 * index)
  return new Uint8Array(bytes)
}

const BOF = biff(0x809, Uint8Array.of(0, 6, 5, 0, 0, 0, 0, 0))
const EOF = biff(0x0a, new Uint8Array(0))

export interface XlsOptions extends CompoundFileOptions {
  /** Records behind the first one. Default: none. */
  readonly early?: Uint8Array
  readonly more?: readonly CompoundFileStream[]
}

export const filePass = (): Uint8Array => biff(0x2f, new Uint8Array(6))

/** Returns a workbook with pictures, a table of texts with its index, and one sheet with an index of rows. */
export function xlsFile(pictures: readonly OfficePicture[], { early, more = [], ...options }: XlsOptions = {}): Uint8Array {
  const entries = pictures.map((picture) => {
    const blip = blipRecord(picture)
    return fbse(picture, blip.length, 0, blip)
  })
  const group = container(0xf000, record(0xf001, entries.length, 15, ...entries), record(0xf00b, 0, 3))
  const pieces: Uint8Array[] = []
  for (let at = 0; at < group.length; at += 8224) pieces.push(biff(pieces.length < 2 ? 0xeb : 0x3c, group.subarray(at, at + 8224)))
  const name = concat([Uint8Array.of(0, 0, 5, 0), new Uint8Array(Buffer.from('Sheet', 'latin1'))])
  const build = (sheetAt: number, textsAt: number, rowsAt: number) => {
    const head = concat([BOF, ...(early ? [early] : []), biff(0x85, concat([numbers(sheetAt), name])), ...pieces])
    const texts = biff(0xfc, concat([numbers(1, 1), new Uint8Array(Buffer.from('\u0005\0\0Hello', 'latin1'))]))
    const globals = concat([head, texts, biff(0xff, concat([Uint8Array.of(8, 0), numbers(textsAt, 12)])), EOF])
    const rows = concat([BOF, biff(0x20b, numbers(0, 0, 1, 0, rowsAt)), biff(0x06, new Uint8Array(30))])
    return { head, globals, rows, bytes: concat([globals, rows, biff(0xd7, numbers(34)), EOF]) }
  }
  const first = build(0, 0, 0)
  const { bytes } = build(first.globals.length, first.head.length + 12, first.globals.length + first.rows.length)
  return compoundFile([{ name: 'Workbook', bytes }, { name: '\u0005SummaryInformation', bytes: utf16('A workbook') }, ...more], options)
}

/** Returns a Word document without meaning. `encrypted`: its flag is set. */
export function docFile(options: CompoundFileOptions & { readonly encrypted?: boolean } = {}): Uint8Array {
  const text = Buffer.alloc(6000)
  text.writeUInt16LE(0xa5ec, 0)
  text.writeUInt8(options.encrypted ? 1 : 0, 11)
  for (let at = 512; at < text.length; at++) text[at] = (at * 7) & 255
  return compoundFile(
    [
      { name: 'WordDocument', bytes: new Uint8Array(text) },
      { name: '1Table', bytes: utf16('a table of Word') },
    ],
    options,
  )
}
