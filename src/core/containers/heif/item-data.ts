/** Reads the data of HEIF items. */
import { concat } from '../../bytes/concat.ts'
import { message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../model/error.ts'
import type { HeifExtent, HeifFile } from './meta.ts'

/** Places of an item in the file, after all checks. Data of an `idat` box is inside of the file, too. */
export function extentsOf(source: Source, file: HeifFile, id: number): HeifExtent[] {
  const item = file.items.get(id)
  const place = file.places.get(id)
  if (!item || !place || place.extents.length === 0) throw malformed('heif', 0, message('heif_no_such_item', { id }))
  if (item.isProtected) throw unsupported('heif_item_is_encrypted')
  const { method, dataReference, extents } = place
  if (method > 1 || dataReference !== 0) throw unsupported(message('heif_data_elsewhere', { id }))
  const { itemData } = file
  const [base, limit] = method === 0 ? [0, source.size] : [itemData?.fileOffset ?? 0, itemData?.length ?? 0]
  return extents.map(({ offset, length }) => {
    // A length of 0 means all that follows (8.11.3.3).
    const bytes = length === 0 ? limit - offset : length
    if (bytes <= 0 || offset + bytes > limit) throw malformed('heif', base + offset, message('heif_data_outside_file', { id }))
    return { offset: base + offset, length: bytes }
  })
}

/** Length of an item's data in bytes. */
export const itemBytes = (source: Source, file: HeifFile, id: number): number =>
  extentsOf(source, file, id).reduce((sum, { length }) => sum + length, 0)

/** Returns the data of an item. @param most most bytes. A longer item is `over_budget` */
export async function readItem(source: Source, file: HeifFile, id: number, most: number): Promise<Uint8Array> {
  const extents = extentsOf(source, file, id)
  const bytes = extents.reduce((sum, { length }) => sum + length, 0)
  if (bytes > most) throw overBudget(message('heif_item_too_large', { id, bytes, limit: most }))
  const parts: Uint8Array[] = []
  for (const { offset, length } of extents) {
    const part = await source.read(offset, length)
    if (part.length < length) throw malformed('heif', offset, message('heif_data_outside_file', { id }))
    parts.push(part.slice())
  }
  return parts.length === 1 ? parts[0]! : concat(parts)
}
