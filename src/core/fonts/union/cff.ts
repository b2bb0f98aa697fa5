/** Merges CFF programs that are different subsets of the same font. */

import { concat } from '../../bytes/concat.ts'
import { hex } from '../../bytes/hex.ts'
import { latin1Bytes, latin1Of } from '../../bytes/latin1.ts'
import { maxOf } from '../../bytes/min-max.ts'
import { createHash } from '../../bytes/platform/crypto.ts'
import { biasOf, flatCharstring } from '../cff/charstring-walk.ts'
import { type Cff, type CffDict, type CffFont, OP, type PrivateDict } from '../cff/font.ts'
import { CFF_STRINGS } from '../cff/standard-strings.ts'
import { fixedInteger, subsetCff } from '../cff/subset.ts'
import { cffGlyphs, type FontUse, type GlyphLookups, nameLookups } from '../code-glyphs.ts'
import { STANDARD } from '../glyph-names.ts'
import type { FontPart, FontUnion } from './part.ts'

/** How glyphs are referred to: by CID, by number (name-keyed fonts that are used by CID) or by name. */
type Keys = 'cid' | 'number' | 'name'

export interface CffPart extends FontPart {
  keys: Keys
  frame: Frame
}

/** A font without its glyphs, and its font dictionaries by digest. */
interface Frame {
  name: Uint8Array
  top: CffDict
  strings: Uint8Array[]
  dicts: Map<string, { dict: CffDict; private: CffDict }>
}

const DIGEST_BYTES = 32
/**
 * Operators of the top dictionary that affect drawing: FontBBox (renderers position glyphs by it), FontMatrix, PaintType, StrokeWidth (TN
 * 5176, table 9).
 */
const DRAWING = [5, 1207, 1205, 1208]
const CID_COUNT = 1234
const FONT_NAME = 1238

/**
 * Returns the part of a program that a document shows. `undefined`: not supported. Outlines contain no subroutine calls, because each
 * subset numbers subroutines differently.
 */
export function cffPart(cff: Cff, uses: readonly FontUse[]): CffPart | undefined {
  // The expert encoding is not supported.
  if (cff.value(OP.encoding, 0) === 1) return undefined
  const kinds = new Set(uses.map((use) => use.kind))
  const wanted = kinds.size === 1 ? cffGlyphs(cff, uses) : undefined
  if (!wanted) return undefined
  const keys: Keys = cff.cidKeyed ? 'cid' : wanted.keepNumbers ? 'number' : 'name'
  const answers = keys === 'name' ? encodingLookups(cff, uses) : numberAnswers(cff, uses)
  const frame: Frame = { name: cff.name, top: cff.top, strings: cff.strings, dicts: new Map() }
  const digests = cff.privates.map((privateDict, i) => {
    const text = digestOf(cff.fontDicts[i], privateDict.entries)
    frame.dicts.set(hex(text), { dict: cff.fontDicts[i] ?? new Map(), private: privateDict.entries })
    return text
  })
  const glyphs = new Map<string, Uint8Array>()
  const todo = [0, ...wanted.glyphs]
  for (let glyph = todo.pop(); glyph !== undefined; glyph = todo.pop()) {
    const key = keyOf(cff, keys, glyph)
    if (glyph < 0 || glyph >= cff.count || glyphs.has(key)) continue
    const accents: number[] = []
    glyphs.set(key, concat([digests[cff.fontDictOf[glyph]!]!, flat(cff, glyph, (code) => accents.push(code))]))
    // Components of composites are looked up by name.
    if (accents.length && keys !== 'name') return undefined
    for (const code of accents) todo.push(cff.glyphOfName(STANDARD[code] ?? ''))
  }
  const custom = keys === 'name' && cff.value(OP.encoding, 0) > 1
  const drawing = DRAWING.map((operator) => hexOf(cff.top.get(operator)?.raw))
  const [registry, ordering] = cff.top.get(OP.ros)?.values.map((id) => cff.stringOf(id)) ?? []
  const essentials = [keys, custom, ...drawing, registry, ordering].join('|')
  return {
    commonProperties: essentials,
    glyphs,
    lookups: answers,
    bytes: subsetCff(cff, wanted.glyphs, wanted.keepNumbers).length,
    keys,
    frame,
  }
}

