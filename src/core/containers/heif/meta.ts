/** Structure of a HEIF file (ISO/IEC 23008-12): items, their places, references between them, and properties. */
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { isCodecError, malformed, overBudget, unsupported } from '../../model/error.ts'
import { boxesIn, type HeifBox, HeifFields } from './boxes.ts'
import { readHeifTop } from './top.ts'
import { MAX_ENTRIES, MAX_META_BYTES } from './tuning.ts'

export interface HeifExtent {
  /** Offset in the file, or in the `idat` box. */
  readonly offset: number
  readonly length: number
}

export interface HeifItem {
  readonly id: number
  readonly type: string
  /** Media type of a `mime` item. Empty: another item. */
  readonly contentType: string
  /** True if the item is not shown by itself (ISO/IEC 23008-12, 6.4.2). */
  readonly hidden: boolean
  readonly isProtected: boolean
}

/** Place of an item's data (ISO/IEC 14496-12, 8.11.3). */
interface HeifPlace {
  /** 0: offsets of the file; 1: offsets of the `idat` box; others are not supported. */
  readonly method: number
  /** Number of the file that holds the data: 0 for this one. */
  readonly dataReference: number
  readonly extents: readonly HeifExtent[]
}

export interface HeifReference {
  readonly type: string
  readonly from: number
  readonly to: readonly number[]
}

export interface HeifProperty {
  readonly type: string
  readonly content: HeifFields
  readonly essential: boolean
}

/** Group of items that are alternatives, variants or parts of each other (ISO/IEC 14496-12, 8.18). */
export interface HeifGroup {
  readonly type: string
  readonly ids: readonly number[]
}

export interface HeifFile {
  readonly brands: readonly string[]
  /** True if the file has a track, as image sequences do. */
  readonly hasTracks: boolean
  /** Types of boxes at the top level that hold something besides the picture, such as `uuid`. */
  readonly otherBoxes: readonly string[]
  /** Offsets of the `uuid` boxes. */
  readonly uuidBoxes: readonly number[]
  /** Id of the primary item. */
  readonly primary: number
  readonly items: ReadonlyMap<number, HeifItem>
  readonly places: ReadonlyMap<number, HeifPlace>
  readonly references: readonly HeifReference[]
  readonly groups: readonly HeifGroup[]
  /** Content of the `idat` box. `undefined`: none. */
  readonly itemData: HeifFields | undefined
  /** Offset where the last box ends. Bytes after it are trailing data. */
  readonly end: number
  propertiesOf(id: number): readonly HeifProperty[]
}

/** Reads the structure. @throws CodecError (malformed) for damaged files, (over_budget) for files with too many entries */
export async function readHeifFile(source: Source, signal: AbortSignal): Promise<HeifFile> {
  const { brands, hasTracks, meta, otherBoxes, uuidBoxes, end } = await readHeifTop(source, signal)
  if (!meta) {
    if (hasTracks) throw unsupported('heif_sequence_stays')
    throw brands[0] === 'mif3' ? unsupported('heif_compact_form') : malformed('heif', 0, 'heif_no_meta')
  }
  if (meta.length > MAX_META_BYTES) throw overBudget(message('heif_meta_too_large', { limit: MAX_META_BYTES / 1024 ** 2 }))
  const bytes = (await source.read(meta.offset, meta.length)).slice()
  try {
    return { brands, hasTracks, otherBoxes, uuidBoxes, end, ...parsedMeta(new HeifFields(bytes, meta.offset)) }
  } catch (error) {
    if (error instanceof RangeError && !isCodecError(error)) throw malformed('heif', meta.offset, 'heif_field_outside_box')
    throw error
  }
}

function parsedMeta(meta: HeifFields): Omit<HeifFile, 'brands' | 'hasTracks' | 'otherBoxes' | 'uuidBoxes' | 'end'> {
  const boxes = boxesIn(meta.part(4))
  const contentOf = (type: string) => boxes.find((box) => box.type === type)?.content
  const required = (type: string) => {
    const content = contentOf(type)
    if (!content) throw malformed('heif', meta.fileOffset, message('heif_box_missing', { type }))
    return content
  }
  const handler = contentOf('hdlr')
  if (handler && handler.text(8, 12) !== 'pict') throw malformed('heif', handler.fileOffset, 'heif_handler_is_not_pict')
  const pitm = required('pitm')
  const primary = pitm.u8(0) === 0 ? pitm.u16(4) : pitm.u32(4)
  const items = itemsOf(required('iinf'))
  if (!items.has(primary)) throw malformed('heif', pitm.fileOffset, message('heif_no_such_item', { id: primary }))
  const iref = contentOf('iref')
  const grpl = contentOf('grpl')
  const iprp = contentOf('iprp')
  return {
    primary,
    items,
    places: placesOf(required('iloc')),
    references: iref ? referencesOf(iref) : [],
    groups: grpl ? boxesIn(grpl).map(groupOf) : [],
    itemData: contentOf('idat'),
    propertiesOf: iprp ? propertiesOf(boxesIn(iprp)) : () => [],
  }
}

