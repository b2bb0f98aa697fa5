/**
 * Parser for PDF values in a window of bytes (ISO 32000-2, 7.2 and 7.3). It accepts the errors of writers that PDF readers accept, with the
 * same meaning.
 */
import { damaged, PdfDictionary, PdfName, PdfReference, PdfString, type PdfValue } from './values.ts'

/** Error if the window ends inside a value. The caller tries again with a larger window. */
export class WindowTooSmall extends Error {}

/** One error for all windows, because stack traces cost more than a parse. */
const TOO_SMALL = new WindowTooSmall()

/** Word that is no value, such as `obj` or `endobj`, or a bracket without a partner. */
export class Word {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** End of the data. */
export const END = Symbol('end of data')

/** Classes of bytes (ISO 32000-2, 7.2.3): 0 regular, 1 white space, 2 delimiter. */
const CLASSES = new Uint8Array(256)
for (const byte of [0, 9, 10, 12, 13, 32]) CLASSES[byte] = 1
for (const delimiter of '()<>[]{}/%') CLASSES[delimiter.charCodeAt(0)] = 2

const isDigit = (byte: number): boolean => byte >= 48 && byte <= 57

const ESCAPED: { readonly [letter: string]: number } = { n: 10, r: 13, t: 9, b: 8, f: 12 }
const MAX_NESTING = 500
const MAX_WORD_CHARACTERS = 256
/** Most digits after the decimal point that count. */
const MAX_FRACTION_DIGITS = 19

export class Parser {
  readonly #bytes: Uint8Array
  at: number
  /** True if the data ends where the window ends. */
  readonly #complete: boolean
  #nesting = 0

  constructor(bytes: Uint8Array, at: number, complete: boolean) {
    this.#bytes = bytes
    this.at = at
    this.#complete = complete
  }

  /**
   * Returns the next value.
   * @throws CodecError (malformed) if there is none
   */
  value(): PdfValue {
    const token = this.token()
    if (token === END || token instanceof Word) throw damaged(this.at)
    return token
  }

  /** Returns the next value or word. */
  token(): PdfValue | Word | typeof END {
    this.skipSpace()
    const bytes = this.#bytes
    if (this.at >= bytes.length) return this.#complete ? END : this.#outOfData()
    const byte = bytes[this.at]!
    if (byte === SLASH) return this.#name()
    if (byte === OPEN_PARENTHESIS) return this.#literalString()
    if (byte === LESS) {
      if (this.at + 1 >= bytes.length) return this.#outOfData()
      return bytes[this.at + 1] === LESS ? this.#dictionary() : this.#hexString()
    }
    if (byte === OPEN_BRACKET) return this.#array()
    if (CLASSES[byte] === 2) {
      this.at++
      return new Word(String.fromCharCode(byte))
    }
    if (isDigit(byte) || byte === PLUS || byte === MINUS || byte === POINT) {
      const value = this.#number()
      if (value !== undefined) return isDigit(byte) && Number.isInteger(value) ? this.#numberOrReference(value) : value
    }
    return this.#word()
  }

  skipSpace(): void {
    const bytes = this.#bytes
    for (; this.at < bytes.length; this.at++) {
      if (bytes[this.at] === PERCENT) {
        // A comment ends with its line (ISO 32000-2, 7.2.4).
        while (this.at < bytes.length && bytes[this.at] !== LINE_FEED && bytes[this.at] !== RETURN) this.at++
      } else if (CLASSES[bytes[this.at]!] !== 1) return
    }
  }

