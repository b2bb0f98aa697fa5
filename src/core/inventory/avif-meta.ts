/** Items, references and properties of an AVIF or HEIC file: its `meta` box (ISO/IEC 14496-12, 8.11; ISO/IEC 23008-12, 9.3). */
import { Fields } from './fields.ts'
import type { FileView } from './file-view.ts'

export interface AvifItem {
  readonly id: number
  readonly type: string
  /** Media type of a `mime` item. Empty: another item. */
  readonly contentType: string
  /** Ranges of its data in the file. Empty: the data are elsewhere. */
  readonly ranges: readonly FileRange[]
}

interface FileRange {
  readonly at: number
  readonly length: number
}

export interface AvifProperty {
  readonly type: string
  readonly content: Fields
}

const MOST_META_BYTES = 8 * 1024 * 1024
/** Most boxes of one parent, and most extents of all items. */
const MOST_BOXES = 70_000
const MOST_EXTENTS = 140_000

interface Box extends AvifProperty {
  readonly version: number
}

/** Boxes inside of `bytes`. @throws CodecError `malformed` if one of them exceeds its parent */
function boxesIn(view: FileView, bytes: Fields): Box[] {
  const found: Box[] = []
  for (let at = 0; at < bytes.length; ) {
    const short = at + 8 <= bytes.length ? bytes.u32(at) : 0
    const isWide = short === 1 && at + 16 <= bytes.length
    const [size, header] = isWide ? [bytes.u64(at + 8), 16] : [short, 8]
    if (size < header || at + size > bytes.length || found.length >= MOST_BOXES) throw view.malformed(at)
    const content = bytes.part(at + header, at + size)
    found.push({ type: bytes.text(at + 4, at + 8), content, version: content.length > 0 ? content.u8(0) : 0 })
    at += size
  }
  return found
}

/** Content of the `meta` box of an AVIF file. */
export class AvifMeta {
  readonly primary: number
  readonly items: ReadonlyMap<number, AvifItem>
  readonly #references = new Set<string>()
  readonly #properties: readonly Box[]
  readonly #associations = new Map<number, number[]>()

  /** @throws RangeError if a field lies outside of its box, which `readAvifMeta` turns into a CodecError */
  constructor(view: FileView, meta: Fields, metaAt: number) {
    const boxes = boxesIn(view, meta.part(4))
    const content = (type: string) => boxes.find((box) => box.type === type)?.content ?? Fields.big(new Uint8Array())
    const pitm = content('pitm')
    this.primary = pitm.u8(0) === 0 ? pitm.u16(4) : pitm.u32(4)
    const idat = boxes.find((box) => box.type === 'idat')?.content
    const itemData = idat && { at: metaAt + idat.bytes.byteOffset - meta.bytes.byteOffset, length: idat.length }
    const places = locationsOf(view, content('iloc'), itemData)
    const iinf = content('iinf')
    const entries = boxesIn(view, iinf.part(iinf.u8(0) === 0 ? 6 : 8))
    this.items = new Map(entries.filter(({ version }) => version >= 2).map((box) => entryOf(box, places)))
    if (!this.items.has(this.primary)) throw view.malformed(0)
    for (const { ranges } of this.items.values()) for (const { at, length } of ranges) if (at + length > view.size) throw view.malformed(at)
    const iref = boxes.find((box) => box.type === 'iref')?.content
    for (const reference of iref ? boxesIn(view, iref.part(4)) : []) this.#addReferences(reference, iref?.u8(0) === 0 ? 2 : 4)
    const iprp = boxesIn(view, content('iprp'))
    this.#properties = boxesIn(view, iprp.find(({ type }) => type === 'ipco')?.content ?? Fields.big(new Uint8Array()))
    for (const { type, content: ipma } of iprp) if (type === 'ipma') this.#addAssociations(ipma)
  }

  /** True if item `from` has a reference of this type to the main picture. */
  refersToPrimary(type: string, from: number): boolean {
    return this.#references.has(`${type} ${from} ${this.primary}`)
  }

