/** Writes CFF fonts with only the used glyphs. Outlines and subroutines are copied byte for byte. */
import { maxOf } from '../../bytes/min-max.ts'
import { FontWriter } from '../bytes.ts'
import { STANDARD } from '../glyph-names.ts'
import { biasOf, walkCharstring } from './charstring-walk.ts'
import { type CffDict, type CffFont, OP } from './font.ts'
import { CFF_STRINGS } from './standard-strings.ts'

const END_CHARACTER = Uint8Array.of(14)
const RETURN = Uint8Array.of(11)
/** Operators whose operand is a string number (TN 5176, table 9). */
const STRING_OPERATORS: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 1200, 1221, 1222, 1238])
/** Operators whose operands are file offsets. */
const PLACE_OPERATORS: ReadonlySet<number> = new Set([OP.charset, OP.encoding, OP.charStrings, OP.private, OP.fdArray, OP.fdSelect])

/** Writes a subset with the glyphs `wanted`. `keepNumbers`: true if glyphs keep their numbers (a name-keyed font that is used by CID). */
export function subsetCff(font: CffFont, wanted: ReadonlySet<number>, keepNumbers: boolean): Uint8Array {
  return new CffSubset(font, wanted, keepNumbers).write()
}

export function indexBytes(items: readonly Uint8Array[]): Uint8Array {
  const out = new FontWriter().u16(items.length)
  if (items.length === 0) return out.done()
  const total = items.reduce((sum, item) => sum + item.length, 1)
  const size = total < 256 ? 1 : total < 65_536 ? 2 : total < 1 << 24 ? 3 : 4
  out.u8(size)
  const offset = (value: number) => {
    for (let k = size - 1; k >= 0; k--) out.u8(Math.floor(value / 256 ** k) & 255)
  }
  let at = 1
  offset(at)
  for (const item of items) {
    at += item.length
    offset(at)
  }
  for (const item of items) out.put(item)
  return out.done()
}

