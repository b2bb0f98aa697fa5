/** Reads Compact Font Format (Adobe TN 5176), as far as subsetting needs it. */

import { latin1Of } from '../../bytes/latin1.ts'
import { FontView } from '../bytes.ts'
import { STANDARD } from '../glyph-names.ts'
import { CFF_STRINGS, EXPERT_CHARSET, EXPERT_SUBSET_CHARSET } from './standard-strings.ts'

/** Operators of top and private dictionaries (TN 5176, tables 9, 10 and 23). Two-byte operators are 1200 + the second byte. */
export const OP = {
  charset: 15,
  encoding: 16,
  charStrings: 17,
  private: 18,
  subrs: 19,
  charstringType: 1206,
  ros: 1230,
  fdArray: 1236,
  fdSelect: 1237,
} as const

interface DictEntry {
  values: number[]
  /** Bytes of operands and operator in the file. */
  raw: Uint8Array
}
export type CffDict = Map<number, DictEntry>

export interface PrivateDict {
  entries: CffDict
  subrs: Uint8Array[]
}

interface Index {
  items: Uint8Array[]
  end: number
}

/** Reads an INDEX (TN 5176, section 5). */
function readIndex(bytes: Uint8Array, at: number): Index {
  const view = new FontView(bytes)
  const count = view.u16(at)
  if (count === 0) return { items: [], end: at + 2 }
  const size = view.u8(at + 2)
  if (size < 1 || size > 4) throw new RangeError(`CFF: INDEX has offset size ${size}, allowed are 1 to 4`)
  const offset = (i: number) => {
    let value = 0
    for (let k = 0; k < size; k++) value = value * 256 + view.u8(at + 3 + i * size + k)
    return value
  }
  const base = at + 2 + (count + 1) * size
  const items: Uint8Array[] = []
  for (let i = 0; i < count; i++) {
    const [start, end] = [base + offset(i), base + offset(i + 1)]
    if (end < start || end > bytes.length) throw new RangeError('CFF: INDEX offsets descend or exceed the font')
    items.push(bytes.subarray(start, end))
  }
  return { items, end: base + offset(count) }
}

/** Reads a DICT (TN 5176, section 4). */
function readDict(bytes: Uint8Array): CffDict {
  const dict: CffDict = new Map()
  let values: number[] = []
  let start = 0
  for (let i = 0; i < bytes.length; ) {
    const byte = bytes[i]!
    const at = (k: number) => bytes[i + k] ?? 0
    if (byte <= 21) {
      const operator = byte === 12 ? 1200 + at(1) : byte
      i += byte === 12 ? 2 : 1
      dict.set(operator, { values, raw: bytes.subarray(start, i) })
      values = []
      start = i
    } else if (byte === 28) {
      values.push(((at(1) << 24) | (at(2) << 16)) >> 16)
      i += 3
    } else if (byte === 29) {
      values.push((at(1) << 24) | (at(2) << 16) | (at(3) << 8) | at(4))
      i += 5
    } else if (byte === 30) {
      // A real number ends with a nibble of 15. Subsetting needs none, so the value becomes NaN.
      i++
      while (i < bytes.length && (bytes[i]! & 15) !== 15 && bytes[i]! >> 4 !== 15) i++
      i++
      values.push(Number.NaN)
    } else if (byte >= 32 && byte <= 246) {
      values.push(byte - 139)
      i++
    } else if (byte >= 247 && byte <= 254) {
      values.push(byte <= 250 ? (byte - 247) * 256 + at(1) + 108 : -(byte - 251) * 256 - at(1) - 108)
      i += 2
    } else i++
  }
  return dict
}

export class Cff {
  readonly name: Uint8Array
  readonly top: CffDict
  readonly strings: Uint8Array[]
  readonly globalSubrs: Uint8Array[]
  readonly charstrings: Uint8Array[]
  /** One private dictionary in name-keyed fonts; one for each font dictionary in CID-keyed fonts. */
  readonly privates: PrivateDict[] = []
  readonly fontDicts: CffDict[] = []
  /** Index of each glyph's font dictionary. */
  readonly fontDictOf: Uint8Array
  /** True if glyphs have CIDs instead of names (ISO 32000-2, 9.7.4.2). */
  readonly cidKeyed: boolean
  /** String number (SID) or CID of each glyph. */
  readonly charset: Uint16Array
  private readonly view: FontView
  private names: Map<string, number> | undefined
  private cids: Map<number, number> | undefined
  private codes: Map<number, number> | undefined

  constructor(bytes: Uint8Array) {
    this.view = new FontView(bytes)
    if (this.view.u8(0) !== 1) throw new RangeError('CFF: unsupported version')
    const names = readIndex(bytes, this.view.u8(2))
    const tops = readIndex(bytes, names.end)
    const strings = readIndex(bytes, tops.end)
    if (tops.items.length !== 1) throw new RangeError(`CFF: expected one font, found ${tops.items.length}`)
    this.name = names.items[0] ?? new Uint8Array(0)
    this.top = readDict(tops.items[0]!)
    this.strings = strings.items
    this.globalSubrs = readIndex(bytes, strings.end).items
    if (this.value(OP.charstringType, 2) !== 2) throw new RangeError('CFF: unsupported CharstringType')
    this.charstrings = readIndex(bytes, this.value(OP.charStrings, -1)).items
    this.cidKeyed = this.top.has(OP.ros)
    this.fontDictOf = new Uint8Array(this.count)
    this.charset = this.readCharset()
    if (this.cidKeyed) this.readFontDicts(bytes)
    else this.privates.push(readPrivate(bytes, this.top))
  }

