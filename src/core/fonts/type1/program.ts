/** Reads Type 1 font programs (Adobe Type 1 Font Format, 1990): outlines, names, hints and encoding. */

import { concat } from '../../bytes/concat.ts'
import { bytesOfHex } from '../../bytes/hex.ts'
import { latin1Bytes, latin1Of } from '../../bytes/latin1.ts'
import { indexOfBytes } from '../../bytes/search.ts'
import { STANDARD } from '../glyph-names.ts'
import { MAX_TYPE1_GLYPHS, MAX_TYPE1_SUBROUTINES } from '../tuning.ts'

/** Initial values of r for eexec and charstring encryption (Type 1 Font Format, sections 7.1 and 7.3). */
const EEXEC_KEY = 55_665
const CHARSTRING_KEY = 4330
const EEXEC_LEAD_BYTES = 4

/** Numbers and arrays of the private dictionary that control hints (Type 1 Font Format, chapter 5). */
const PRIVATE_KEYS: ReadonlySet<string> = new Set([
  'BlueValues',
  'OtherBlues',
  'FamilyBlues',
  'FamilyOtherBlues',
  'BlueScale',
  'BlueShift',
  'BlueFuzz',
  'StdHW',
  'StdVW',
  'StemSnapH',
  'StemSnapV',
  'ForceBold',
  'LanguageGroup',
  'ExpansionFactor',
  'lenIV',
])
const TOP_KEYS: ReadonlySet<string> = new Set(['FontMatrix', 'FontBBox', 'PaintType', 'StrokeWidth'])
/** Keys of unsupported Type 1 programs: multiple master designs and several resolutions. */
const FOREIGN_KEYS: ReadonlySet<string> = new Set(['WeightVector', 'BlendDesignMap', 'hires'])

type Token =
  | { kind: 'name' | 'word' | 'string'; text: string }
  | { kind: 'number'; value: number; text: string }
  | { kind: 'mark'; text: string }

export interface Type1 {
  name: string
  notice: string
  /** FontMatrix, FontBBox, PaintType and StrokeWidth. */
  top: Map<string, number[]>
  private: Map<string, number[]>
  /** Built-in encoding from codes to glyph names. */
  encoding: ReadonlyMap<number, string>
  /** True if the encoding is Adobe's StandardEncoding. */
  standard: boolean
  /** Decrypted charstrings by glyph name. */
  charstrings: Map<string, Uint8Array>
  subrs: (Uint8Array | undefined)[]
}

/** Decrypts eexec or charstring bytes (Type 1 Font Format, section 7.1). */
function decrypt(bytes: Uint8Array, key: number, skip: number): Uint8Array {
  const out = new Uint8Array(bytes.length)
  let r = key
  for (let i = 0; i < bytes.length; i++) {
    const cipher = bytes[i]!
    out[i] = cipher ^ (r >> 8)
    r = ((cipher + r) * 52_845 + 22_719) & 0xffff
  }
  return out.subarray(Math.min(skip, out.length))
}

const isSpace = (c: number) => c === 32 || c === 10 || c === 13 || c === 9 || c === 12 || c === 0
const isMark = (c: number) => c === 91 || c === 93 || c === 123 || c === 125 || c === 40 || c === 41 || c === 47 || c === 60 || c === 62

class Tokens {
  at = 0
  private readonly bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  next(): Token | undefined {
    const { bytes } = this
    for (;;) {
      while (this.at < bytes.length && isSpace(bytes[this.at]!)) this.at++
      if (bytes[this.at] !== 37) break
      while (this.at < bytes.length && bytes[this.at] !== 10 && bytes[this.at] !== 13) this.at++
    }
    if (this.at >= bytes.length) return undefined
    const first = bytes[this.at]!
    if (first === 40) return { kind: 'string', text: this.string() }
    if (first === 47) {
      this.at++
      return { kind: 'name', text: this.regular() }
    }
    if (isMark(first)) {
      this.at++
      return { kind: 'mark', text: String.fromCharCode(first) }
    }
    const text = this.regular()
    const radix = /^(\d{1,2})#([0-9a-zA-Z]+)$/.exec(text)
    const value = radix ? Number.parseInt(radix[2]!, Number(radix[1])) : /^[+-]?(\d|\.\d)/.test(text) ? Number(text) : Number.NaN
    return Number.isNaN(value) ? { kind: 'word', text } : { kind: 'number', value, text }
  }