/** Encodes an integer in five bytes, so that the length does not depend on the value. */
export const fixedInteger = (value: number) => [29, (value >> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255]

interface PrivatePart {
  dict: Uint8Array
  subrs: Uint8Array
}

/** Parts of the new font that contain no file offsets. */
interface Parts {
  charset: Uint8Array
  encoding: Uint8Array | undefined
  select: Uint8Array | undefined
  charstrings: Uint8Array
  privates: PrivatePart[]
  globalSubrs: Uint8Array
}

/** Offsets of the parts in the new font. */
interface Places {
  charset: number
  encoding: number
  select: number
  charstrings: number
  dicts: number
  privates: number[]
}

class CffSubset {
  private readonly font: CffFont
  private readonly keep = new Set<number>([0])
  private readonly glyphs: number[]
  private readonly usedGlobal = new Set<number>()
  private readonly usedLocal: Set<number>[]
  private readonly strings: Uint8Array[] = []
  private readonly stringNumbers = new Map<number, number>()

  constructor(font: CffFont, wanted: ReadonlySet<number>, keepNumbers: boolean) {
    this.font = font
    this.usedLocal = font.privates.map(() => new Set<number>())
    const todo = [0]
    const add = (glyph: number) => {
      if (glyph <= 0 || glyph >= font.count || this.keep.has(glyph)) return
      this.keep.add(glyph)
      todo.push(glyph)
    }
    for (const glyph of wanted) add(glyph)
    for (let glyph = todo.pop(); glyph !== undefined; glyph = todo.pop()) this.follow(glyph, add)
    let last = 0
    for (const glyph of this.keep) last = Math.max(last, glyph)
    this.glyphs = keepNumbers ? Array.from({ length: last + 1 }, (_, i) => i) : [...this.keep].sort((a, b) => a - b)
  }

  private follow(glyph: number, add: (glyph: number) => void): void {
    const { font, usedGlobal } = this
    const dict = font.fontDictOf[glyph]!
    const { subrs } = font.privates[dict]!
    const pick = (list: readonly Uint8Array[], used: Set<number>) => (biased: number) => {
      const index = biased + biasOf(list.length)
      used.add(index)
      return list[index]
    }
    walkCharstring(font.charstrings[glyph]!, {
      local: pick(subrs, this.usedLocal[dict]!),
      global: pick(font.globalSubrs, usedGlobal),
      accent: (code) => {
        if (!font.cidKeyed) add(font.glyphOfName(STANDARD[code] ?? ''))
      },
    })
  }

  /** Replaces unused subroutines by a return, and shortens the list as far as the bias of subroutine numbers stays the same. */
  private pruned(list: readonly Uint8Array[], used: ReadonlySet<number>): Uint8Array[] {
    if (used.size === 0) return []
    let length = maxOf(used) + 1
    while (biasOf(length) !== biasOf(list.length) && length < list.length) length++
    return list.slice(0, length).map((subroutine, i) => (used.has(i) ? subroutine : RETURN))
  }

  /** Returns the number of a string in the new font. */
  private string(id: number): number {
    if (id < CFF_STRINGS.length) return id
    let number = this.stringNumbers.get(id)
    if (number === undefined) {
      number = CFF_STRINGS.length + this.strings.length
      this.strings.push(this.font.strings[id - CFF_STRINGS.length] ?? new Uint8Array(0))
      this.stringNumbers.set(id, number)
    }
    return number
  }

  private charset(): Uint8Array {
    const { font } = this
    const out = new FontWriter().u8(0)
    for (const glyph of this.glyphs.slice(1)) {
      out.u16(font.cidKeyed ? font.charset[glyph]! : this.keep.has(glyph) ? this.string(font.charset[glyph]!) : 0)
    }
    return out.done()
  }

  /** Writes FDSelect (TN 5176, section 19, format 3). */
  private fontDictSelect(): Uint8Array {
    const runs: [first: number, dict: number][] = []
    this.glyphs.forEach((glyph, i) => {
      const dict = this.font.fontDictOf[glyph]!
      if (runs[runs.length - 1]?.[1] !== dict) runs.push([i, dict])
    })
    const out = new FontWriter().u8(3).u16(runs.length)
    for (const [first, dict] of runs) out.u16(first).u8(dict)
    return out.u16(this.glyphs.length).done()
  }

  /** Writes a custom encoding (TN 5176, section 12): further codes of a glyph become supplements. `undefined`: the codes do not fit. */
  private encoding(): Uint8Array | undefined {
    const codes = [...this.font.encoding()].filter(([, glyph]) => this.keep.has(glyph))
    const position = new Map(this.glyphs.map((glyph, i) => [glyph, i]))
    const first = new Map<number, number>()
    const more: [code: number, glyph: number][] = []
    for (const [code, glyph] of codes) {
      if (first.has(glyph)) more.push([code, glyph])
      else first.set(glyph, code)
    }
    // The format needs a code for every glyph up to the last encoded one. Glyphs without a code get unused codes.
    const last = Math.max(0, maxOf([...first.keys()].map((glyph) => position.get(glyph)!)))
    const free = Array.from({ length: 256 }, (_, code) => code).filter((code) => !this.font.encoding().has(code))
    const main: number[] = []
    for (let i = 1; i <= last && i <= 255; i++) {
      const code = first.get(this.glyphs[i]!) ?? free.pop()
      if (code === undefined) return undefined
      main.push(code)
    }
    if (last > 255 || more.length > 255) return undefined
    const out = new FontWriter()
      .u8(more.length ? 128 : 0)
      .u8(main.length)
      .put(main)
    if (more.length) {
      out.u8(more.length)
      for (const [code, glyph] of more) out.u8(code).u16(this.string(this.font.charset[glyph]!))
    }
    return out.done()
  }

  private dictBytes(dict: CffDict, places: ReadonlyMap<number, readonly number[]>): Uint8Array {
    const out = new FontWriter()
    for (const [operator, entry] of dict) {
      const numbers = this.replaced(operator, entry.values, places)
      if (!numbers) {
        if (!PLACE_OPERATORS.has(operator)) out.put(entry.raw)
        continue
      }
      for (const value of numbers) out.put(fixedInteger(value))
      if (operator >= 1200) out.u8(12).u8(operator - 1200)
      else out.u8(operator)
    }
    return out.done()
  }

  private replaced(
    operator: number,
    values: readonly number[],
    places: ReadonlyMap<number, readonly number[]>,
  ): readonly number[] | undefined {
    const place = places.get(operator)
    if (place) return place
    if (operator === OP.ros) return [this.string(values[0] ?? 0), this.string(values[1] ?? 0), values[2] ?? 0]
    return STRING_OPERATORS.has(operator) && values.length === 1 ? [this.string(values[0]!)] : undefined
  }

  write(): Uint8Array {
    const parts = this.parts()
    const { head, dicts } = this.front(parts, this.places(parts))
    const { charset, encoding, select, charstrings, privates } = parts
    const out = new FontWriter().put(head).put(charset)
    if (encoding) out.put(encoding)
    if (select) out.put(select)
    out.put(charstrings).put(dicts)
    for (const p of privates) out.put(p.dict).put(p.subrs)
    return out.done()
  }

  private parts(): Parts {
    const { font } = this
    const charset = this.charset()
    const ownEncoding = !font.cidKeyed && font.value(OP.encoding, 0) > 1
    const encoding = ownEncoding ? this.encoding() : undefined
    if (ownEncoding && !encoding) throw new RangeError('CFF: the encoding has more codes than the format allows')
    return {
      charset,
      encoding,
      select: font.cidKeyed ? this.fontDictSelect() : undefined,
      charstrings: indexBytes(this.glyphs.map((glyph) => (this.keep.has(glyph) ? font.charstrings[glyph]! : END_CHARACTER))),
      privates: this.privates(),
      globalSubrs: indexBytes(this.pruned(font.globalSubrs, this.usedGlobal)),
    }
  }

  private privates(): PrivatePart[] {
    return this.font.privates.map(({ entries, subrs }, i) => {
      const kept = this.pruned(subrs, this.usedLocal[i]!)
      const out = new FontWriter()
      for (const [operator, entry] of entries) if (operator !== OP.subrs) out.put(entry.raw)
      // Local subroutines directly follow the private dictionary.
      if (kept.length) out.put(fixedInteger(out.length + 6)).u8(OP.subrs)
      return { dict: out.done(), subrs: kept.length ? indexBytes(kept) : new Uint8Array(0) }
    })
  }

  private places(parts: Parts): Places {
    const places: Places = { charset: 0, encoding: 0, select: 0, charstrings: 0, dicts: 0, privates: parts.privates.map(() => 0) }
    // The first pass collects the strings that the dictionaries refer to. Lengths are final from the second pass on.
    this.front(parts, places)
    const { head, dicts } = this.front(parts, places)
    let at = head.length
    const next = (length: number) => {
      const place = at
      at += length
      return place
    }
    places.charset = next(parts.charset.length)
    places.encoding = next(parts.encoding?.length ?? 0)
    places.select = next(parts.select?.length ?? 0)
    places.charstrings = next(parts.charstrings.length)
    places.dicts = next(dicts.length)
    places.privates = parts.privates.map((p) => next(p.dict.length + p.subrs.length))
    return places
  }

  /** Writes the header, the top dictionary and strings, and the font dictionaries of a CID-keyed font. */
  private front({ encoding, globalSubrs, privates }: Parts, at: Places): { head: Uint8Array; dicts: Uint8Array } {
    const { font } = this
    const top = new Map(font.top)
    if (!top.has(OP.charset)) top.set(OP.charset, { values: [0], raw: new Uint8Array(0) })
    const privatePlace = (i: number) => [privates[i]!.dict.length, at.privates[i]!]
    const places = new Map<number, readonly number[]>([
      [OP.charset, [at.charset]],
      [OP.charStrings, [at.charstrings]],
    ])
    if (encoding) places.set(OP.encoding, [at.encoding])
    else if (font.value(OP.encoding, 0) === 1) places.set(OP.encoding, [1])
    if (font.cidKeyed) {
      places.set(OP.fdArray, [at.dicts])
      places.set(OP.fdSelect, [at.select])
    } else if (top.has(OP.private)) places.set(OP.private, privatePlace(0))
    const dict = this.dictBytes(top, places)
    const dicts = indexBytes(font.fontDicts.map((d, i) => this.dictBytes(d, new Map([[OP.private, privatePlace(i)]]))))
    const head = new FontWriter()
      .put([1, 0, 4, 4])
      .put(indexBytes([font.name]))
      .put(indexBytes([dict]))
    return { head: head.put(indexBytes(this.strings)).put(globalSubrs).done(), dicts: font.cidKeyed ? dicts : new Uint8Array(0) }
  }
}