  propertiesOf(id: number): AvifProperty[] {
    return (this.#associations.get(id) ?? []).flatMap((index) => this.#properties[index - 1] ?? [])
  }

  #addReferences({ type, content }: Box, idBytes: number): void {
    const from = content.unsigned(0, idBytes)
    const count = content.u16(idBytes)
    // Grids refer to thousands of tiles, which are not needed here.
    if (type === 'dimg') return
    for (let i = 0; i < count; i++) this.#references.add(`${type} ${from} ${content.unsigned(idBytes * (i + 1) + 2, idBytes)}`)
  }

  /** Adds the entries of an `ipma` box (ISO/IEC 23008-12, 9.3.1): numbers of properties by item. */
  #addAssociations(ipma: Fields): void {
    const [idBytes, indexBytes] = [ipma.u8(0) === 0 ? 2 : 4, (ipma.u8(3) & 1) === 1 ? 2 : 1]
    const entries = ipma.u32(4)
    for (let i = 0, at = 8; i < entries; i++) {
      const id = ipma.unsigned(at, idBytes)
      const count = ipma.u8(at + idBytes)
      at += idBytes + 1
      const mask = indexBytes === 1 ? 0x7f : 0x7fff
      this.#associations.set(
        id,
        Array.from({ length: count }, (_, n) => ipma.unsigned(at + n * indexBytes, indexBytes) & mask),
      )
      at += count * indexBytes
    }
  }
}

/** Reads the `meta` box at `at`. @throws CodecError `malformed` if a box or a field lies outside of its parent */
export async function readAvifMeta(view: FileView, at: number, length: number): Promise<AvifMeta> {
  if (length > MOST_META_BYTES) throw view.malformed(at)
  const meta = Fields.big((await view.bytes(at, length)).slice())
  try {
    return new AvifMeta(view, meta, at)
  } catch (error) {
    if (error instanceof RangeError) throw view.malformed(at)
    throw error
  }
}

/** Item locations (ISO/IEC 14496-12, 8.11.3), in the file or in its `idat` box. */
function locationsOf(view: FileView, iloc: Fields, itemData: FileRange | undefined): ReadonlyMap<number, readonly FileRange[]> {
  const version = iloc.u8(0)
  const [offsetBytes, lengthBytes] = [iloc.u8(4) >> 4, iloc.u8(4) & 15]
  const [baseBytes, indexBytes] = [iloc.u8(5) >> 4, version === 0 ? 0 : iloc.u8(5) & 15]
  const idBytes = version < 2 ? 2 : 4
  const places = new Map<number, readonly FileRange[]>()
  let [at, extentsOfAll] = [6, 0]
  const read = (bytes: number) => {
    const value = bytes === 0 ? 0 : bytes === 8 ? iloc.u64(at) : iloc.unsigned(at, bytes)
    at += bytes
    return value
  }
  const count = read(idBytes)
  for (let i = 0; i < count; i++) {
    const id = read(idBytes)
    const method = version === 0 ? 0 : read(2) & 15
    const reference = read(2)
    const base = read(baseBytes)
    const extents = read(2)
    extentsOfAll += extents
    if (extentsOfAll > MOST_EXTENTS) throw view.malformed(at)
    const whole = method === 0 ? { at: 0, length: view.size } : method === 1 && reference === 0 ? itemData : undefined
    const ranges: FileRange[] = []
    for (let extent = 0; extent < extents; extent++) {
      read(indexBytes)
      const [offset, length] = [base + read(offsetBytes), read(lengthBytes)]
      // No length means up to the end.
      if (whole && reference === 0)
        ranges.push({ at: whole.at + offset, length: length === 0 ? Math.max(0, whole.length - offset) : length })
    }
    places.set(id, ranges)
  }
  return places
}

/** Item entry of `infe` (ISO/IEC 14496-12, 8.11.6), version 2 or 3. */
function entryOf({ content, version }: Box, places: ReadonlyMap<number, readonly FileRange[]>): [number, AvifItem] {
  const idBytes = version < 3 ? 2 : 4
  const id = content.unsigned(4, idBytes)
  const typeAt = 4 + idBytes + 2
  const type = content.text(typeAt, typeAt + 4)
  const [, contentType = ''] = content.text(typeAt + 4).split('\0')
  return [id, { id, type, contentType: type === 'mime' ? contentType : '', ranges: places.get(id) ?? [] }]
}
