import { digestOf } from '../digest.ts'
import type { FileView } from '../file-view.ts'
import { isInside, numbersOf, type TiffEntry, type TiffHeader, textOfEntry } from '../tiff-directory.ts'

const ASCII = 2
const FRACTIONAL_TYPES = [5, 10, 11, 12]
/** Most numbers that are listed; more appear as a digest. */
const MAX_LISTED = 32
const MAX_TEXT_BYTES = 64 * 1024

/**
 * Describes the value of a tag like `textOfEntry`, but numbers keep all digits, because coordinates need them, and texts that differ only
 * in white space differ.
 */
export async function tagText(view: FileView, header: TiffHeader, entry: TiffEntry): Promise<string> {
  if (isInside(view, entry)) {
    if (FRACTIONAL_TYPES.includes(entry.type) && entry.count <= MAX_LISTED)
      return (await numbersOf(view, header, entry, MAX_LISTED)).join(' ')
    if (entry.type === ASCII && entry.byteLength <= MAX_TEXT_BYTES)
      return exactText(await view.bytes(entry.valueAt, entry.byteLength), await textOfEntry(view, header, entry))
  }
  return textOfEntry(view, header, entry)
}

/** Adds a digest to a text that an inventory would shorten. One zero byte ends a text and is no part of it. */
function exactText(bytes: Uint8Array, text: string): string {
  const isPlain = text === text.replace(/\s+/g, ' ').trim() && bytes.indexOf(0) >= bytes.length - 1
  return isPlain ? text : `${text} (${bytes.length} bytes #${digestOf(bytes)})`
}
