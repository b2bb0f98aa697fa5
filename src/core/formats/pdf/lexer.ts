/**
 * Lexer for PDF tokens and objects in a window of bytes (ISO 32000-2, 7.2 and 7.3). It accepts the same errors that PDF readers accept.
 */
import { message } from '../../i18n/message.ts'
import { Dict, Name, type PdfObject, PdfSyntax, Ref, Str } from './objects.ts'

/** Error thrown if the window ends inside a token. The caller retries with a larger window. */
export class NeedsMoreBytes extends Error {}

/** Operator or keyword, such as obj, endobj, stream or Tj. */
export class Keyword {
  readonly value: string
  constructor(value: string) {
    this.value = value
  }
}
export const END = Symbol('end of data')
export type Token = PdfObject | Keyword | typeof END

/** True for white-space characters (ISO 32000-2, 7.2.3, table 1). */
export const isSpace = (c: number): boolean => c === 32 || c === 10 || c === 13 || c === 9 || c === 0 || c === 12
/** True for delimiter characters (ISO 32000-2, 7.2.3, table 2). */
export const isDelimiter = (c: number): boolean =>
  c === 40 || c === 41 || c === 60 || c === 62 || c === 91 || c === 93 || c === 123 || c === 125 || c === 47 || c === 37
export const isDigit = (c: number): boolean => c >= 48 && c <= 57

const hexValue = (c: number): number => (isDigit(c) ? c - 48 : c >= 65 && c <= 70 ? c - 55 : c >= 97 && c <= 102 ? c - 87 : -1)
const ESCAPES: Readonly<Record<number, number>> = { 110: 10, 114: 13, 116: 9, 98: 8, 102: 12 }
const MAX_DEPTH = 500

export class Lexer {
  readonly bytes: Uint8Array
  position: number
  /** True if the window reaches the end of the data. Otherwise the lexer throws `NeedsMoreBytes` at the end of the window. */
  readonly isAtEndOfData: boolean
  /** True if a hexadecimal string contains other characters than digits. PDF readers disagree on the text of such a string. */
  hasInvalidHexDigits = false
  /** True if `1 0 R` is a reference, as in files. In content streams it is not. */
  private readonly references: boolean

  constructor(bytes: Uint8Array, position = 0, whole = true, references = true) {
    this.bytes = bytes
    this.position = position
    this.isAtEndOfData = whole
    this.references = references
  }

  /** Byte at `index`; −1 beyond the window. */
  at(index: number): number {
    return this.bytes[index] ?? -1
  }

  private end(): never {
    throw this.isAtEndOfData ? new PdfSyntax('unexpected_end_of_data', this.position) : new NeedsMoreBytes()
  }

  skipSpace(): void {
    for (;;) {
      const c = this.at(this.position)
      if (c < 0) return
      if (isSpace(c)) this.position++
      else if (c === 37) {
        // A comment ends with its line (ISO 32000-2, 7.2.4).
        while (this.position < this.bytes.length && this.at(this.position) !== 10 && this.at(this.position) !== 13) this.position++
      } else return
    }
  }

  /** Returns the next keyword, or the next complete object. */
  next(depth = 0): Token {
    if (depth > MAX_DEPTH) throw new PdfSyntax('objects_nested_too_deeply', this.position)
    this.skipSpace()
    if (this.position >= this.bytes.length) {
      if (!this.isAtEndOfData) this.end()
      return END
    }
    const c = this.at(this.position)
    if (c === 47) return this.name()
    if (c === 40) return this.literalString()
    if (c === 60) {
      if (this.position + 1 >= this.bytes.length) this.end()
      if (this.at(this.position + 1) !== 60) return this.hexString()
      this.position += 2
      return this.dictionary(depth)
    }
    if (c === 91) {
      this.position++
      return this.array(depth)
    }
    // An unmatched closing bracket or brace becomes a keyword.
    if (c === 93 || c === 123 || c === 125 || c === 41 || c === 62) {
      this.position++
      return new Keyword(String.fromCharCode(c))
    }
    if (isDigit(c) || c === 43 || c === 45 || c === 46) {
      const value = this.number()
      if (value !== undefined) return this.references && Number.isInteger(value) && value >= 0 && isDigit(c) ? this.reference(value) : value
    }
    const word = this.word()
    if (word === '') throw new PdfSyntax('unreadable_token', this.position)
    if (word === 'true') return true
    if (word === 'false') return false
    if (word === 'null') return null
    return new Keyword(word)
  }