function keyOf(cff: CffFont, keys: Keys, glyph: number): string {
  if (keys === 'number' || glyph === 0) return String(glyph)
  return keys === 'cid' ? String(cff.charset[glyph]) : `/${cff.stringOf(cff.charset[glyph] ?? 0)}`
}

function flat(cff: Cff, glyph: number, accent: (code: number) => void): Uint8Array {
  const { subrs } = cff.privates[cff.fontDictOf[glyph]!]!
  const pick = (list: readonly Uint8Array[]) => (biased: number) => list[biased + biasOf(list.length)]
  return flatCharstring(cff.charstrings[glyph]!, { local: pick(subrs), global: pick(cff.globalSubrs), accent })
}

const hexOf = (bytes: Uint8Array | undefined) => (bytes ? hex(bytes) : '')
const SEPARATOR = latin1Bytes('|')

/** Digest of a font dictionary and its private dictionary, without names and file offsets. */
function digestOf(dict: CffDict | undefined, privateDict: CffDict): Uint8Array {
  const hash = createHash('sha256')
  const add = (entries: CffDict, without: readonly number[]) => {
    for (const [operator, entry] of [...entries].sort(([a], [b]) => a - b)) if (!without.includes(operator)) hash.update(entry.raw)
    hash.update(SEPARATOR)
  }
  add(dict ?? new Map(), [OP.private, FONT_NAME])
  add(privateDict, [OP.subrs])
  return hash.digest()
}

/** Lookups by name and by the built-in encoding, for a font with named glyphs. */
export function encodingLookups(cff: Cff, uses: readonly FontUse[]): GlyphLookups {
  const own = cff.encoding()
  return nameLookups(
    uses,
    (name) => cff.glyphOfName(name) >= 0,
    (code) => {
      const glyph = own.get(code)
      return glyph === undefined ? undefined : cff.stringOf(cff.charset[glyph]!)
    },
  )
}

/** Lookups by CID: whether the font has a glyph. A missing glyph must stay missing in a union. */
function numberAnswers(cff: Cff, uses: readonly FontUse[]): GlyphLookups {
  const answers: GlyphLookups = new Map()
  for (const use of uses) for (const cid of use.codes) answers.set(`${cid}`, cff.glyphOfCid(cid) >= 0 ? 'yes' : 'no')
  return answers
}

/** Writes the union as a font file. @throws RangeError if it exceeds the limits of CFF */
export function writeCff(union: FontUnion<CffPart>): Uint8Array {
  const font = new UnionFont(union)
  return subsetCff(font, new Set(font.charstrings.keys()), union.first.keys === 'number')
}

class UnionFont implements CffFont {
  readonly name: Uint8Array
  readonly top: CffDict
  readonly strings: Uint8Array[]
  readonly globalSubrs: Uint8Array[] = []
  readonly charstrings: Uint8Array[] = []
  readonly privates: PrivateDict[] = []
  readonly fontDicts: CffDict[] = []
  readonly fontDictOf: Uint8Array
  readonly cidKeyed: boolean
  readonly charset: Uint16Array
  private readonly glyphs = new Map<string, number>()
  private readonly codes = new Map<number, number>()

