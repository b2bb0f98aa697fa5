/** Base64 (RFC 4648). */
import { latin1Of } from './latin1.ts'

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const PAD = 0x3d
const CODES = Uint8Array.from(LETTERS, (letter) => letter.charCodeAt(0))
const NONE = 255
/** Values of the letters, also of those of the alphabet for URLs (RFC 4648, section 5). */
const VALUES = new Uint8Array(128).fill(NONE)
for (const [value, code] of CODES.entries()) VALUES[code] = value
VALUES['-'.charCodeAt(0)] = 62
VALUES['_'.charCodeAt(0)] = 63

/** Returns the bytes as base64 with padding. */
export function base64Of(bytes: Uint8Array): string {
  const text = new Uint8Array(Math.ceil(bytes.length / 3) * 4).fill(PAD)
  let to = 0
  let at = 0
  for (; at + 3 <= bytes.length; at += 3) {
    const bits = (bytes[at]! << 16) | (bytes[at + 1]! << 8) | bytes[at + 2]!
    text[to++] = CODES[bits >> 18]!
    text[to++] = CODES[(bits >> 12) & 63]!
    text[to++] = CODES[(bits >> 6) & 63]!
    text[to++] = CODES[bits & 63]!
  }
  const left = bytes.length - at
  if (left > 0) {
    const bits = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8)
    text[to++] = CODES[bits >> 18]!
    text[to++] = CODES[(bits >> 12) & 63]!
    if (left === 2) text[to] = CODES[(bits >> 6) & 63]!
  }
  return latin1Of(text)
}

/** Returns the bytes of base64 of either alphabet, with or without padding. Ends at the first `=` and skips other characters. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil((text.length * 3) / 4))
  let filled = 0
  let [bits, count] = [0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === PAD) break
    const value = VALUES[code] ?? NONE
    if (value === NONE) continue
    bits = ((bits << 6) | value) & 0xffffff
    const place = count++ % 4
    // The second, third and fourth letter of a group complete a byte each.
    if (place > 0) bytes[filled++] = bits >> (6 - 2 * place)
  }
  return bytes.slice(0, filled)
}
