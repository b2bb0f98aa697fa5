/** Inventory of EXIF (CIPA DC-008): tags by name and value, independent of byte order; a maker note is one item. */

import { exifTagName } from './exif-names.ts'
import type { InventoryBuilder } from './inventory.ts'
import type { Ranges } from './ranges.ts'
import {
  digestOfRange,
  isInside,
  numbersOf,
  readTiffDirectory,
  readTiffHeader,
  type TiffEntry,
  type TiffHeader,
  textOfEntry,
} from './tiff-directory.ts'

const EXIF = 0x8769
const GPS = 0x8825
const INTEROP = 0xa005
const SUB_DIRECTORIES = 0x14a
const MAKER_NOTE = 0x927c
const THUMBNAIL_OFFSET = 0x201
const THUMBNAIL_LENGTH = 0x202

/** Most directories of a file. EXIF has five. */
const MOST_DIRECTORIES = 64

/** Tags that say how the pixels of a directory are stored, or where other parts of the file are. */
const STORAGE_TAGS: ReadonlySet<number> = new Set([
  0x100,
  0x101,
  0x102,
  0x103,
  0x106,
  0x10a,
  0x111,
  0x115,
  0x116,
  0x117,
  0x11c,
  0x13d,
  0x142,
  0x143,
  0x144,
  0x145,
  0x15b,
  THUMBNAIL_OFFSET,
  THUMBNAIL_LENGTH,
  0x211,
  0x212,
  0x213,
  0x9101,
  0xa002,
  0xa003,
  0xea1c,
  0xea1d,
  EXIF,
  GPS,
  INTEROP,
  SUB_DIRECTORIES,
])

interface Place {
  readonly name: string
  readonly at: number
}

/** Reads EXIF from its TIFF header on, and adds its items. Damaged parts become items of their own, so that they count, too. */
export async function addExif(builder: InventoryBuilder, exif: Ranges): Promise<void> {
  if (exif.size === 0) return
  const header = await readTiffHeader(exif)
  if (header) await addDirectories(builder, exif, header, { name: 'IFD0', at: header.firstAt })
  else builder.add('exif_tags', `unreadable = ${exif.size} bytes #${await digestOfRange(exif, 0, exif.size)}`)
}

/**
 * Adds the items of a directory and of those that it refers to. Directories that follow `IFD0` are `IFD1` and so on; other
 * directories (`ExifIFD`, `GPS` of a TIFF page) have no followers.
 */
async function addDirectories(builder: InventoryBuilder, file: Ranges, header: TiffHeader, start: Place): Promise<void> {
  const waiting: Place[] = [start]
  const seen = new Set<number>()
  for (let place = waiting.shift(); place; place = waiting.shift()) {
    if (seen.has(place.at) || seen.size >= MOST_DIRECTORIES) continue
    seen.add(place.at)
    const directory = await readTiffDirectory(file, header, place.at)
    if (!directory) {
      builder.add('exif_tags', `${place.name} = outside of the file`)
      continue
    }
    for (const entry of directory.entries) {
      if (isPointer(entry)) for (const pointed of await placesOf(file, header, entry)) waiting.push(pointed)
      else await addEntry(builder, file, header, place.name, entry)
    }
    await addThumbnail(builder, file, header, place.name, directory.entries)
    const followers = /^IFD(\d+)$/.exec(place.name)
    if (followers && directory.nextAt !== 0) waiting.push({ name: `IFD${Number(followers[1]) + 1}`, at: directory.nextAt })
  }
}

const POINTERS: { readonly [tag: number]: string } = {
  [EXIF]: 'ExifIFD',
  [GPS]: 'GPS',
  [INTEROP]: 'InteropIFD',
  [SUB_DIRECTORIES]: 'SubIFD',
}
const isPointer = ({ tag }: TiffEntry) => tag in POINTERS

async function placesOf(file: Ranges, header: TiffHeader, entry: TiffEntry): Promise<Place[]> {
  const name = POINTERS[entry.tag] ?? ''
  const offsets = await numbersOf(file, header, entry, MOST_DIRECTORIES)
  return offsets.map((at, i) => ({ name: i === 0 ? name : `${name}${i}`, at }))
}

/** Adds one tag, unless it only says how something is stored. */
async function addEntry(builder: InventoryBuilder, file: Ranges, header: TiffHeader, directory: string, entry: TiffEntry): Promise<void> {
  if (directory !== 'GPS' && directory !== 'InteropIFD' && STORAGE_TAGS.has(entry.tag)) return
  const name = exifTagName(directory, entry.tag)
  if (entry.tag === MAKER_NOTE && directory !== 'GPS') {
    if (!isInside(file, entry)) builder.add('maker_notes', 'maker note = outside of the file')
    else builder.add('maker_notes', `maker note = ${entry.byteLength} bytes #${await digestOfRange(file, entry.valueAt, entry.byteLength)}`)
    return
  }
  const text = await textOfEntry(file, header, entry)
  if (directory === 'GPS') builder.add('gps_tags', `${name} = ${text}`)
  else builder.add('exif_tags', `${directory}:${name} = ${text}`)
}

/** Adds the thumbnail that a directory stores by offset and length. */
async function addThumbnail(
  builder: InventoryBuilder,
  file: Ranges,
  header: TiffHeader,
  directory: string,
  entries: readonly TiffEntry[],
): Promise<void> {
  const firstOf = async (tag: number) => {
    const entry = entries.find((one) => one.tag === tag)
    return entry && (await numbersOf(file, header, entry, 1))[0]
  }
  const [at, length] = [await firstOf(THUMBNAIL_OFFSET), await firstOf(THUMBNAIL_LENGTH)]
  if (at === undefined || !length) return
  const isThere = at + length <= file.size
  builder.add(
    'further_pictures',
    `${directory} thumbnail = ${isThere ? `${length} bytes #${await digestOfRange(file, at, length)}` : 'outside of the file'}`,
  )
}
