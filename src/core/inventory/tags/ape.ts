/** Reads APEv2 tags ("APE Tags Specification", Hydrogenaudio). */
import { latin1Of } from '../../bytes/latin1.ts'
import type { InventoryBuilder } from '../inventory.ts'
import { digestText } from '../media/digests.ts'
import { le32, nameAt, textOf } from '../media/numbers.ts'
import { commentName } from './names.ts'
import { pictureText } from './pictures.ts'

export const APE_FOOTER_BYTES = 32
const MAX_ITEMS = 10_000
const HAS_HEADER = 0x80000000

/** Size of an APE tag by its footer, with header and footer. 0: no tag. */
export function apeSize(footer: Uint8Array): number {
  if (footer.length < APE_FOOTER_BYTES || nameAt(footer, 0, 8) !== 'APETAGEX') return 0
  return le32(footer, 12) + (le32(footer, 20) >= HAS_HEADER ? APE_FOOTER_BYTES : 0)
}

/** Adds the items of a tag. `tag`: its items with the footer, without the header. */
export function readApe(tag: Uint8Array, items: InventoryBuilder): void {
  const count = Math.min(MAX_ITEMS, le32(tag, tag.length - APE_FOOTER_BYTES + 16))
  let at = 0
  for (let i = 0; i < count && at + 9 < tag.length - APE_FOOTER_BYTES; i++) {
    const [size, flags] = [le32(tag, at), le32(tag, at + 4)]
    const end = tag.indexOf(0, at + 8)
    if (end < 0) return
    const key = latin1Of(tag.subarray(at + 8, end))
    const value = tag.subarray(end + 1, end + 1 + size)
    const isText = ((flags >> 1) & 3) === 0
    if (/^cover art/i.test(key)) items.add('covers', `${key.toLowerCase()} = ${pictureText(value.subarray(value.indexOf(0) + 1))}`)
    else items.add('tags', `${commentName(key)} = ${isText ? textOf(value).replaceAll('\0', '; ') : digestText(value)}`)
    at = end + 1 + size
  }
}
