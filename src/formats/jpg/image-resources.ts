/** Photoshop's image resources, of which IPTC is one: in an EXIF block, where other containers have no place of their own. */

import { firstDirectory } from '../../raster/exif.ts'

/** ImageResources (Adobe Photoshop TIFF Technical Notes, 22 March 2002); readers of metadata look for IPTC there, too. */
const TAG_IMAGE_RESOURCES = 34377
const TYPE_BYTE = 1
const ENTRY_BYTES = 12
/** A block without entries (TIFF 6.0, section 2), big-endian. */
const EMPTY_EXIF = new Uint8Array([0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0])

/**
 * `exif` from its TIFF header on, with `resources` in its first directory, which is written anew at the end: nothing else
 * moves. undefined where the block is damaged, or has such an entry already.
 */
export function withImageResources(exif: Uint8Array = EMPTY_EXIF, resources: Uint8Array): Uint8Array | undefined {
  const old = firstDirectory(exif)
  if (!old || resources.length <= 4) return undefined
  const { view: before, little, at: first, count } = old
  const end = first + 2 + count * ENTRY_BYTES
  if (end + 4 > exif.length) return undefined
  const tags = Array.from({ length: count }, (_, i) => before.getUint16(first + 2 + i * ENTRY_BYTES, little))
  if (tags.includes(TAG_IMAGE_RESOURCES)) return undefined
  const greater = tags.findIndex((tag) => tag > TAG_IMAGE_RESOURCES)
  const place = first + 2 + (greater < 0 ? count : greater) * ENTRY_BYTES

  const directory = exif.length + (exif.length & 1)
  const data = directory + 2 + (count + 1) * ENTRY_BYTES + 4
  const out = new Uint8Array(data + resources.length)
  const view = new DataView(out.buffer)
  out.set(exif)
  view.setUint32(4, directory, little)
  view.setUint16(directory, count + 1, little)
  const entry = directory + place - first
  out.set(exif.subarray(first + 2, place), directory + 2)
  view.setUint16(entry, TAG_IMAGE_RESOURCES, little)
  view.setUint16(entry + 2, TYPE_BYTE, little)
  view.setUint32(entry + 4, resources.length, little)
  view.setUint32(entry + 8, data, little)
  out.set(exif.subarray(place, end + 4), entry + ENTRY_BYTES)
  out.set(resources, data)
  return out
}
