/**
 * Inventory reader for TIFF, BigTIFF and GeoTIFF: pages, directories, tags, EXIF, GeoKeys, trailing bytes. It reads ranges. Pixels are no
 * items: the codec compares them.
 */
import type { Source } from '../model/codec.ts'
import { ItemCollector } from './collector.ts'
import { FileView } from './file-view.ts'
import type { InventoryReader } from './inventory.ts'
import { Extent } from './tiff/extent.ts'
import { Pages } from './tiff/pages.ts'
import { digestOfRange, readTiffHeader } from './tiff-directory.ts'

const ZERO_SCAN_BYTES = 64 * 1024

export const TIFF_READER: InventoryReader = { read }

async function read(source: Source, signal: AbortSignal) {
  const view = new FileView(source, 'tiff', signal)
  const header = await readTiffHeader(view)
  if (!header) throw view.malformed(0)
  const items = new ItemCollector()
  const extent = await Extent.of(view, header)
  if ((await new Pages(view, header, items, extent).read()) === 0) throw view.malformed(header.firstAt)
  const length = view.size - extent.end
  if (length > 0 && !(await isZero(view, extent.end)))
    items.add('trailing_bytes', `after the last directory = ${length} bytes #${await digestOfRange(view, extent.end, length)}`)
  return items.build()
}

/** True if only zeros follow, which some writers leave as padding. */
async function isZero(view: FileView, at: number): Promise<boolean> {
  for (; at < view.size; at += ZERO_SCAN_BYTES) if ((await view.bytesUpTo(at, ZERO_SCAN_BYTES)).some((byte) => byte !== 0)) return false
  return true
}