  /**
   * Returns the next object.
   * @throws PdfSyntax if a keyword or the end of the data follows.
   */
  object(): PdfObject {
    const token = this.next()
    if (token === END || token instanceof Keyword) throw new PdfSyntax('object_expected', this.position)
    return token
  }

  private word(): string {
    const start = this.position
    while (this.position < this.bytes.length && !isSpace(this.at(this.position)) && !isDelimiter(this.at(this.position))) this.position++
    if (this.position >= this.bytes.length && !this.isAtEndOfData) this.end()
    let text = ''
    const stop = Math.min(this.position, start + 256)
    for (let i = start; i < stop; i++) text += String.fromCharCode(this.at(i))
    return text
  }

  /** Parses a number (ISO 32000-2, 7.3.3). Repeated signs are accepted; of "12-34" only "12" counts, as in PDF readers. */
  private number(): number | undefined {
    const start = this.position
    let i = start
    let negative = false
    while (this.at(i) === 43 || this.at(i) === 45) {
      if (this.at(i) === 45) negative = true
      i++
    }
    let value = 0
    let digits = 0
    for (; isDigit(this.at(i)); i++, digits++) value = value * 10 + this.at(i) - 48
    if (this.at(i) === 46) {
      const point = i++
      while (isDigit(this.at(i))) i++
      if (i - point > 1) {
        digits += i - point - 1
        let fraction = ''
        for (let k = point; k < Math.min(i, point + 20); k++) fraction += String.fromCharCode(this.at(k))
        if (value < 1e15) value = Number(`${value}${fraction}`)
      }
    }
    if (i >= this.bytes.length && !this.isAtEndOfData) this.end()
    if (digits === 0) {
      const next = this.at(i)
      if (next >= 0 && !isSpace(next) && !isDelimiter(next)) return undefined
      this.position = i
      return 0
    }
    for (; i < this.bytes.length; i++) {
      const c = this.at(i)
      if (isSpace(c) || isDelimiter(c)) break
      if (c === 45 || c === 46 || isDigit(c)) continue
      if (this.references) return undefined
      break
    }
    this.position = i
    return negative ? -value : value
  }

  /** Parses "G R" after an integer and returns the reference. Otherwise it returns the integer. */
  private reference(number: number): PdfObject {
    const back = this.position
    let p = back
    while (p < this.bytes.length && isSpace(this.at(p))) p++
    let generation = 0
    const first = p
    for (; isDigit(this.at(p)) && p - first < 6; p++) generation = generation * 10 + this.at(p) - 48
    if (p >= this.bytes.length && !this.isAtEndOfData) this.end()
    if (p > first && p > back) {
      const gap = p
      while (p < this.bytes.length && isSpace(this.at(p))) p++
      if (p + 1 >= this.bytes.length && !this.isAtEndOfData) this.end()
      const after = this.at(p + 1)
      if (p > gap && this.at(p) === 82 && (after < 0 || isSpace(after) || isDelimiter(after))) {
        this.position = p + 1
        return new Ref(number, generation)
      }
    }
    this.position = back
    return number
  }

  /** Parses a literal string (ISO 32000-2, 7.3.4.2). */
  private literalString(): Str {
    const out: number[] = []
    let depth = 1
    this.position++
    for (;;) {
      if (this.position >= this.bytes.length) this.end()
      let c = this.at(this.position++)
      if (c === 92) {
        if (this.position >= this.bytes.length) this.end()
        c = this.at(this.position++)
        const escaped = ESCAPES[c]
        if (escaped !== undefined) out.push(escaped)
        else if (c === 13) {
          if (this.at(this.position) === 10) this.position++
        } else if (c >= 48 && c <= 55) {
          let value = c - 48
          for (let k = 0; k < 2 && this.at(this.position) >= 48 && this.at(this.position) <= 55; k++) {
            value = value * 8 + this.at(this.position++) - 48
          }
          out.push(value & 255)
        } else if (c !== 10) out.push(c)
        continue
      }
      if (c === 40) depth++
      else if (c === 41 && --depth === 0) break
      else if (c === 13) {
        // Any line break in a literal string counts as a line feed.
        if (this.at(this.position) === 10) this.position++
        c = 10
      }
      out.push(c)
    }
    return new Str(Uint8Array.from(out))
  }

