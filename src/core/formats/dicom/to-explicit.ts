/**
 * Converts implicit and big-endian data sets to explicit little endian. Headers are rewritten; values keep their bytes or have their words
 * swapped.
 */

import { concat } from '../../bytes/concat.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { message } from '../../i18n/message.ts'
import { unsupported } from '../../model/error.ts'
import { type Element, type ElementReader, ITEM, ITEM_END, SEQUENCE_END, UNDEFINED_LENGTH } from './elements.ts'
import { MAX_DEPTH } from './tuning.ts'
import { LONG_VRS, wordBytes } from './vr.ts'

/**
 * Converts elements `at` to `end` of a data set. Group lengths (retired, PS3.5, 7.2) stay and count the new bytes; `beforePixels` sets
 * Pixel Data's. Sequences of explicit files keep defined or undefined length; those of implicit files get undefined length.
 */
export function toExplicit(reader: ElementReader, at: number, end: number, depth = 0): Uint8Array {
  if (depth > MAX_DEPTH) throw unsupported(message('sequences_nested_deeper', { limit: MAX_DEPTH }))
  const out: Uint8Array[] = []
  let counted: { group: number; value: Uint8Array; bytes: number } | undefined
  const setLength = () => counted && new ByteWriter(counted.value, true).u32(counted.bytes)
  while (at < end) {
    const element = reader.element(at, 1)
    const group = element.tag >>> 16
    if (group !== counted?.group) {
      setLength()
      counted = undefined
    }
    if (!counted && isGroupLength(element)) {
      counted = { group, value: new Uint8Array(4), bytes: 0 }
      out.push(explicitHeader(element.tag, 'UL', 4), counted.value)
    } else {
      for (const bytes of convert(reader, element, depth)) {
        out.push(bytes)
        if (counted) counted.bytes += bytes.length
      }
    }
    at = element.end
  }
  setLength()
  return concat(out)
}

/** True for a group length element of four bytes. A group length of another size is copied like any other element. */
export const isGroupLength = ({ tag, vr, valueAt, end }: Element): boolean => (tag & 0xffff) === 0 && vr === 'UL' && end - valueAt === 4

/** Header of an explicit little-endian element (PS3.5, 7.1.2). A value too long for its VR becomes UN (6.2.2, note 5). */
export function explicitHeader(tag: number, vr: string, length: number): Uint8Array {
  if (!LONG_VRS.has(vr) && length > 0xffff) vr = 'UN'
  const long = LONG_VRS.has(vr)
  const header = tagged(long ? 12 : 8, tag).ascii(vr)
  return (long ? header.at(8).u32(length) : header.at(6).u16(length)).finish()
}

/** Header of an item or delimiter (PS3.5, 7.5), little endian. */
export function itemHeader(tag: number, length: number): Uint8Array {
  return tagged(8, tag).u32(length).finish()
}

/** Starts a header of `bytes` bytes with group and element number. */
const tagged = (bytes: number, tag: number) => new ByteWriter(new Uint8Array(bytes), true).u16(tag >>> 16).u16(tag)

function convert(reader: ElementReader, element: Element, depth: number): Uint8Array[] {
  const { tag, vr, undefinedLength } = element
  if (vr === 'SQ') {
    const items = concat([...convertItems(reader, element, depth)])
    if (undefinedLength) return [explicitHeader(tag, 'SQ', UNDEFINED_LENGTH), items]
    // In implicit files every nested length would change, and readers of raw values would notice. Undefined length avoids this.
    if (reader.encoding.explicit || items.length === 0) return [explicitHeader(tag, 'SQ', items.length), items]
    return [explicitHeader(tag, 'SQ', UNDEFINED_LENGTH), items, itemHeader(SEQUENCE_END, 0)]
  }
  const value = reader.bytes.subarray(element.valueAt, element.end)
  if (undefinedLength) {
    // UN of undefined length is read as implicit little endian, so its items are copied unchanged.
    if (vr !== 'UN' || !reader.encoding.littleEndian) throw unsupported(message('value_of_undefined_length', { vr, at: element.at }))
    return [explicitHeader(tag, 'UN', UNDEFINED_LENGTH), value]
  }
  return [explicitHeader(tag, vr, value.length), reader.encoding.littleEndian ? value : swapWords(value, wordBytes(vr))]
}

function* convertItems(reader: ElementReader, sequence: Element, depth: number): Generator<Uint8Array> {
  const signed = reader.signed
  for (const item of reader.items(sequence)) {
    const content = toExplicit(reader, item.contentAt, item.contentEnd, depth + 1)
    yield itemHeader(ITEM, item.undefinedLength ? UNDEFINED_LENGTH : content.length)
    yield content
    if (item.undefinedLength) yield itemHeader(ITEM_END, 0)
    reader.signed = signed
  }
  if (sequence.undefinedLength) yield itemHeader(SEQUENCE_END, 0)
}

/** Returns a copy with the bytes of each word in reverse order. */
export function swapWords(value: Uint8Array, word: number): Uint8Array {
  if (word === 1) return value
  if (value.length % word !== 0) throw unsupported(message('value_of_bytes_in_words', { size: value.length, word }))
  const copy = new Uint8Array(value.length)
  for (let i = 0; i < value.length; i += word) for (let j = 0; j < word; j++) copy[i + j] = value[i + word - 1 - j]!
  return copy
}
