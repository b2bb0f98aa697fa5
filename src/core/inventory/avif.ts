/** Reads the inventory of AVIF and HEIC files (ISO/IEC 23000-22; ISO/IEC 23008-12): what belongs to the main picture. */
import { concat } from '../bytes/concat.ts'
import { hex } from '../bytes/hex.ts'
import type { Source } from '../model/codec.ts'
import { type AvifItem, type AvifMeta, readAvifMeta } from './avif-meta.ts'
import { digestOfStream } from './digest.ts'
import { addExif } from './exif.ts'
import { Fields } from './fields.ts'
import { FileView } from './file-view.ts'
import { type Inventory, InventoryBuilder, type InventoryReader } from './inventory.ts'
import { addCodePoints, addProfile, isHdrTransfer } from './picture-items.ts'
import { rangesOf } from './ranges.ts'
import { addTrailingBytes } from './trailing.ts'
import { XML_LIBRARY } from './xml-library.ts'
import { addXmp } from './xmp.ts'

const XMP_TYPE = 'application/rdf+xml'
const MOST_METADATA_BYTES = 8 * 1024 * 1024
/** Boxes of a file at its top level. Other bytes after the last of them are trailing data. */
const TOP_BOXES: ReadonlySet<string> = new Set('ftyp meta mdat free skip uuid moov moof mfra sidx styp wide pdin imda meco'.split(' '))
/** Boxes at the top level that hold something besides the picture. */
const OTHER_BOXES: ReadonlySet<string> = new Set(['uuid', 'moof', 'meco'])
const MOST_TOP_BOXES = 70_000
/** Types of items that are made of others and show more than the main picture: gain maps, overlays, more bits. */
const DERIVED: ReadonlySet<string> = new Set(['tmap', 'sato', 'iovl'])
const ALPHA = /:(?:auxiliary:alpha|auxid:1)$/

/** Reads a file. `prefix`: first letters of items that only this format stores. */
async function readHeif(view: FileView, prefix: string, isResult: boolean): Promise<Inventory> {
  const builder = new InventoryBuilder()
  const { metaAt, metaLength, end, others } = await topBoxes(view)
  const meta = await readAvifMeta(view, metaAt, metaLength)
  addProperties(builder, meta, isResult)
  for (const item of meta.items.values()) await addItem(builder, view, meta, item, prefix)
  for (const { type, at, length } of others) builder.add('items', `${prefix}box ${type} #${await digestOfStream(view.chunks(at, length))}`)
  await addTrailingBytes(builder, view, end)
  return builder.build()
}

interface TopBox {
  readonly type: string
  readonly at: number
  readonly length: number
}

/** Finds the `meta` box, the end of the last box, and boxes that hold something else. */
async function topBoxes(view: FileView): Promise<{ metaAt: number; metaLength: number; end: number; others: readonly TopBox[] }> {
  let [at, metaAt, metaLength] = [0, -1, 0]
  const others: TopBox[] = []
  for (let count = 0; at + 8 <= view.size; count++) {
    const head = Fields.big((await view.bytesUpTo(at, 16)).slice())
    const [short, type] = [head.u32(0), head.text(4, 8)]
    const isWide = short === 1 && head.length === 16
    const size = isWide ? head.u64(8) : short === 0 ? view.size - at : short
    const header = isWide ? 16 : 8
    if (!TOP_BOXES.has(type) || size < header || at + size > view.size || count >= MOST_TOP_BOXES) break
    if (at === 0 && type !== 'ftyp') break
    if (type === 'meta') [metaAt, metaLength] = [at + header, size - header]
    if (OTHER_BOXES.has(type)) others.push({ type, at: at + header, length: size - header })
    at += size
  }
  if (metaAt < 0) throw view.malformed(at)
  return { metaAt, metaLength, end: at, others }
}

/** Adds colours and bit depth from the properties of the main picture. */
function addProperties(builder: InventoryBuilder, meta: AvifMeta, isResult: boolean): void {
  let [isHdr, depth] = [false, 8]
  const add = (item: string) => builder.add('colour_signalling', item)
  const properties = meta.propertiesOf(meta.primary)
  const hasProfile = properties.some(({ type, content }) => type === 'colr' && /^(?:prof|rICC)$/.test(content.text(0, 4)))
  for (const { type, content } of properties) {
    if (type === 'colr') isHdr = addColour(builder, content, isResult || !hasProfile) || isHdr
    else if (type === 'pixi') depth = content.length > 5 ? content.u8(5) : 8
    else if (type === 'mdcv') add(`mastering display = ${hex(inPngOrder(content))}`)
    else if (type === 'clli') add(`light levels = ${content.u16(0)} ${content.u16(2)} cd/m²`)
    else if (type === 'irot' || type === 'imir' || type === 'clap') builder.add('rotation', `${type} = ${content.hex()}`)
    isHdr ||= type === 'mdcv' || type === 'clli'
  }
  if (isHdr) builder.add('bit_depth', `bits = ${depth}`)
}