/** Refuses a file with more entries than any real one, before they are stored. */
function checkCount(count: number): void {
  if (count > MAX_ENTRIES) throw overBudget(message('heif_too_many_entries', { limit: MAX_ENTRIES }))
}

/** Item information (ISO/IEC 14496-12, 8.11.6). Versions 0 and 1 of entries have no item type and are skipped. */
function itemsOf(iinf: HeifFields): Map<number, HeifItem> {
  const items = new Map<number, HeifItem>()
  for (const { type, content } of boxesIn(iinf.part(iinf.u8(0) === 0 ? 6 : 8))) {
    if (type !== 'infe' || content.u8(0) < 2) continue
    const idBytes = content.u8(0) === 2 ? 2 : 4
    const id = content.unsigned(4, idBytes)
    const itemType = content.text(6 + idBytes, 10 + idBytes)
    if (itemType.length < 4) throw malformed('heif', content.fileOffset, 'heif_field_outside_box')
    if (items.has(id)) throw malformed('heif', content.fileOffset, message('heif_item_twice', { id }))
    const name = content.textUntilZero(10 + idBytes)
    items.set(id, {
      id,
      type: itemType,
      contentType: itemType === 'mime' ? content.textUntilZero(10 + idBytes + name.length + 1) : '',
      hidden: (content.u8(3) & 1) === 1,
      isProtected: content.unsigned(4 + idBytes, 2) !== 0,
    })
    checkCount(items.size)
  }
  return items
}

/** Item locations (ISO/IEC 14496-12, 8.11.3). */
function placesOf(iloc: HeifFields): Map<number, HeifPlace> {
  const version = iloc.u8(0)
  const [sizes, more] = [iloc.u8(4), iloc.u8(5)]
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 4, sizes & 15, more >> 4]
  const indexBytes = version === 0 ? 0 : more & 15
  const idBytes = version < 2 ? 2 : 4
  let at = 6
  const take = (bytes: number) => {
    const value = iloc.unsigned(at, bytes)
    at += bytes
    return value
  }
  const places = new Map<number, HeifPlace>()
  let extentsOfAll = 0
  const count = take(idBytes)
  for (let i = 0; i < count; i++) {
    const id = take(idBytes)
    const method = version === 0 ? 0 : take(2) & 15
    const dataReference = take(2)
    const base = take(baseBytes)
    const extentCount = take(2)
    extentsOfAll += extentCount
    checkCount(Math.max(extentsOfAll, places.size))
    const extents: HeifExtent[] = []
    for (let extent = 0; extent < extentCount; extent++) {
      take(indexBytes)
      extents.push({ offset: base + take(offsetBytes), length: take(lengthBytes) })
    }
    if (places.has(id)) throw malformed('heif', iloc.fileOffset, message('heif_item_twice', { id }))
    places.set(id, { method, dataReference, extents })
  }
  return places
}

/** References between items (ISO/IEC 14496-12, 8.11.12). */
function referencesOf(iref: HeifFields): HeifReference[] {
  const idBytes = iref.u8(0) === 0 ? 2 : 4
  let count = 0
  return boxesIn(iref.part(4)).map(({ type, content }) => {
    const targets = content.u16(idBytes)
    count += 1 + targets
    checkCount(count)
    return {
      type,
      from: content.unsigned(0, idBytes),
      to: Array.from({ length: targets }, (_, i) => content.unsigned(2 + idBytes * (i + 1), idBytes)),
    }
  })
}

/** Entity group (ISO/IEC 14496-12, 8.18.3). */
function groupOf({ type, content }: HeifBox): HeifGroup {
  const count = content.u32(8)
  checkCount(count)
  return { type, ids: Array.from({ length: count }, (_, i) => content.u32(12 + 4 * i)) }
}

/** Item properties and their associations (ISO/IEC 23008-12, 9.3). */
function propertiesOf(iprp: readonly HeifBox[]): HeifFile['propertiesOf'] {
  const all = boxesIn(iprp.find(({ type }) => type === 'ipco')?.content ?? new HeifFields(new Uint8Array(), 0))
  const associations = new Map<number, HeifProperty[]>()
  let count = 0
  for (const { type, content } of iprp) {
    if (type !== 'ipma') continue
    const [idBytes, indexBytes] = [content.u8(0) === 0 ? 2 : 4, (content.u8(3) & 1) === 1 ? 2 : 1]
    const entries = content.u32(4)
    for (let i = 0, at = 8; i < entries; i++) {
      const id = content.unsigned(at, idBytes)
      const indices = content.u8(at + idBytes)
      at += idBytes + 1
      count += 1 + indices
      checkCount(count)
      const list = associations.get(id) ?? []
      for (let n = 0; n < indices; n++, at += indexBytes) {
        const value = content.unsigned(at, indexBytes)
        const essential = value >> (8 * indexBytes - 1) === 1
        const index = value & (indexBytes === 1 ? 0x7f : 0x7fff)
        const property = all[index - 1]
        if (index > 0 && !property) throw malformed('heif', content.fileOffset + at, message('heif_no_such_property', { index }))
        if (property) list.push({ ...property, essential })
      }
      associations.set(id, list)
    }
  }
  return (id) => associations.get(id) ?? []
}
