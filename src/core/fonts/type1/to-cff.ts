/** Converts a Type 1 program to a bare CFF font (Type1C): the same outlines, widths, hints, names and encoding in fewer bytes. */
import { FontWriter } from '../bytes.ts'
import { operandBytes, type2Charstring } from '../cff/charstring-writer.ts'
import { CFF_STRINGS } from '../cff/standard-strings.ts'
import { indexBytes } from '../cff/subset.ts'
import { STANDARD } from '../glyph-names.ts'
import type { Outline } from '../outline.ts'
import { MAX_NOTICE_CHARACTERS } from '../tuning.ts'
import { type1Outline } from './charstring-outline.ts'
import type { Type1 } from './program.ts'

const ASCII = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0) & 255)
const DEFAULT_MATRIX = [0.001, 0, 0, 0.001, 0, 0]

/** Entries of the private dictionary: Type 1 key, CFF operator (TN 5176, table 23), whether it is a delta list, default value. */
const PRIVATE: readonly [key: string, operator: number, delta: boolean, otherwise?: number][] = [
  ['BlueValues', 6, true],
  ['OtherBlues', 7, true],
  ['FamilyBlues', 8, true],
  ['FamilyOtherBlues', 9, true],
  ['StdHW', 10, false],
  ['StdVW', 11, false],
  ['BlueScale', 1209, false, 0.039625],
  ['BlueShift', 1210, false, 7],
  ['BlueFuzz', 1211, false, 1],
  ['StemSnapH', 1212, true],
  ['StemSnapV', 1213, true],
  ['ForceBold', 1214, false, 0],
  ['LanguageGroup', 1217, false, 0],
  ['ExpansionFactor', 1218, false, 0.06],
]

/** Converts the glyphs `wanted` and the components of composites. `undefined`: all glyphs. */
export function convertType1(font: Type1, wanted: ReadonlySet<string> | undefined): Uint8Array {
  return writeType1C(font, type1Outlines(font, wanted))
}

/** Data of a Type 1 program that the CFF font needs in addition to the outlines. */
export type Type1Metadata = Pick<Type1, 'name' | 'notice' | 'top' | 'private' | 'encoding' | 'standard'>

export function writeType1C(font: Type1Metadata, outlines: ReadonlyMap<string, Outline>): Uint8Array {
  const names = order(font, outlines)
  const strings: string[] = []
  const stringNumber = (text: string) => {
    const known = CFF_STRINGS.indexOf(text)
    if (known >= 0) return known
    let index = strings.indexOf(text)
    if (index < 0) index = strings.push(text) - 1
    return CFF_STRINGS.length + index
  }
  const widths = names.map((name) => outlines.get(name)!.width)
  const { usual, nominal } = bestWidths(widths)
  const charstrings = indexBytes(
    names.map((name, i) => type2Charstring(outlines.get(name)!, widths[i] === usual ? undefined : widths[i]! - nominal)),
  )
  const charset = new FontWriter().u8(0)
  for (const name of names.slice(1)) charset.u16(stringNumber(name))
  const encoding = font.standard ? undefined : encodingBytes(font, names, stringNumber)
  const privateDict = privateBytes(font, usual, nominal)
  const head = (at: { charset: number; encoding: number; charstrings: number; private: number }) => {
    const top = new FontWriter()
    if (font.notice) entry(top, 1, [stringNumber(font.notice.slice(0, MAX_NOTICE_CHARACTERS))])
    topEntries(top, font)
    placed(top, 15, [at.charset])
    if (encoding) placed(top, 16, [at.encoding])
    placed(top, 17, [at.charstrings])
    placed(top, 18, [privateDict.length, at.private])
    return new FontWriter()
      .put([1, 0, 4, 2])
      .put(indexBytes([ASCII(font.name.slice(0, 127) || 'Untitled')]))
      .put(indexBytes([top.done()]))
      .put(indexBytes(strings.map(ASCII)))
      .put(indexBytes([]))
      .done()
  }
  const places = { charset: 0, encoding: 0, charstrings: 0, private: 0 }
  let at = head(places).length
  for (const [key, part] of [
    ['encoding', encoding],
    ['charset', charset.done()],
    ['charstrings', charstrings],
    ['private', privateDict],
  ] as const) {
    places[key] = at
    at += part?.length ?? 0
  }
  const out = new FontWriter().put(head(places))
  if (encoding) out.put(encoding)
  return out.put(charset.done()).put(charstrings).put(privateDict).done()
}

/**
 * Returns the outlines of the glyphs `wanted` and of the components of composites, in the order of the program. `undefined`: all glyphs.
 */
export function type1Outlines(font: Type1, wanted: ReadonlySet<string> | undefined): Map<string, Outline> {
  const outlines = new Map<string, Outline>()
  const todo = ['.notdef', ...(wanted ?? font.charstrings.keys())]
  for (let name = todo.pop(); name !== undefined; name = todo.pop()) {
    const charstring = font.charstrings.get(name)
    if (!charstring || outlines.has(name)) continue
    const outline = type1Outline(font, charstring)
    outlines.set(name, outline)
    if (!outline.accent) continue
    for (const code of [outline.accent.base, outline.accent.accent]) {
      const part = STANDARD[code]
      if (!part || !font.charstrings.has(part)) throw new RangeError(`Type 1: composite glyph ${name} without its components`)
      todo.push(part)
    }
  }
  return new Map([...font.charstrings.keys()].flatMap((name) => (outlines.has(name) ? [[name, outlines.get(name)!] as const] : [])))
}

