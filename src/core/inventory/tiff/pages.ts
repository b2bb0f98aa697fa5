/** Walks through the directories of a TIFF file (TIFF 6.0, section 2) and adds their items. */
import type { InventoryKind } from '../../catalog/inventory/kinds.ts'
import type { ItemCollector } from '../collector.ts'
import { exifTagName } from '../exif-names.ts'
import type { FileView } from '../file-view.ts'
import { InventoryBuilder } from '../inventory.ts'
import {
  digestOfRange,
  isInside,
  numbersOf,
  readTiffDirectory,
  type TiffDirectory,
  type TiffEntry,
  type TiffHeader,
} from '../tiff-directory.ts'
import { addXmp } from '../xmp.ts'
import type { Extent } from './extent.ts'
import { addGdalMetadata, addGeoKeys } from './geography.ts'
import { tagText } from './tag-text.ts'
import { GEO_TAGS, isDirectoryType, LAYOUT_TAGS, METADATA_DIRECTORIES, TAG } from './tags.ts'

const MAX_DIRECTORIES = 20_000
/** Most entries of a directory. A place with more is none: some writers end the chain with a random offset. */
const MAX_ENTRIES = 4096
const MAX_DEPTH = 8
/** Most links to directories. Several links may lead to one directory. */
const MAX_LINKS = 200_000
/** Most bytes of values, as a multiple of the file size, and in addition. Fields may share the bytes of their value. */
const MAX_VALUES_FACTOR = 16
const MAX_VALUE_BYTES = 64 * 1024 * 1024
/** Longest XMP packet that is read. A longer one is an item with a digest. */
const MAX_XMP_BYTES = 4 * 1024 * 1024

const KIND_OF_TAG: { readonly [tag: number]: InventoryKind } = { [TAG.icc]: 'icc_profile', [TAG.photoshopLayers]: 'layers' }
const KIND_OF_DIRECTORY: { readonly [name: string]: InventoryKind } = { GPS: 'gps_tags' }

interface Link {
  readonly at: number
  readonly name: string
  readonly kind: 'pages' | 'sub_directories'
  readonly depth: number
}

export class Pages {
  readonly #view: FileView
  readonly #header: TiffHeader
  readonly #items: ItemCollector
  readonly #extent: Extent
  /** Names of the directories that have been read, by offset. Pages may share some. */
  readonly #known = new Map<number, string>()
  #links = 0
  #valueBytes = 0

  constructor(view: FileView, header: TiffHeader, items: ItemCollector, extent: Extent) {
    this.#view = view
    this.#header = header
    this.#items = items
    this.#extent = extent
  }

  /** Reads the pages of the file. Returns their number. */
  async read(): Promise<number> {
    return await this.#chain({ at: this.#header.firstAt, name: '', kind: 'pages', depth: 0 }, (i) => `page ${i}`)
  }