  constructor(union: FontUnion<CffPart>) {
    const { keys, frame } = union.first
    this.name = frame.name
    this.top = new Map(frame.top)
    this.strings = [...frame.strings]
    this.cidKeyed = keys === 'cid'
    const dictNumbers = this.collectDicts(frame, union.parts.values())
    const order = inOrder(union, keys)
    const count = keys === 'number' ? maxOf(order.map(Number)) + 1 : order.length
    this.fontDictOf = new Uint8Array(count)
    this.charset = new Uint16Array(count)
    order.forEach((key, i) => {
      const glyph = keys === 'number' ? Number(key) : i
      const bytes = union.glyphs.get(key)!
      this.charstrings[glyph] = bytes.subarray(DIGEST_BYTES)
      const dict = dictNumbers.get(hex(bytes.subarray(0, DIGEST_BYTES)))
      if (dict === undefined || dict > 255) throw new RangeError('CFF: at most 256 font dictionaries are supported')
      this.fontDictOf[glyph] = dict
      this.charset[glyph] = keys === 'cid' ? Number(key) : keys === 'name' && key !== '0' ? this.string(key.slice(1)) : 0
      this.glyphs.set(key, glyph)
    })
    for (let glyph = 0; glyph < count; glyph++) this.charstrings[glyph] ??= END_CHARACTER
    if (keys !== 'name') return
    if (this.value(OP.encoding, 0) > 1) this.collectCodes(union.lookups)
    else for (const [code, name] of STANDARD.entries()) this.code(code, name ?? '')
  }

  private collectDicts(frame: Frame, parts: Iterable<CffPart>): Map<string, number> {
    const numbers = new Map<string, number>()
    let cids = 0
    for (const part of parts) {
      cids = Math.max(cids, part.frame.top.get(CID_COUNT)?.values[0] ?? USUAL_CIDS)
      for (const [digest, { dict, private: privateDict }] of part.frame.dicts) {
        if (numbers.has(digest)) continue
        numbers.set(digest, this.privates.length)
        this.privates.push({ entries: privateDict, subrs: [] })
        // FontName is a string number, and only the first part's strings are copied.
        if (this.cidKeyed)
          this.fontDicts.push(part.frame === frame ? dict : new Map([...dict].filter(([operator]) => operator !== FONT_NAME)))
      }
    }
    if (this.top.has(CID_COUNT) || cids > USUAL_CIDS) this.top.set(CID_COUNT, { values: [cids], raw: countEntry(cids) })
    return numbers
  }

  private collectCodes(answers: GlyphLookups): void {
    for (const [question, answer] of answers) if (/^\d/.test(question) && answer !== '') this.code(Number(question), answer)
  }

  private code(code: number, name: string): void {
    const glyph = this.glyphs.get(`/${name}`)
    if (glyph !== undefined) this.codes.set(code, glyph)
  }

  private string(text: string): number {
    const standard = CFF_STRINGS.indexOf(text)
    if (standard >= 0) return standard
    return CFF_STRINGS.length + this.strings.push(Uint8Array.from(text, (c) => c.charCodeAt(0))) - 1
  }

  get count(): number {
    return this.charstrings.length
  }
  value(operator: number, otherwise: number): number {
    return this.top.get(operator)?.values[0] ?? otherwise
  }
  stringOf(id: number): string {
    return CFF_STRINGS[id] ?? latin1Of(this.strings[id - CFF_STRINGS.length] ?? new Uint8Array())
  }
  glyphOfName(name: string): number {
    return name === '.notdef' ? 0 : (this.glyphs.get(`/${name}`) ?? -1)
  }
  glyphOfCid(cid: number): number {
    return this.glyphs.get(String(cid)) ?? -1
  }
  encoding(): ReadonlyMap<number, number> {
    return this.codes
  }
}

/** Order of glyphs: glyph 0, then by CID or number. Named glyphs with codes are ordered by code, so that the encoding is short. */
function inOrder({ glyphs, lookups: answers }: FontPart, keys: Keys): string[] {
  const codes = new Map<string, number>()
  for (const [question, answer] of answers) if (/^\d/.test(question)) codes.set(`/${answer}`, Number(question))
  const place = (key: string) => (key === '0' ? -1 : keys === 'name' ? (codes.get(key) ?? 256) : Number(key))
  return [...glyphs.keys()].sort((a, b) => place(a) - place(b))
}

const END_CHARACTER = Uint8Array.of(14)
const countEntry = (count: number) => Uint8Array.from([...fixedInteger(count), 12, 34])
/** Default of CIDCount (TN 5176, table 10). */
const USUAL_CIDS = 8720