  /** Moves behind the line break after the keyword `stream` (ISO 32000-2, 7.3.8.1). Some writers add spaces or write a single CR. */
  skipStreamLineBreak(): void {
    while (this.#bytes[this.at] === SPACE) this.at++
    if (this.at + 2 > this.#bytes.length && !this.#complete) this.#outOfData()
    if (this.#bytes[this.at] === RETURN) this.at++
    if (this.#bytes[this.at] === LINE_FEED) this.at++
  }

  #outOfData(): never {
    throw this.#complete ? damaged(this.at) : TOO_SMALL
  }

  #word(): null | boolean | Word {
    const start = this.at
    while (this.at < this.#bytes.length && CLASSES[this.#bytes[this.at]!] === 0) this.at++
    if (this.at >= this.#bytes.length && !this.#complete) this.#outOfData()
    if (this.at === start) throw damaged(start)
    const text = textOf(this.#bytes, start, Math.min(this.at, start + MAX_WORD_CHARACTERS))
    if (text === 'null') return null
    return text === 'true' || text === 'false' ? text === 'true' : new Word(text)
  }

  /**
   * Parses a number (ISO 32000-2, 7.3.3). PDF readers accept repeated signs, and read `12-34` as 12. `undefined`: the word begins like a
   * number and is none.
   */
  #number(): number | undefined {
    const bytes = this.#bytes
    // Most numbers are short integers.
    let [at, value] = [this.at, 0]
    while (isDigit(bytes[at]!)) value = value * 10 + bytes[at++]! - 48
    if (at > this.at && at - this.at < 16 && at < bytes.length && CLASSES[bytes[at]!] !== 0) {
      this.at = at
      return value
    }
    return this.#anyNumber()
  }

  #anyNumber(): number | undefined {
    const bytes = this.#bytes
    let [at, negative] = [this.at, false]
    for (; bytes[at] === PLUS || bytes[at] === MINUS; at++) negative ||= bytes[at] === MINUS
    const whole = at
    while (isDigit(bytes[at] ?? 0)) at++
    const point = at
    if (bytes[at] === POINT) for (at++; isDigit(bytes[at] ?? 0); ) at++
    const digits = at - whole - (point < at ? 1 : 0)
    const end = at
    if (digits > 0) while (isDigit(bytes[at] ?? 0) || bytes[at] === MINUS || bytes[at] === POINT) at++
    if (at >= bytes.length && !this.#complete) this.#outOfData()
    if (at < bytes.length && CLASSES[bytes[at]!] === 0) return undefined
    this.at = at
    if (digits === 0) return 0
    const value = Number(textOf(bytes, whole, Math.min(end, point + 1 + MAX_FRACTION_DIGITS)))
    return negative ? -value : value
  }

  /** Returns a reference if a generation and `R` follow the integer `number` (ISO 32000-2, 7.3.10). */
  #numberOrReference(number: number): number | PdfReference {
    const bytes = this.#bytes
    let at = this.at
    while (CLASSES[bytes[at]!] === 1) at++
    const generation = at
    while (isDigit(bytes[at]!)) at++
    const end = at
    if (end === generation && at < bytes.length) return number
    while (CLASSES[bytes[at]!] === 1) at++
    if (at + 1 >= bytes.length && !this.#complete && end - generation < 6) this.#outOfData()
    const isApart = generation > this.at && end > generation && end - generation <= 6 && at > end
    if (!isApart || bytes[at] !== LETTER_R || CLASSES[bytes[at + 1]!] === 0) return number
    this.at = at + 1
    return new PdfReference(number)
  }

  /** Parses a literal string (ISO 32000-2, 7.3.4.2). */
  #literalString(): PdfString {
    const out: number[] = []
    this.at++
    for (let depth = 1; ; ) {
      const byte = this.#next()
      if (byte === BACKSLASH) this.#escape(out)
      else if (byte === RETURN) {
        // Every line break counts as one line feed.
        if (this.#bytes[this.at] === LINE_FEED) this.at++
        out.push(LINE_FEED)
      } else {
        if (byte === OPEN_PARENTHESIS) depth++
        else if (byte === CLOSE_PARENTHESIS && --depth === 0) return new PdfString(Uint8Array.from(out))
        out.push(byte)
      }
    }
  }

  #escape(out: number[]): void {
    const byte = this.#next()
    if (byte >= 48 && byte <= 55) {
      let code = byte - 48
      for (let more = 0; more < 2 && this.#bytes[this.at]! >= 48 && this.#bytes[this.at]! <= 55; more++) code = code * 8 + this.#next() - 48
      out.push(code & 255)
    } else if (byte === RETURN) {
      if (this.#bytes[this.at] === LINE_FEED) this.at++
    } else if (byte !== LINE_FEED) out.push(ESCAPED[String.fromCharCode(byte)] ?? byte)
  }

  #next(): number {
    if (this.at >= this.#bytes.length) this.#outOfData()
    return this.#bytes[this.at++]!
  }

  /** Parses a hexadecimal string (ISO 32000-2, 7.3.4.3). Other characters are ignored; a missing last digit is 0. */
  #hexString(): PdfString {
    const out: number[] = []
    let high = -1
    this.at++
    for (let byte = this.#next(); byte !== GREATER; byte = this.#next()) {
      const digit = hexDigit(byte)
      if (digit < 0) continue
      if (high >= 0) out.push(high * 16 + digit)
      high = high < 0 ? digit : -1
    }
    if (high >= 0) out.push(high * 16)
    return new PdfString(Uint8Array.from(out))
  }

  #name(): PdfName {
    const bytes = this.#bytes
    const start = ++this.at
    while (this.at < bytes.length && CLASSES[bytes[this.at]!] === 0) this.at++
    if (this.at >= bytes.length && !this.#complete) this.#outOfData()
    const text = textOf(bytes, start, this.at)
    if (!text.includes('#')) return new PdfName(text)
    return new PdfName(text.replace(/#([0-9A-Fa-f]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))))
  }

  /** A word inside an array has no meaning on which PDF readers agree, so the object counts as damaged. */
  #array(): PdfValue[] {
    const items: PdfValue[] = []
    if (++this.#nesting > MAX_NESTING) throw damaged(this.at)
    this.at++
    for (;;) {
      this.skipSpace()
      if (this.at >= this.#bytes.length) this.#outOfData()
      if (this.#bytes[this.at] === CLOSE_BRACKET) {
        this.at++
        this.#nesting--
        return items
      }
      items.push(this.value())
    }
  }

  #dictionary(): PdfDictionary {
    const bytes = this.#bytes
    const entries = new PdfDictionary()
    if (++this.#nesting > MAX_NESTING) throw damaged(this.at)
    this.at += 2
    for (;;) {
      this.skipSpace()
      if (this.at + 1 >= bytes.length && !this.#complete) this.#outOfData()
      if (bytes[this.at] === GREATER) {
        this.at += bytes[this.at + 1] === GREATER ? 2 : 1
        this.#nesting--
        return entries
      }
      const key = this.value()
      if (!(key instanceof PdfName)) continue
      this.skipSpace()
      if (this.at + 1 >= bytes.length && !this.#complete) this.#outOfData()
      const noValue = bytes[this.at] === GREATER && bytes[this.at + 1] === GREATER
      entries.set(key.text, noValue ? null : this.value())
    }
  }
}

const [SPACE, LINE_FEED, RETURN, PERCENT, SLASH, BACKSLASH] = [32, 10, 13, 37, 47, 92] as const
const [OPEN_PARENTHESIS, CLOSE_PARENTHESIS, OPEN_BRACKET, CLOSE_BRACKET, LESS, GREATER] = [40, 41, 91, 93, 60, 62] as const
const [PLUS, MINUS, POINT, LETTER_R] = [43, 45, 46, 82] as const

const hexDigit = (byte: number): number => {
  if (isDigit(byte)) return byte - 48
  const letter = byte | 32
  return letter >= 97 && letter <= 102 ? letter - 87 : -1
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let at = start; at < end; at++) text += String.fromCharCode(bytes[at]!)
  return text
}
