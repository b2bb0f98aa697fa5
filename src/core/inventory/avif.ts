/** Reads the inventory of AVIF files (ISO/IEC 23000-22; ISO/IEC 23008-12): what belongs to the main picture. */
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
import { partOf } from './ranges.ts'
import { addTrailingBytes } from './trailing.ts'
import { XML_LIBRARY } from './xml-library.ts'
import { addXmp } from './xmp.ts'

const XMP_TYPE = 'application/rdf+xml'
const MOST_XMP_BYTES = 8 * 1024 * 1024
/** Boxes of a file at its top level. Other bytes after the last of them are trailing data. */
const TOP_BOXES: ReadonlySet<string> = new Set(['ftyp', 'meta', 'mdat', 'free', 'skip', 'uuid', 'moov'])

async function readAvif(view: FileView): Promise<Inventory> {
  const builder = new InventoryBuilder()
  const { metaAt, metaLength, end } = await topBoxes(view)
  const meta = await readAvifMeta(view, metaAt, metaLength)
  addProperties(builder, meta)
  for (const item of meta.items.values()) await addItem(builder, view, meta, item)
  await addTrailingBytes(builder, view, end)
  return builder.build()
}

/** Finds the `meta` box and the end of the last box. */
async function topBoxes(view: FileView): Promise<{ metaAt: number; metaLength: number; end: number }> {
  let [at, metaAt, metaLength] = [0, -1, 0]
  while (at + 8 <= view.size) {
    const head = Fields.big(await view.bytes(at, 8))
    const [size, type] = [head.u32(0), head.text(4)]
    if (!TOP_BOXES.has(type) || size < 8 || at + size > view.size) break
    if (at === 0 && type !== 'ftyp') break
    if (type === 'meta') [metaAt, metaLength] = [at + 8, size - 8]
    at += size
  }
  if (metaAt < 0) throw view.malformed(at)
  return { metaAt, metaLength, end: at }
}

/** Adds colours and bit depth from the properties of the main picture. */
function addProperties(builder: InventoryBuilder, meta: AvifMeta): void {
  let [isHdr, depth] = [false, 8]
  const add = (item: string) => builder.add('colour_signalling', item)
  for (const { type, content } of meta.propertiesOf(meta.primary)) {
    if (type === 'colr') isHdr = addColour(builder, content) || isHdr
    else if (type === 'pixi') depth = content.u8(5) ?? 8
    else if (type === 'mdcv') add(`mastering display = ${hex(inPngOrder(content))}`)
    else if (type === 'clli') add(`light levels = ${content.u16(0)} ${content.u16(2)} cd/m²`)
    else if (type === 'irot' || type === 'imir' || type === 'clap') builder.add('rotation', `${type} = ${content.hex()}`)
    isHdr ||= type === 'mdcv' || type === 'clli'
  }
  if (isHdr) builder.add('bit_depth', `bits = ${depth}`)
}

/** Adds a colour property (ISO/IEC 14496-12, 12.1.5). Returns true for a transfer function of HDR. */
function addColour(builder: InventoryBuilder, content: Fields): boolean {
  const kind = content.text(0, 4)
  if (kind === 'prof' || kind === 'rICC') addProfile(builder, content.bytes.subarray(4))
  if (kind !== 'nclx' || content.length < 11) return false
  const [primaries, transfer] = [content.u16(4), content.u16(6)]
  addCodePoints(builder, primaries, transfer, (content.u8(10) & 0x80) !== 0)
  return isHdrTransfer(transfer)
}

/** Order of primaries in `mdcv` is green, blue, red (ITU-T H.265, D.3.28); PNG has red, green, blue. */
const inPngOrder = (content: Fields) => concat([content.bytes.subarray(8, 12), content.bytes.subarray(0, 8), content.bytes.subarray(12)])

/** Adds metadata and auxiliary pictures of the main picture. Items without a reference to it do not count, because readers ignore them. */
async function addItem(builder: InventoryBuilder, view: FileView, meta: AvifMeta, item: AvifItem): Promise<void> {
  const { type, contentType, at, length } = item
  if (meta.refersToPrimary('auxl', item.id)) {
    const kind = meta.propertiesOf(item.id).find((property) => property.type === 'auxC')?.content
    builder.add('further_pictures', `auxiliary picture = ${kind?.text(4).split('\0')[0] ?? 'unknown'}`)
    return
  }
  if (!meta.refersToPrimary('cdsc', item.id)) return
  if (type === 'Exif') {
    if (length < 4) throw view.malformed(at)
    const skipped = Fields.big(await view.bytes(at, 4)).u32(0)
    await addExif(builder, partOf(view, at + 4 + skipped, length - 4 - skipped))
  } else if (type === 'mime' && contentType === XMP_TYPE && length <= MOST_XMP_BYTES) {
    addXmp(builder, (await view.bytes(at, length)).slice())
  } else builder.add('items', `${type} ${contentType} #${await digestOfStream(view.chunks(at, length))}`)
}

export const AVIF_READER: InventoryReader = {
  library: XML_LIBRARY,
  read: (source: Source, signal: AbortSignal) => readAvif(new FileView(source, 'avif', signal)),
}
