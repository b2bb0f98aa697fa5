/** Converts between bytes and text whose characters have the code of their byte (ISO 8859-1). */

/** Bytes of one string. Shorter ones are not faster in any engine. */
const PART_BYTES = 16_384
/** Characters of one call, because the number of arguments is limited by the stack. */
const MOST_ARGUMENTS = 4096
/** Bytes from which the decoder of the platform is faster. */
const DECODED_BYTES = 256

const decoder = new TextDecoder()

/** Returns the text of the bytes. */
export function latin1Of(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PART_BYTES) {
    const part = bytes.subarray(at, at + PART_BYTES)
    // ASCII is the same in UTF-8. A decoder for "latin1" would be one for windows-1252 (Encoding Standard, 4.2).
    text += part.length >= DECODED_BYTES && isAscii(part) ? decoder.decode(part) : ofCodes(part)
  }
  return text
}

/** Returns the bytes of the text. Of other characters, the lowest eight bits are used. */
export function latin1Bytes(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}

function isAscii(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at++) if (bytes[at]! > 127) return false
  return true
}

/** `apply` takes the bytes as they are. A spread would be six times slower. */
function ofCodes(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += MOST_ARGUMENTS)
    text += Reflect.apply(String.fromCharCode, undefined, bytes.subarray(at, at + MOST_ARGUMENTS))
  return text
}