  /** Parses a hexadecimal string (ISO 32000-2, 7.3.4.3). */
  private hexString(): Str {
    const out: number[] = []
    let high = -1
    this.position++
    for (;;) {
      if (this.position >= this.bytes.length) this.end()
      const c = this.at(this.position++)
      if (c === 62) break
      const value = hexValue(c)
      if (value < 0) {
        if (!isSpace(c)) this.hasInvalidHexDigits = true
        continue
      }
      if (high < 0) high = value
      else {
        out.push(high * 16 + value)
        high = -1
      }
    }
    if (high >= 0) out.push(high * 16)
    return new Str(Uint8Array.from(out))
  }

  /** Parses a name (ISO 32000-2, 7.3.5). */
  private name(): Name {
    let text = ''
    this.position++
    for (;;) {
      if (this.position >= this.bytes.length) {
        if (!this.isAtEndOfData) this.end()
        break
      }
      const c = this.at(this.position)
      if (isSpace(c) || isDelimiter(c)) break
      this.position++
      const high = c === 35 ? hexValue(this.at(this.position)) : -1
      const low = high >= 0 ? hexValue(this.at(this.position + 1)) : -1
      if (low >= 0) {
        text += String.fromCharCode(high * 16 + low)
        this.position += 2
      } else text += String.fromCharCode(c)
    }
    return Name.of(text)
  }

  private array(depth: number): PdfObject[] {
    const items: PdfObject[] = []
    for (;;) {
      this.skipSpace()
      if (this.position >= this.bytes.length) {
        if (!this.isAtEndOfData || this.references) this.end()
        return items
      }
      if (this.at(this.position) === 93) {
        this.position++
        return items
      }
      const token = this.next(depth + 1)
      if (token === END) return items
      if (token instanceof Keyword) {
        if (token.value === 'endobj' || token.value === 'endstream') throw new PdfSyntax('unclosed_array', this.position)
        this.assertContent(token)
        continue
      }
      items.push(token)
    }
  }

  private dictionary(depth: number): Dict {
    const dict = new Dict()
    for (;;) {
      this.skipSpace()
      if (this.position >= this.bytes.length) this.end()
      if (this.at(this.position) === 62) {
        this.position++
        if (this.position >= this.bytes.length && !this.isAtEndOfData) this.end()
        if (this.at(this.position) === 62) this.position++
        return dict
      }
      const key = this.next(depth + 1)
      if (key === END) this.end()
      if (key instanceof Keyword && (key.value === 'endobj' || key.value === 'stream'))
        throw new PdfSyntax('unclosed_dictionary', this.position)
      if (key instanceof Keyword) this.assertContent(key)
      if (!(key instanceof Name)) continue
      this.skipSpace()
      if (this.at(this.position) === 62 && this.at(this.position + 1) === 62) {
        dict.set(key.value, null)
        continue
      }
      const value = this.next(depth + 1)
      if (value === END) this.end()
      if (!(value instanceof Keyword)) dict.set(key.value, value)
      else if (value.value === 'endobj') throw new PdfSyntax('unclosed_dictionary', this.position)
      else this.assertContent(value)
    }
  }

  /**
   * Rejects keywords inside an object of a file. PDF readers disagree on their meaning (ignored, null or a string), so Whittle cannot
   * rewrite the object.
   * @throws PdfSyntax
   */
  private assertContent({ value }: Keyword): void {
    if (this.references) throw new PdfSyntax(message('keyword_inside_object', { keyword: value.slice(0, 20) }), this.position)
  }
}
