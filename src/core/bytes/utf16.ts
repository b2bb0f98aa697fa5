/** Returns the text as UTF-16, the lower byte of each unit first. */
export function utf16Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length * 2)
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    bytes[2 * at] = unit
    bytes[2 * at + 1] = unit >> 8
  }
  return bytes
}
