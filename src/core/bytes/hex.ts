/** Both digits of each byte. */
const DIGITS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Returns the bytes in lower-case hexadecimal. */
export function hex(bytes: ArrayBuffer | Uint8Array): string {
  let text = ''
  for (const byte of bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes)) text += DIGITS[byte]
  return text
}

/** Returns the bytes of hexadecimal digits, up to the first pair that is none. */
export function bytesOfHex(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length >> 1)
  for (let at = 0; at < bytes.length; at++) {
    const value = digit(text.charCodeAt(2 * at)) * 16 + digit(text.charCodeAt(2 * at + 1))
    if (Number.isNaN(value)) return bytes.slice(0, at)
    bytes[at] = value
  }
  return bytes
}

/** Value of a digit 0–9, A–F or a–f. NaN: the character is none. */
function digit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x61 + 10 : Number.NaN
}
