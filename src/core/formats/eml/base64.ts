/** Decodes base64 bodies (RFC 2045, 6.8) and encodes them again with the same lines, in pieces. */

import { base64Of } from '../../bytes/base64.ts'
import { latin1Bytes } from '../../bytes/latin1.ts'
import { LINES_AT_ONCE, MAX_TAIL_CHARACTERS } from './tuning.ts'

/** Line layout of a base64 body. */
export interface Base64Shape {
  /** Characters a line, the line break, and the text after the last character. */
  readonly lineLength: number
  readonly lineBreak: string
  readonly tail: string
}

export interface Base64Body extends Base64Shape {
  readonly bytes: Uint8Array
}

const NONE = 255
const PAD = 254
const SPACE = 253
const VALUE = new Uint8Array(256).fill(NONE)
for (const [value, letter] of [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'].entries())
  VALUE[letter.charCodeAt(0)] = value
VALUE[0x3d] = PAD
for (const space of ' \t\r\n') VALUE[space.charCodeAt(0)] = SPACE

/**
 * Decodes a base64 body.
 * @param length upper bound for the bytes of `body`
 * @returns `undefined` if lines differ in length or other characters occur, because the body could not be reproduced
 */
export async function readBase64(body: AsyncIterable<Uint8Array>, length: number): Promise<Base64Body | undefined> {
  const bytes = new Uint8Array(Math.ceil(length / 4) * 3)
  let [filled, bits, count, pads, column] = [0, 0, 0, 0, 0]
  let lineLength: number | undefined
  let lineBreak: string | undefined
  let blank = ''
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at++) {
      const value = VALUE[chunk[at]!]!
      if (value === SPACE) {
        blank += String.fromCharCode(chunk[at]!)
        if (blank.length > MAX_TAIL_CHARACTERS) return undefined
        continue
      }
      if (value === NONE) return undefined
      if (blank !== '') {
        lineLength ??= column
        lineBreak ??= blank
        if (blank !== lineBreak || column !== lineLength || lineLength === 0) return undefined
        blank = ''
        column = 0
      }
      column++
      count++
      if (value === PAD) {
        pads++
        continue
      }
      if (pads > 0) return undefined
      bits = (bits << 6) | value
      if (count % 4 === 0) {
        bytes[filled++] = bits >> 16
        bytes[filled++] = bits >> 8
        bytes[filled++] = bits
        bits = 0
      }
    }
  }
  if (count === 0 || count % 4 !== 0 || pads > 2 || column > (lineLength ?? column)) return undefined
  if (lineBreak !== undefined && lineBreak !== '\n' && lineBreak !== '\r\n') return undefined
  if ((lineLength ?? column) % 4 !== 0) return undefined
  // RFC 4648, 3.5: unused bits must be zero, otherwise they could not be reproduced.
  if (pads === 1) {
    if (bits & 3) return undefined
    bytes[filled++] = bits >> 10
    bytes[filled++] = bits >> 2
  } else if (pads === 2) {
    if (bits & 15) return undefined
    bytes[filled++] = bits >> 4
  }
  return { bytes: bytes.subarray(0, filled), lineLength: lineLength ?? column, lineBreak: lineBreak ?? '\r\n', tail: blank }
}

/** Encodes `bytes` with the line layout of a base64 body. */
export function* writeBase64({ lineLength, lineBreak, tail }: Base64Shape, bytes: Uint8Array): Generator<Uint8Array> {
  const step = (lineLength / 4) * 3 * Math.max(1, Math.floor((LINES_AT_ONCE * 76) / lineLength))
  for (let at = 0; at < bytes.length; at += step) {
    const packed = base64Of(bytes.subarray(at, at + step))
    const lines: string[] = []
    for (let from = 0; from < packed.length; from += lineLength) lines.push(packed.slice(from, from + lineLength))
    yield latin1Bytes(lines.join(lineBreak) + (at + step < bytes.length ? lineBreak : tail))
  }
}
