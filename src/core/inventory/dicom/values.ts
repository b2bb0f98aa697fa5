/** Values of data elements as text. The text does not depend on the value representation (VR), because implicit files do not name it. */
import { hex } from '../../bytes/hex.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { digestOf } from '../digest.ts'

const WORD_BYTES: { readonly [vr: string]: 2 | 4 | 8 } = {
  ...{ AT: 2, OW: 2, SS: 2, US: 2 },
  ...{ FL: 4, OF: 4, OL: 4, SL: 4, UL: 4 },
  ...{ FD: 8, OD: 8, OV: 8, SV: 8, UV: 8 },
}

/** Bytes of a word, which big-endian files store in reverse order (PS3.5, 7.3). An AT value has two words of 16 bits. */
export const wordBytesOf = (vr: string): number => WORD_BYTES[vr] ?? 1

/** Returns the bytes with those of each word in reverse order, in a copy. A last part of a word stays as it is. */
export function swapped(bytes: Uint8Array, wordBytes: number): Uint8Array {
  if (wordBytes === 1) return bytes
  const copy = bytes.slice()
  for (let at = 0; at + wordBytes <= copy.length; at += wordBytes) copy.subarray(at, at + wordBytes).reverse()
  return copy
}

const MAX_HEX_BYTES = 16

/** Describes a little-endian value. Equal texts mean equal bytes, except for one space that pads a text to an even length. */
export function valueText(bytes: Uint8Array): string {
  if (bytes.length === 0) return 'empty'
  const last = bytes.length - 1
  const isText = bytes.every((byte, at) => (byte >= 0x20 && byte < 0x7f) || (byte === 0 && at === last && at > 1))
  if (!isText) return bytes.length <= MAX_HEX_BYTES ? `0x${hex(bytes)}` : digestText(bytes)
  const text = bytes[last] === 0 ? `${latin1Of(bytes.subarray(0, last))}\\0` : latin1Of(bytes).replace(/ $/, '')
  // Inventories fold white space, so a digest tells texts apart that differ only there.
  return text !== '' && text === text.replace(/ +/g, ' ').trim() ? text : `${text} (${digestText(bytes)})`
}

const digestText = (bytes: Uint8Array) => `${bytes.length} bytes #${digestOf(bytes)}`
