/**
 * Inventory reader for DICOM: data elements at any depth, group lengths, preamble. It reads native, deflated and encapsulated files in
 * order and never holds more than a short value. Pixel data of the top level is no item: the codec compares it.
 */
import { latin1Of } from '../bytes/latin1.ts'
import type { Source } from '../model/codec.ts'
import { type ByteStream, streamOfFile, streamOfInflated } from './byte-stream.ts'
import { ItemCollector } from './collector.ts'
import { DataSetWalker, type ElementHeader } from './dicom/data-set.ts'
import { ElementItems } from './dicom/items.ts'
import { type Coding, EXPLICIT_LITTLE, findStart, IMPLICIT_LITTLE, START_BYTES } from './dicom/start.ts'
import { valueText } from './dicom/values.ts'
import { FileView } from './file-view.ts'
import type { InventoryReader } from './inventory.ts'

const SYNTAX_IMPLICIT = '1.2.840.10008.1.2'
const SYNTAX_BIG_ENDIAN = '1.2.840.10008.1.2.2'
const SYNTAX_DEFLATED = '1.2.840.10008.1.2.1.99'

const META_LENGTH = 0x0002_0000
const TRANSFER_SYNTAX = 0x0002_0010
/** Elements of the file meta information that name the writer of the file. */
const WRITER: { readonly [tag: number]: string } = { 131090: 'implementation', 131091: 'implementation version' }

const MAX_SYNTAX_BYTES = 256
/** Most bytes of an inflated data set. */
const MAX_INFLATED_BYTES = 2 ** 32

export const DICOM_READER: InventoryReader = { read }

async function read(source: Source, signal: AbortSignal) {
  const view = new FileView(source, 'dicom', signal)
  const start = findStart(await view.bytesUpTo(0, START_BYTES))
  if (!start) throw view.malformed(0)
  const to = new ItemCollector()
  if (start.preamble.some((byte) => byte !== 0)) to.addBytes('preamble', 'preamble', start.preamble)
  const items = new ElementItems(to)
  if (start.coding) await dataSetWalker(view, start.at, items).dataSet(start.coding)
  else {
    const meta = await readMeta(view, start.at, to)
    await readDataSet(view, meta, items, signal)
  }
  items.finish()
  return to.build()
}

const dataSetWalker = (view: FileView, at: number, items: ElementItems) =>
  new DataSetWalker(streamOfFile(view, at), items, (position) => view.malformed(at + position))

interface Meta {
  readonly syntax: string
  /** Offset of the data set. */
  readonly end: number
}

/** Reads the file meta information, group 0002, which is always explicit little endian (PS3.10, 7.1). */
async function readMeta(view: FileView, at: number, to: ItemCollector): Promise<Meta> {
  const stream = streamOfFile(view, at)
  const items = new ElementItems(to)
  const walker = new DataSetWalker(stream, items, (position) => view.malformed(at + position))
  let syntax: string | undefined
  while ((await stream.fill(2)) && isGroup2(stream.peek(2))) {
    const header = await walker.header(EXPLICIT_LITTLE)
    if (!header) break
    const { tag } = header
    if (tag === TRANSFER_SYNTAX) syntax = latin1Of(await shortValue(stream, header, view)).replace(/[\0 ]+$/, '')
    else if (tag === META_LENGTH) await stream.skip(header.length ?? 0)
    else if (tag in WRITER) to.add('header', `${WRITER[tag]} = ${valueText(await shortValue(stream, header, view))}`)
    else await walker.value(header, { coding: EXPLICIT_LITTLE, path: '', depth: 0 })
  }
  if (syntax === undefined) throw view.malformed(at)
  return { syntax, end: at + stream.position }
}

const isGroup2 = (bytes: Uint8Array) => bytes[0] === 2 && bytes[1] === 0

async function shortValue(stream: ByteStream, { length }: ElementHeader, view: FileView): Promise<Uint8Array> {
  if (length === undefined || length > MAX_SYNTAX_BYTES || !(await stream.fill(length))) throw view.malformed(stream.position)
  return stream.take(length)
}

async function readDataSet(view: FileView, { syntax, end }: Meta, items: ElementItems, signal: AbortSignal): Promise<void> {
  if (syntax !== SYNTAX_DEFLATED) return dataSetWalker(view, end, items).dataSet(codingOf(syntax))
  const stream = streamOfInflated(view, end, { wrapper: 'raw', maxBytes: MAX_INFLATED_BYTES }, signal)
  await new DataSetWalker(stream, items, () => view.malformed(end)).dataSet(EXPLICIT_LITTLE)
}

/** Returns the encoding of a transfer syntax (PS3.5, annex A). All compressed pixels are in explicit little-endian data sets. */
function codingOf(syntax: string): Coding {
  if (syntax === SYNTAX_IMPLICIT) return IMPLICIT_LITTLE
  return { explicit: true, littleEndian: syntax !== SYNTAX_BIG_ENDIAN }
}