  get count(): number {
    return this.charstrings.length
  }

  value(operator: number, otherwise: number): number {
    return this.top.get(operator)?.values[0] ?? otherwise
  }

  private readFontDicts(bytes: Uint8Array): void {
    for (const item of readIndex(bytes, this.value(OP.fdArray, -1)).items) {
      const dict = readDict(item)
      this.fontDicts.push(dict)
      this.privates.push(readPrivate(bytes, dict))
    }
    const { view } = this
    const at = this.value(OP.fdSelect, -1)
    if (view.u8(at) === 0) for (let glyph = 0; glyph < this.count; glyph++) this.fontDictOf[glyph] = view.u8(at + 1 + glyph)
    else {
      const ranges = view.u16(at + 1)
      for (let i = 0; i < ranges; i++) {
        const end = view.u16(at + 6 + i * 3)
        for (let glyph = view.u16(at + 3 + i * 3); glyph < end && glyph < this.count; glyph++)
          this.fontDictOf[glyph] = view.u8(at + 5 + i * 3)
      }
    }
    if (this.fontDictOf.some((index) => index >= this.privates.length))
      throw new RangeError('CFF: FDSelect refers to a missing font dictionary')
  }

  /** Reads the charset (TN 5176, section 13). */
  private readCharset(): Uint16Array {
    const { view, count } = this
    const ids = new Uint16Array(count)
    const at = this.value(OP.charset, 0)
    if (at <= 2) {
      const fixed = this.cidKeyed || at === 0 ? undefined : at === 1 ? EXPERT_CHARSET : EXPERT_SUBSET_CHARSET
      for (let glyph = 0; glyph < count; glyph++) ids[glyph] = fixed ? (fixed[glyph] ?? 0) : glyph
      return ids
    }
    const format = view.u8(at)
    let place = at + 1
    for (let glyph = 1; glyph < count; ) {
      const first = view.u16(place)
      place += 2
      let left = 0
      if (format > 0) {
        left = format === 1 ? view.u8(place) : view.u16(place)
        place += format === 1 ? 1 : 2
      }
      for (let id = first; left >= 0 && glyph < count; left--) ids[glyph++] = id++
    }
    return ids
  }

  stringOf(id: number): string {
    return CFF_STRINGS[id] ?? latin1Of(this.strings[id - CFF_STRINGS.length] ?? new Uint8Array())
  }

  /** Glyph number of a name. −1: none. */
  glyphOfName(name: string): number {
    if (!this.names) {
      this.names = new Map()
      for (let glyph = this.count - 1; glyph >= 0; glyph--) this.names.set(glyph ? this.stringOf(this.charset[glyph]!) : '.notdef', glyph)
    }
    return this.names.get(name) ?? -1
  }

  /** Glyph number of a CID. −1: none. In a font without CIDs, CIDs are glyph numbers. */
  glyphOfCid(cid: number): number {
    if (!this.cidKeyed) return cid < this.count ? cid : -1
    if (!this.cids) {
      this.cids = new Map()
      for (const [glyph, id] of this.charset.entries()) this.cids.set(id, glyph)
    }
    return this.cids.get(cid) ?? -1
  }

  /**
   * Built-in encoding of the font (TN 5176, section 12), from codes to glyph numbers. Empty for the expert encoding, which is not
   * supported.
   */
  encoding(): ReadonlyMap<number, number> {
    if (this.codes) return this.codes
    const codes = new Map<number, number>()
    this.codes = codes
    const at = this.value(OP.encoding, 0)
    if (at === 0) {
      STANDARD.forEach((name, code) => {
        const glyph = name ? this.glyphOfName(name) : -1
        if (glyph > 0) codes.set(code, glyph)
      })
    } else if (at > 1) this.readEncoding(at, codes)
    return codes
  }

  private readEncoding(at: number, codes: Map<number, number>): void {
    const { view } = this
    const format = view.u8(at)
    const count = view.u8(at + 1)
    let place = at + 2
    let glyph = 1
    for (let i = 0; i < count; i++) {
      const first = view.u8(place++)
      const left = (format & 127) === 0 ? 0 : view.u8(place++)
      for (let k = 0; k <= left; k++) codes.set(first + k, glyph++)
    }
    if (!(format & 128)) return
    const supplements = view.u8(place++)
    for (let i = 0; i < supplements; i++, place += 3) {
      const extra = this.charset.indexOf(view.u16(place + 1))
      if (extra > 0) codes.set(view.u8(place), extra)
    }
  }
}

/** Interface of CFF fonts that are read from a file or composed in memory. */
export type CffFont = Pick<Cff, keyof Cff>

function readPrivate(bytes: Uint8Array, dict: CffDict): PrivateDict {
  const [size = 0, at = 0] = dict.get(OP.private)?.values ?? []
  if (!size) return { entries: new Map(), subrs: [] }
  if (at + size > bytes.length || at < 0 || size < 0) throw new RangeError('CFF: private dictionary exceeds the font')
  const entries = readDict(bytes.subarray(at, at + size))
  const subrs = entries.get(OP.subrs)?.values[0]
  return { entries, subrs: subrs ? readIndex(bytes, at + subrs).items : [] }
}
