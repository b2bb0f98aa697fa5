/** Pictures as hexadecimal digits in lines. */
import { hex } from '../../bytes/hex.ts'
import { latin1Bytes, latin1Of } from '../../bytes/latin1.ts'
import { HEX_CHUNK_BYTES } from './tuning.ts'

/** Layout of hexadecimal data. */
export interface HexLayout {
  readonly isUpperCase: boolean
  /** Bytes of a picture in a line, at least 1. Infinite: there is one line. */
  readonly bytesPerLine: number
  readonly lineBreak: string
}

/** Returns the layout of data by its first bytes. */
export function layoutOf(head: Uint8Array): HexLayout {
  const text = latin1Of(head)
  const [, digits = '', lineBreak = ''] = /^([0-9a-fA-F]+)[ \t]*(\r?\n)/.exec(text) ?? []
  const isWhole = digits.length > 0 && digits.length % 2 === 0
  return { isUpperCase: /[A-F]/.test(text), bytesPerLine: isWhole ? digits.length / 2 : Number.POSITIVE_INFINITY, lineBreak }
}

/** Bytes of a picture of `length` bytes in a layout. */
export const hexLength = (length: number, { bytesPerLine, lineBreak }: HexLayout): number =>
  2 * length + Math.max(0, Math.ceil(length / bytesPerLine) - 1) * lineBreak.length

/** Yields a picture as hexadecimal digits. */
export function* writeHex(bytes: Uint8Array, { isUpperCase, bytesPerLine, lineBreak }: HexLayout): Generator<Uint8Array> {
  const line = Number.isFinite(bytesPerLine) ? bytesPerLine : HEX_CHUNK_BYTES
  const separator = Number.isFinite(bytesPerLine) ? lineBreak : ''
  const step = line * Math.max(1, Math.floor(HEX_CHUNK_BYTES / line))
  for (let at = 0; at < bytes.length; at += step) {
    const lines: string[] = []
    const end = Math.min(bytes.length, at + step)
    for (let from = at; from < end; from += line) lines.push(hex(bytes.subarray(from, Math.min(end, from + line))))
    const text = lines.join(separator) + (end < bytes.length ? separator : '')
    yield latin1Bytes(isUpperCase ? text.toUpperCase() : text)
  }
}

const NONE = 255
const VALUE = new Uint8Array(256).fill(NONE)
for (const [value, letters] of ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'aA', 'bB', 'cC', 'dD', 'eE', 'fF'].entries())
  for (const letter of letters) VALUE[letter.charCodeAt(0)] = value

/** Decodes the digits of `chunks`, which have `length` bytes together, and skips white space. */
export async function readHex(chunks: AsyncIterable<Uint8Array>, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length)
  let digits = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at++) {
      const value = VALUE[chunk[at]!]!
      if (value === NONE) continue
      const index = digits >> 1
      bytes[index] = digits % 2 === 0 ? value << 4 : bytes[index]! | value
      digits++
    }
  }
  return bytes
}