  /** Returns `length` bytes after the single space that follows the current token. */
  binary(length: number): Uint8Array {
    const start = this.at + 1
    if (!(length >= 0) || start + length > this.bytes.length) throw new RangeError('Type 1: charstring exceeds the program')
    this.at = start + length
    return this.bytes.subarray(start, this.at)
  }

  private regular(): string {
    const start = this.at
    while (this.at < this.bytes.length && !isSpace(this.bytes[this.at]!) && !isMark(this.bytes[this.at]!) && this.bytes[this.at] !== 37)
      this.at++
    return latin1Of(this.bytes.subarray(start, this.at))
  }

  private string(): string {
    const start = ++this.at
    for (let depth = 1; this.at < this.bytes.length; this.at++) {
      const c = this.bytes[this.at]
      if (c === 92) this.at++
      else if (c === 40) depth++
      else if (c === 41 && --depth === 0) break
    }
    return latin1Of(this.bytes.subarray(start, this.at++))
  }
}

/** Parses a program. @throws RangeError if it is damaged or not supported */
export function parseType1(data: Uint8Array): Type1 {
  const bytes = withoutSegments(data)
  const eexec = indexOfBytes(bytes, latin1Bytes('eexec'))
  if (eexec < 0) throw new RangeError('Type 1: no "eexec" operator')
  const font: Type1 = {
    name: '',
    notice: '',
    top: new Map(),
    private: new Map(),
    encoding: new Map(),
    standard: false,
    charstrings: new Map(),
    subrs: [],
  }
  readClear(new Tokens(bytes.subarray(0, eexec)), font)
  readPrivate(new Tokens(decrypt(binaryPart(bytes, eexec + 5), EEXEC_KEY, EEXEC_LEAD_BYTES)), font)
  if (font.charstrings.size === 0 || !font.charstrings.has('.notdef')) throw new RangeError('Type 1: no charstring for ".notdef"')
  return font
}

/** Joins the segments of a PFB file: 0x80, type, length, data (Adobe TN 5040). */
function withoutSegments(bytes: Uint8Array): Uint8Array {
  if (bytes[0] !== 0x80) return bytes
  const parts: Uint8Array[] = []
  for (let at = 0; bytes[at] === 0x80 && (bytes[at + 1] === 1 || bytes[at + 1] === 2); ) {
    const length = bytes[at + 2]! + bytes[at + 3]! * 256 + bytes[at + 4]! * 65_536
    parts.push(bytes.subarray(at + 6, at + 6 + length))
    at += 6 + length
  }
  return concat(parts)
}

/**
 * Returns the encrypted part after "eexec" and white space. It is hexadecimal if its first four bytes are digits (Type 1 Font Format,
 * section 7.2).
 */
function binaryPart(bytes: Uint8Array, from: number): Uint8Array {
  let at = from
  while (at < from + 4 && isSpace(bytes[at] ?? 1)) at++
  const head = latin1Of(bytes.subarray(at, at + 4))
  if (!/^[0-9a-fA-F]{4}$/.test(head)) return bytes.subarray(at)
  return bytesOfHex(latin1Of(bytes.subarray(at)).replace(/[^0-9a-fA-F]+/g, ''))
}

/** Reads the value of a key: a number, or a list in brackets or braces. */
function numbers(tokens: Tokens): number[] {
  const first = tokens.next()
  if (first?.kind === 'number') return [first.value]
  if (first?.kind === 'word') return first.text === 'true' ? [1] : first.text === 'false' ? [0] : []
  if (first?.text !== '[' && first?.text !== '{') return []
  const list: number[] = []
  for (let token = tokens.next(); token?.kind === 'number' && list.length < 64; token = tokens.next()) list.push(token.value)
  return list
}

