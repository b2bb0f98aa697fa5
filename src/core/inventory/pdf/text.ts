/** Text strings of PDF (ISO 32000-2, 7.9.2): UTF-16, UTF-8 or PDFDocEncoding. */
import type { PdfString } from './values.ts'

/** Characters of PDFDocEncoding that are not Latin-1 (ISO 32000-2, annex D.3), from code 0x18 and from code 0x80. */
const FROM_18 = '˘ˇˆ˙˝˛˚˜'
const FROM_80 = '•†‡…—–ƒ⁄‹›−‰„“”‘’‚™ﬁﬂŁŒŠŸŽıłœšž'
const EURO = 0xa0

/** Decodes a text string. Bytes without a character keep their code, so that different strings stay different. */
export function textOf({ bytes }: PdfString): string {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return utf16(bytes, 0)
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return utf16(bytes, 1)
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return new TextDecoder().decode(bytes.subarray(3))
  let text = ''
  for (const byte of bytes) text += FROM_18[byte - 0x18] ?? FROM_80[byte - 0x80] ?? (byte === EURO ? '€' : String.fromCharCode(byte))
  return text
}

/** Decodes one character per byte. Only ASCII characters are exact, so the text is for searches. */
export const asciiOf = (bytes: Uint8Array): string => ASCII.decode(bytes)

const ASCII = new TextDecoder('latin1')

/** `high`: index of the high byte of each pair: 0 for big-endian, 1 for little-endian. */
function utf16(bytes: Uint8Array, high: 0 | 1): string {
  let text = ''
  for (let at = 2; at + 1 < bytes.length; at += 2) text += String.fromCharCode(bytes[at + high]! * 256 + bytes[at + 1 - high]!)
  return text
}

/** Number in one spelling, with at most 4 digits after the point. */
export const numberText = (value: number): string => String(Number(value.toFixed(4)) + 0)