  /** Reads a directory and those that follow it. A link to no directory ends the chain. */
  async #chain({ at, kind, depth }: Link, nameOf: (index: number) => string): Promise<number> {
    if (depth > MAX_DEPTH) throw this.#view.malformed(at)
    let [next, count] = [at, 0]
    for (; next !== 0; count++) {
      const name = nameOf(count)
      if (depth === 0) this.#items.beginGroup(name)
      const directory = await this.#directory(next, name)
      if (!directory) break
      if (typeof directory === 'string') {
        this.#items.add('sub_directories', `${name} = ${directory} again`)
        break
      }
      await this.#page(directory, { at: next, name, kind, depth })
      next = directory.nextAt
    }
    return count
  }

  /** Reads a directory. `undefined`: there is none. A text: the name under which it was read before. */
  async #directory(at: number, name: string): Promise<TiffDirectory | string | undefined> {
    if (++this.#links > MAX_LINKS) throw this.#view.malformed(at)
    const known = this.#known.get(at)
    if (known !== undefined) return known
    const count = await this.#entryCount(at)
    if (count === 0 || count > MAX_ENTRIES) return undefined
    const directory = await readTiffDirectory(this.#view, this.#header, at)
    if (!directory) return undefined
    if (directory.entries.length < count || this.#known.size >= MAX_DIRECTORIES) throw this.#view.malformed(at)
    this.#known.set(at, name)
    const [countBytes, entryBytes, offsetBytes] = this.#header.big ? [8, 20, 8] : [2, 12, 4]
    this.#extent.add(at, countBytes + count * entryBytes + offsetBytes)
    for (const { valueAt, byteLength } of directory.entries) {
      if (byteLength <= offsetBytes || valueAt + byteLength > this.#view.size) continue
      this.#extent.add(valueAt, byteLength)
      this.#valueBytes += byteLength
      if (this.#valueBytes > MAX_VALUE_BYTES + MAX_VALUES_FACTOR * this.#view.size) throw this.#view.malformed(at)
    }
    return directory
  }

  async #entryCount(at: number): Promise<number> {
    const { big, littleEndian } = this.#header
    const bytes = await this.#view.bytesUpTo(at, big ? 8 : 2)
    if (bytes.length < (big ? 8 : 2)) return 0
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    return big ? Number(view.getBigUint64(0, littleEndian)) : view.getUint16(0, littleEndian)
  }

  async #page({ entries }: TiffDirectory, link: Link): Promise<void> {
    const { name, kind } = link
    const entryOf = (tag: number) => entries.find((entry) => entry.tag === tag)
    const first = async (tag: number) => (await this.#numbers(entryOf(tag), 1))[0]
    const bits = [...new Set(await this.#numbers(entryOf(TAG.bitsPerSample), 64))].join(' ') || '1'
    const size = `${(await first(TAG.imageWidth)) ?? 0} × ${(await first(TAG.imageLength)) ?? 0}`
    this.#items.add(kind, `${name} = ${size}, ${bits} bits, ${(await first(TAG.samplesPerPixel)) ?? 1} samples`)
    const use = (await first(TAG.newSubfileType)) ?? 0
    if ((use & 5) !== 0) this.#items.add('overviews', `${name} = ${use & 4 ? 'mask' : 'overview'} ${size}`)
    for (const entry of entries) await this.#entry(entry, link)
    for (const [offsets, lengths] of RANGES)
      await this.#extent.addRanges(entryOf(offsets), entryOf(lengths), offsets === TAG.tileOffsets || offsets === TAG.stripOffsets)
    await this.#jpegStream(name, await first(TAG.jpegStream), await first(TAG.jpegStreamLength))
    const fields = { view: this.#view, header: this.#header, entryOf }
    await addGeoKeys(fields, name, this.#items)
    await addGdalMetadata(fields, name, this.#items)
  }

  async #entry(entry: TiffEntry, { name, depth }: Link): Promise<void> {
    const { tag } = entry
    const directory = METADATA_DIRECTORIES[tag]
    if (LAYOUT_TAGS.has(tag)) return
    if (directory) return this.#metadata(entry, `${name} ${directory}`, directory, depth + 1)
    if (tag === TAG.subIfds || isDirectoryType(entry.type)) return this.#subDirectories(entry, name, depth + 1)
    if (tag === TAG.xmp && isInside(this.#view, entry) && entry.byteLength <= MAX_XMP_BYTES) return this.#xmp(entry)
    const kind = KIND_OF_TAG[tag] ?? (GEO_TAGS.has(tag) ? 'geo_keys' : 'tags')
    this.#items.add(kind, `${name} ${exifTagName('IFD0', tag)} = ${await tagText(this.#view, this.#header, entry)}`)
  }

  async #xmp({ valueAt, byteLength }: TiffEntry): Promise<void> {
    const found = new InventoryBuilder()
    addXmp(found, (await this.#view.bytes(valueAt, byteLength)).slice())
    this.#items.addAll(found.build())
  }

  async #subDirectories(entry: TiffEntry, name: string, depth: number): Promise<void> {
    for (const [i, at] of (await this.#numbers(entry, MAX_DIRECTORIES)).entries()) {
      const own = entry.tag === TAG.subIfds ? `${name}.${i}` : `${name} tag ${entry.tag}.${i}`
      // Only SubIFDs have followers (Adobe PageMaker 6.0 TIFF Technical Notes).
      await this.#chain({ at, name: own, kind: 'sub_directories', depth }, (next) => (next === 0 ? own : `${own}+${next}`))
    }
  }

  /** Reads a directory of metadata: EXIF, GPS, interoperability. A link to no directory is no content. */
  async #metadata(pointer: TiffEntry, name: string, kind: string, depth: number): Promise<void> {
    const [at = 0] = await this.#numbers(pointer, 1)
    const directory = at === 0 || depth > MAX_DEPTH ? undefined : await this.#directory(at, name)
    if (!directory) return
    if (typeof directory === 'string') return this.#items.add('sub_directories', `${name} = ${directory} again`)
    for (const entry of directory.entries) {
      const inner = METADATA_DIRECTORIES[entry.tag]
      if (inner && kind !== 'GPS') await this.#metadata(entry, `${name} ${inner}`, inner, depth + 1)
      else if (entry.tag === TAG.makerNote && kind === 'ExifIFD') this.#items.add('maker_notes', `${name} = ${await this.#bytes(entry)}`)
      else if (kind !== 'ExifIFD' || !LAYOUT_TAGS.has(entry.tag)) {
        const text = await tagText(this.#view, this.#header, entry)
        this.#items.add(KIND_OF_DIRECTORY[kind] ?? 'exif_tags', `${name}:${exifTagName(kind, entry.tag)} = ${text}`)
      }
    }
  }

  /** Adds a JPEG stream that a directory gives by offset and length: a thumbnail, or a picture as in TIFF 6.0, section 22. */
  async #jpegStream(name: string, at: number | undefined, length: number | undefined): Promise<void> {
    if (at === undefined || !length) return
    const bytes = Math.max(0, Math.min(length, this.#view.size - at))
    this.#extent.add(at, bytes)
    this.#items.add('further_pictures', `${name} JPEG stream = ${bytes} bytes #${await digestOfRange(this.#view, at, bytes)}`)
  }

  async #bytes(entry: TiffEntry): Promise<string> {
    if (!isInside(this.#view, entry)) return 'unreadable'
    return `${entry.byteLength} bytes #${await digestOfRange(this.#view, entry.valueAt, entry.byteLength)}`
  }

  #numbers(entry: TiffEntry | undefined, most: number): Promise<number[]> {
    return entry ? numbersOf(this.#view, this.#header, entry, most) : Promise.resolve([])
  }
}

/** Pairs of tags that list offsets and lengths. */
const RANGES = [
  [TAG.stripOffsets, TAG.stripByteCounts],
  [TAG.tileOffsets, TAG.tileByteCounts],
  [TAG.freeOffsets, TAG.freeByteCounts],
] as const