function readClear(tokens: Tokens, font: Type1): void {
  for (let token = tokens.next(); token; token = tokens.next()) {
    if (token.kind !== 'name') continue
    if (FOREIGN_KEYS.has(token.text)) throw new RangeError(token.text)
    if (TOP_KEYS.has(token.text)) font.top.set(token.text, numbers(tokens))
    else if (token.text === 'FontName') font.name = wordOf(tokens.next())
    else if (token.text === 'Notice') font.notice = wordOf(tokens.next())
    else if (token.text === 'Encoding') readEncoding(tokens, font)
  }
}

const wordOf = (token: Token | undefined): string => token?.text ?? ''

/** Reads "StandardEncoding def", or "256 array … dup 65 /A put … def". */
function readEncoding(tokens: Tokens, font: Type1): void {
  const first = tokens.next()
  if (first?.kind === 'word' && first.text === 'StandardEncoding') {
    font.standard = true
    font.encoding = new Map(STANDARD.flatMap((name, code): [number, string][] => (name ? [[code, name]] : [])))
    return
  }
  if (first?.kind !== 'number') throw new RangeError('Type 1: unsupported Encoding')
  const codes = new Map<number, string>()
  let before: (Token | undefined)[] = []
  for (let token = tokens.next(); token; token = tokens.next()) {
    if (token.kind === 'word' && (token.text === 'def' || token.text === 'readonly')) break
    if (token.kind === 'word' && token.text === 'put') {
      const [dup, code, name] = before.slice(-3)
      if (dup?.text === 'dup' && code?.kind === 'number' && name?.kind === 'name' && name.text !== '.notdef')
        codes.set(code.value & 255, name.text)
    }
    before = [...before.slice(-2), token]
  }
  font.encoding = codes
}

function readPrivate(tokens: Tokens, font: Type1): void {
  let place: 'dictionary' | 'subrs' | 'glyphs' = 'dictionary'
  const raw: { subrs: [number, Uint8Array][]; glyphs: [string, Uint8Array][] } = { subrs: [], glyphs: [] }
  let before: Token[] = []
  for (let token = tokens.next(); token; token = tokens.next()) {
    if (token.kind === 'name' && place !== 'glyphs') {
      if (FOREIGN_KEYS.has(token.text)) throw new RangeError(token.text)
      if (PRIVATE_KEYS.has(token.text)) font.private.set(token.text, numbers(tokens))
      else if (token.text === 'Subrs') {
        if (raw.subrs.length) throw new RangeError('Type 1: second Subrs array')
        place = 'subrs'
      } else if (token.text === 'CharStrings') place = 'glyphs'
    } else if (token.kind === 'word' && (token.text === 'RD' || token.text === '-|') && place !== 'dictionary') {
      const [key, length] = before.slice(-2)
      // In the definition of RD itself, no length precedes the word.
      if (length?.kind === 'number' && key) {
        const bytes = tokens.binary(length.value)
        if (place === 'subrs' && key.kind === 'number') raw.subrs.push([key.value, bytes])
        else if (place === 'glyphs' && key.kind === 'name') raw.glyphs.push([key.text, bytes])
        if (raw.subrs.length > MAX_TYPE1_SUBROUTINES || raw.glyphs.length > MAX_TYPE1_GLYPHS)
          throw new RangeError('Type 1: too many charstrings or subroutines')
      }
    } else if (token.kind === 'word' && token.text === 'end' && raw.glyphs.length > 0) break
    before = [...before.slice(-1), token]
  }
  const lead = font.private.get('lenIV')?.[0] ?? 4
  const open = (bytes: Uint8Array) => (lead < 0 ? bytes : decrypt(bytes, CHARSTRING_KEY, lead))
  for (const [index, bytes] of raw.subrs) if (index >= 0 && index < MAX_TYPE1_SUBROUTINES) font.subrs[index] = open(bytes)
  for (const [name, bytes] of raw.glyphs) if (!font.charstrings.has(name)) font.charstrings.set(name, open(bytes))
}
