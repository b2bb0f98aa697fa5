/** Multi-Picture index of a JPEG file (CIPA DC-007): the further pictures that it lists. */
import type { FileView } from './file-view.ts'
import type { InventoryBuilder } from './inventory.ts'
import { rangesOf } from './ranges.ts'
import { digestOfRange, isInside, readTiffDirectory, readTiffHeader } from './tiff-directory.ts'

const TAG_ENTRIES = 0xb002
const ENTRY_BYTES = 16
/** Most pictures that are listed. Real files have fewer than ten. */
const MOST_PICTURES = 1000

interface Index {
  /** Offset in the file of the TIFF header, from which offsets of pictures count (CIPA DC-007, 5.2.3.3.3). */
  readonly at: number
  /** Segment from its TIFF header on. */
  readonly content: Uint8Array
}

/**
 * Adds one item per picture of the index, with its type and the digest of the bytes that the index points at. The first picture is the
 * main one, whose size changes. A wrong offset in the result is therefore found.
 */
export async function addMultiPicture(builder: InventoryBuilder, view: FileView, { at, content }: Index): Promise<void> {
  const add = (item: string) => builder.add('further_pictures', item)
  const entries = await entriesOf(content)
  if (!entries) return builder.addBytes('further_pictures', 'unreadable index of pictures', content)
  add(`pictures in the index = ${entries.length}`)
  for (const [number, { attributes, size, offset }] of entries.entries()) {
    const type = (attributes & 0xffffff).toString(16).padStart(6, '0')
    const from = at + offset
    if (number === 0 || offset === 0) add(`picture ${number} = type ${type}`)
    else if (from + size > view.size) add(`picture ${number} = type ${type}, outside of the file`)
    else add(`picture ${number} = type ${type}, ${size} bytes #${await digestOfRange(view, from, size)}`)
  }
}

async function entriesOf(content: Uint8Array) {
  const tiff = rangesOf(content)
  const header = await readTiffHeader(tiff)
  const directory = header && (await readTiffDirectory(tiff, header, header.firstAt))
  const entry = directory?.entries.find(({ tag }) => tag === TAG_ENTRIES)
  if (!header || !entry || !isInside(tiff, entry) || entry.count % ENTRY_BYTES !== 0 || entry.count === 0) return undefined
  const { littleEndian } = header
  const view = new DataView(content.buffer, content.byteOffset + entry.valueAt, entry.count)
  const count = Math.min(MOST_PICTURES, entry.count / ENTRY_BYTES)
  return Array.from({ length: count }, (_, i) => ({
    attributes: view.getUint32(i * ENTRY_BYTES, littleEndian),
    size: view.getUint32(i * ENTRY_BYTES + 4, littleEndian),
    offset: view.getUint32(i * ENTRY_BYTES + 8, littleEndian),
  }))
}
