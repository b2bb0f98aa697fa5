/** Decodes quoted-printable attachments (RFC 2045, 6.7) and encodes them again with lines of the same length. */

import { latin1Bytes } from '../../bytes/latin1.ts'
import { FLUSH_CHARACTERS } from './tuning.ts'

export interface QuotedShape {
  /** Longest line in characters, without its line break. */
  readonly lineLength: number
  readonly lineBreak: string
  /** Text after the last byte: nothing, a line break, or a trailing `=`. */
  readonly tail: string
}

export interface QuotedBody extends QuotedShape {
  readonly bytes: Uint8Array
}

const [TAB, LF, CR, SPACE, EQUALS, TILDE] = [0x09, 0x0a, 0x0d, 0x20, 0x3d, 0x7e]
/** Longest encoded line in characters (RFC 2045, 6.7, rule 5). */
const MOST_LINE = 76
/** Characters. A line must have space for an escape and the `=` of a soft line break. */
const LEAST_LINE = 8

/**
 * Decodes a quoted-printable body.
 * @param length upper bound for the bytes of `body`
 * @returns `undefined` if decoders disagree about the body: bytes that need an escape, broken escapes, white space before a line break,
 * mixed line breaks
 */
export async function readQuotedPrintable(body: AsyncIterable<Uint8Array>, length: number): Promise<QuotedBody | undefined> {
  const decoder = new Decoder(length)
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; at++) if (!decoder.push(chunk[at]!)) return undefined
  }
  return decoder.finish()
}

class Decoder {
  readonly #bytes: Uint8Array
  #filled = 0
  /** Characters of the current quoted-printable escape, including `=`. */
  #escape = ''
  #isCarriage = false
  #last = 0
  #column = 0
  #longest = 0
  #lineBreak: string | undefined

  constructor(length: number) {
    this.#bytes = new Uint8Array(length)
  }

  /** Decodes one byte. Returns false if decoders would disagree about the body. */
  push(byte: number): boolean {
    if (this.#isCarriage && byte !== LF) return false
    if (byte === CR) {
      this.#isCarriage = true
      return true
    }
    if (byte === LF) return this.#endLine()
    this.#column++
    if (this.#escape !== '') return this.#escaped(byte)
    if (byte === EQUALS) {
      this.#escape = '='
      return true
    }
    if (byte !== TAB && (byte < SPACE || byte > TILDE)) return false
    this.#write(byte)
    return true
  }

  finish(): QuotedBody | undefined {
    if (this.#isCarriage || this.#escape.length > 1 || this.#isBlank()) return undefined
    this.#longest = Math.max(this.#longest, this.#column)
    const lineLength = Math.min(MOST_LINE, Math.max(LEAST_LINE, this.#longest))
    return { bytes: this.#bytes.subarray(0, this.#filled), lineLength, lineBreak: this.#lineBreak ?? '\r\n', tail: this.#escape }
  }

  #write(byte: number): void {
    this.#bytes[this.#filled++] = byte
    this.#last = byte
  }

  #escaped(byte: number): boolean {
    this.#escape += String.fromCharCode(byte)
    if (this.#escape.length < 3) return true
    if (!/^=[0-9a-f]{2}$/i.test(this.#escape)) return false
    this.#write(Number.parseInt(this.#escape.slice(1), 16))
    // An escaped space does not count as white space at the end of the line.
    this.#last = 0
    this.#escape = ''
    return true
  }

  /** Ends a line. A hard line break is decoded as the same line break of the file, as decoders do. */
  #endLine(): boolean {
    const lineBreak = this.#isCarriage ? '\r\n' : '\n'
    this.#lineBreak ??= lineBreak
    if (lineBreak !== this.#lineBreak || this.#escape.length > 1) return false
    this.#longest = Math.max(this.#longest, this.#column)
    this.#column = 0
    this.#isCarriage = false
    if (this.#escape === '=') {
      this.#escape = ''
      return true
    }
    if (this.#isBlank()) return false
    for (const character of lineBreak) this.#write(character.charCodeAt(0))
    this.#last = 0
    return true
  }

  #isBlank = () => this.#last === SPACE || this.#last === TAB
}

/** Characters that are escaped at the start of a line: "." (end of message in SMTP), "-" (boundary) and "F" ("From " in mailbox files). */
const ESCAPED_FIRST: ReadonlySet<number> = new Set([...'.-F'].map((letter) => letter.charCodeAt(0)))

const hex = Array.from({ length: 256 }, (_, byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`)

/** Encodes `bytes` with the line length of `shape`. Line breaks in the bytes are escaped, so that readers do not convert them. */
export function* writeQuotedPrintable({ lineLength, lineBreak, tail }: QuotedShape, bytes: Uint8Array): Generator<Uint8Array> {
  let [text, column] = ['', 0]
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    const isPlain = byte > SPACE && byte <= TILDE && byte !== EQUALS
    const token = (first: boolean) => (isPlain && !(first && ESCAPED_FIRST.has(byte)) ? String.fromCharCode(byte) : hex[byte]!)
    let next = token(column === 0)
    // Keep one character for the `=` of a soft line break, except after the last byte.
    if (column > 0 && column + next.length > lineLength - (at + 1 < bytes.length ? 1 : tail.length)) {
      text += `=${lineBreak}`
      column = 0
      next = token(true)
    }
    text += next
    column += next.length
    if (text.length < FLUSH_CHARACTERS) continue
    yield latin1Bytes(text)
    text = ''
  }
  yield latin1Bytes(text + tail)
}

/** Approximate size of the output of `writeQuotedPrintable`, without line breaks. */
export function quotedBytes(bytes: Uint8Array): number {
  let total = 0
  for (let at = 0; at < bytes.length; at++) total += bytes[at]! > SPACE && bytes[at]! <= TILDE && bytes[at] !== EQUALS ? 1 : 3
  return total
}