/** Order of glyphs in the CFF font: `.notdef`, glyphs with codes by code, then the others in the old order. */
function order(font: Type1Metadata, outlines: ReadonlyMap<string, Outline>): string[] {
  const names = new Set(['.notdef'])
  const encoded = font.standard ? [] : [...font.encoding].sort(([a], [b]) => a - b)
  for (const [, name] of encoded) if (outlines.has(name)) names.add(name)
  for (const name of outlines.keys()) names.add(name)
  if (names.size > 65_535) throw new RangeError(`CFF: ${names.size} glyphs, at most 65535 are allowed`)
  return [...names]
}

/** Writes an encoding (TN 5176, section 12, format 0): the codes of the first glyphs, and further codes as supplements. */
function encodingBytes(font: Type1Metadata, names: readonly string[], stringNumber: (text: string) => number): Uint8Array {
  const codes = [...font.encoding].sort(([a], [b]) => a - b)
  const main: number[] = []
  const more: [number, string][] = []
  for (const name of names.slice(1)) {
    const own = codes.filter(([, other]) => other === name).map(([code]) => code)
    if (own.length === 0) break
    main.push(own[0]!)
    for (const code of own.slice(1)) more.push([code, name])
  }
  if (main.length > 255 || more.length > 255) throw new RangeError('CFF: the encoding has more than 255 codes')
  const out = new FontWriter()
    .u8(more.length ? 128 : 0)
    .u8(main.length)
    .put(main)
  if (more.length) out.u8(more.length)
  for (const [code, name] of more) out.u8(code).u16(stringNumber(name))
  return out.done()
}

/**
 * Chooses the default width (the most frequent one, which takes no bytes) and the nominal width for which the other widths take fewest
 * bytes.
 */
function bestWidths(widths: readonly number[]): { usual: number; nominal: number } {
  const counts = new Map<number, number>()
  for (const width of widths.filter(Number.isInteger)) counts.set(width, (counts.get(width) ?? 0) + 1)
  const usual = [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? 0
  const rest = widths.filter((width) => width !== usual)
  const cost = (nominal: number) => rest.reduce((sum, width) => sum + operandBytes(width - nominal).length, 0)
  const candidates = [...new Set(rest)].filter(Number.isInteger).slice(0, 256)
  const nominal = candidates.map((width) => ({ width, cost: cost(width) })).sort((a, b) => a.cost - b.cost)[0]?.width ?? 0
  return { usual, nominal }
}

/** Encodes a number of a dictionary (TN 5176, section 4). */
function dictNumber(value: number): number[] {
  if (Number.isInteger(value) && Math.abs(value) <= 1131) return operandBytes(value)
  // FreeType misreads negative four-byte numbers as large positive numbers, so smaller values are written in two bytes.
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 15) return [28, (value >> 8) & 255, value & 255]
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 31)
    return [29, (value >> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255]
  // Nibbles of a CFF real number: 0 to 9 digits, a decimal point, b E, c E−, e minus sign, f end.
  const text = Number(value.toPrecision(9)).toString().replace(/e\+?/, 'E')
  const nibbles = [...text.replace('E-', 'c').replace('E', 'b').replace('.', 'a').replace('-', 'e')].map((c) => Number.parseInt(c, 16))
  nibbles.push(15)
  if (nibbles.length % 2) nibbles.push(15)
  const bytes = [30]
  for (let i = 0; i < nibbles.length; i += 2) bytes.push(nibbles[i]! * 16 + nibbles[i + 1]!)
  return bytes
}

function operatorBytes(out: FontWriter, operator: number): void {
  if (operator >= 1200) out.u8(12).u8(operator - 1200)
  else out.u8(operator)
}

function entry(out: FontWriter, operator: number, values: readonly number[]): void {
  for (const value of values) out.put(dictNumber(value))
  operatorBytes(out, operator)
}

/** Writes an entry with five-byte integers, so that its length does not depend on the values. */
function placed(out: FontWriter, operator: number, values: readonly number[]): void {
  for (const value of values) out.u8(29).u32(value)
  operatorBytes(out, operator)
}

function topEntries(out: FontWriter, font: Type1Metadata): void {
  const box = font.top.get('FontBBox')
  if (box?.length === 4) entry(out, 5, box)
  const matrix = font.top.get('FontMatrix')
  if (matrix && matrix.length !== 6) throw new RangeError(`Type 1: FontMatrix has ${matrix.length} numbers instead of 6`)
  if (matrix?.some((value, i) => value !== DEFAULT_MATRIX[i])) entry(out, 1207, matrix)
  const [paint = 0] = font.top.get('PaintType') ?? []
  const [stroke = 0] = font.top.get('StrokeWidth') ?? []
  if (paint !== 0) entry(out, 1205, [paint])
  if (stroke !== 0) entry(out, 1208, [stroke])
}

function privateBytes(font: Type1Metadata, usual: number, nominal: number): Uint8Array {
  const out = new FontWriter()
  for (const [key, operator, delta, otherwise] of PRIVATE) {
    const values = font.private.get(key) ?? []
    if (values.length === 0 || (!delta && values[0] === otherwise)) continue
    if (delta)
      entry(
        out,
        operator,
        values.map((value, i) => value - (i ? values[i - 1]! : 0)),
      )
    else entry(out, operator, values.slice(0, 1))
  }
  if (usual !== 0) entry(out, 20, [usual])
  if (nominal !== 0) entry(out, 21, [nominal])
  return out.done()
}