/** Value of code points that says nothing (ITU-T H.273). */
const UNSPECIFIED = 2

/**
 * Adds a colour property (ISO/IEC 14496-12, 12.1.5). Returns true for a transfer function of HDR. `lists`: false for code points beside
 * a profile in an original, because readers use the profile. The range is that of the coding; colours always have full range.
 */
function addColour(builder: InventoryBuilder, content: Fields, lists: boolean): boolean {
  const kind = content.text(0, 4)
  if (kind === 'prof' || kind === 'rICC') addProfile(builder, content.bytes.subarray(4))
  if (kind !== 'nclx' || content.length < 11) return false
  const [primaries, transfer] = [content.u16(4), content.u16(6)]
  if (lists && (primaries !== UNSPECIFIED || transfer !== UNSPECIFIED)) addCodePoints(builder, primaries, transfer, true)
  return isHdrTransfer(transfer)
}

/** Order of primaries in `mdcv` is green, blue, red (ITU-T H.265, D.3.28); PNG has red, green, blue. */
const inPngOrder = (content: Fields) => concat([content.bytes.subarray(8, 12), content.bytes.subarray(0, 8), content.bytes.subarray(12)])

/** Adds metadata and further pictures. Alpha belongs to the pixels. Items without a reference to the main picture are ignored by readers. */
async function addItem(builder: InventoryBuilder, view: FileView, meta: AvifMeta, item: AvifItem, prefix: string): Promise<void> {
  const { type, contentType } = item
  if (DERIVED.has(type)) return builder.add('further_pictures', `${prefix}derived picture = ${type}`)
  if (meta.refersToPrimary('auxl', item.id)) {
    const name =
      meta
        .propertiesOf(item.id)
        .find((property) => property.type === 'auxC')
        ?.content.text(4)
        .split('\0')[0] ?? 'unknown'
    if (!ALPHA.test(name)) builder.add('further_pictures', `${prefix}auxiliary picture = ${name}`)
    return
  }
  if (!meta.refersToPrimary('cdsc', item.id)) return
  if (type === 'Exif') await addUprightExif(builder, await contentOf(view, item))
  else if (type === 'mime' && contentType === XMP_TYPE) addXmp(builder, await contentOf(view, item))
  else builder.add('items', `${prefix}${type} ${contentType} #${await digestOfStream(chunksOf(view, item))}`)
}

/** Adds EXIF (ISO/IEC 23008-12, A.2.1). The orientation counts as upright, because readers use the properties of the picture instead. */
async function addUprightExif(builder: InventoryBuilder, data: Uint8Array): Promise<void> {
  const offset = data.length < 4 ? data.length : Fields.big(data).u32(0)
  // Files of some writers have no offset: they begin with `II*` or `MM`, NUL, `*`.
  const start = offset === 0x49492a00 || offset === 0x4d4d002a ? 0 : 4 + offset
  const found = new InventoryBuilder()
  await addExif(found, rangesOf(data.subarray(Math.min(start, data.length))))
  for (const [kind, items] of found.build())
    for (const [item, count] of items) builder.add(kind, item.replace(/^IFD0:Orientation = .*$/, 'IFD0:Orientation = 1'), count)
}

async function contentOf(view: FileView, item: AvifItem): Promise<Uint8Array> {
  const length = item.ranges.reduce((sum, range) => sum + range.length, 0)
  if (length > MOST_METADATA_BYTES) throw view.malformed(item.ranges[0]?.at ?? 0)
  const parts: Uint8Array[] = []
  for await (const part of chunksOf(view, item)) parts.push(part.slice())
  return concat(parts)
}

async function* chunksOf(view: FileView, { ranges }: AvifItem): AsyncGenerator<Uint8Array> {
  for (const { at, length } of ranges) yield* view.chunks(at, length)
}

export const AVIF_READER: InventoryReader = {
  library: XML_LIBRARY,
  read: (source: Source, signal: AbortSignal, isResult = false) => readHeif(new FileView(source, 'avif', signal), '', isResult),
}

export const HEIC_READER: InventoryReader = {
  library: XML_LIBRARY,
  read: (source: Source, signal: AbortSignal, isResult = false) => readHeif(new FileView(source, 'heic', signal), 'HEIC ', isResult),
}
