/** Which glyphs a font program needs for the codes that are shown: all that any reader could choose. */

import { characterMaps, glyphNames, type Tables } from '../../../fonts/sfnt/truetype.ts'
import { Dict, Name, nameOf, type PdfObject, Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import type { Cff } from './cff.ts'
import { MAC_GLYPHS } from './cff-strings.ts'
import { MAC_ROMAN, STANDARD, unicodeOf, WIN_ANSI } from './names.ts'
import type { ShownFont } from './shown.ts'
import type { Type1 } from './type1/program.ts'

type Names = readonly (string | undefined)[]

interface Encoding {
  base: Names | undefined
  differences: Map<number, string>
}

const BASE_ENCODINGS: Readonly<Record<string, Names>> = {
  WinAnsiEncoding: WIN_ANSI,
  MacRomanEncoding: MAC_ROMAN,
  StandardEncoding: STANDARD,
}

/** /Encoding of a simple font (9.6.5). */
async function encodingOf(reader: Reader, font: Dict): Promise<Encoding> {
  const encoding = await reader.entry(font, 'Encoding')
  const differences = new Map<number, string>()
  if (encoding instanceof Name) return { base: BASE_ENCODINGS[encoding.value], differences }
  if (!(encoding instanceof Dict)) return { base: undefined, differences }
  const list = await reader.entry(encoding, 'Differences')
  let code = 0
  for (const item of Array.isArray(list) ? list : []) {
    const value: PdfObject = await reader.resolve(item)
    if (typeof value === 'number') code = value
    else if (value instanceof Name) differences.set(code++, value.value)
  }
  return { base: BASE_ENCODINGS[nameOf(await reader.entry(encoding, 'BaseEncoding'))], differences }
}

/** Every name that a code could mean: readers differ in which encoding they ask first. */
function namesOf(code: number, { base, differences }: Encoding): Set<string> {
  const names = new Set<string>()
  for (const name of [differences.get(code), base?.[code], STANDARD[code], WIN_ANSI[code], MAC_ROMAN[code]]) if (name) names.add(name)
  return names
}

const MAX_MAP_BYTES = 128 * 1024

/** What readers may ask a font program in order to show some codes, and what it says: the question → the answer. */
export type Answers = Map<string, string>

/** Undefined when the font must stay whole. `answers` are what `cmap` and `post` said. */
export async function trueTypeGlyphs(
  reader: Reader,
  tables: Tables,
  fonts: readonly ShownFont[],
  answers: Answers = new Map(),
): Promise<Set<number> | undefined> {
  const glyphs = new Set<number>([0])
  for (const font of fonts) {
    if (font.kind === 'cid') await addCids(reader, font, glyphs)
    else if (font.kind !== 'simple' || !(await addCodes(reader, tables, font, glyphs, answers))) return undefined
  }
  return glyphs
}

/** /CIDToGIDMap (9.7.4.2). */
async function addCids(reader: Reader, font: ShownFont, glyphs: Set<number>): Promise<void> {
  const map = await reader.entry(font.cidFont, 'CIDToGIDMap')
  const table = map instanceof Stream ? await reader.decoded(map, MAX_MAP_BYTES * 2) : undefined
  for (const cid of font.codes) glyphs.add(table ? ((table[cid * 2] ?? 0) << 8) | (table[cid * 2 + 1] ?? 0) : cid)
}

/** 9.6.5.4: through (3,1) and Unicode, (1,0) and Mac names, (3,0) and 0xF000 + code, or the names in `post`. */
async function addCodes(reader: Reader, tables: Tables, font: ShownFont, glyphs: Set<number>, answers: Answers): Promise<boolean> {
  const encoding = await encodingOf(reader, font.dict)
  const maps = characterMaps(tables.get('cmap'))
  const named = glyphNames(tables.get('post'), MAC_GLYPHS)
  for (const code of font.codes) {
    if (maps.length === 0) glyphs.add(code)
    const names = namesOf(code, encoding)
    for (const [index, { glyphs: map }] of maps.entries()) {
      const ask = (character: number) => {
        const glyph = map.get(character) ?? 0
        answers.set(`${index} ${character}`, String(glyph))
        if (glyph) glyphs.add(glyph)
      }
      for (const start of [0, 0xf000, 0xf100, 0xf200]) ask(start + code)
      for (const name of names) {
        const unicode = unicodeOf(name)
        if (unicode >= 0) {
          ask(unicode)
          ask(0xf000 + unicode)
        }
        const mac = MAC_ROMAN.indexOf(name)
        if (mac >= 0) ask(mac)
      }
    }
    for (const name of names) {
      const bearers = named.get(name) ?? []
      answers.set(`/${name}`, bearers.join(' '))
      for (const glyph of bearers) glyphs.add(glyph)
      // Names like g12 and glyph12 are glyph numbers to some readers.
      const number = /^(?:g|gid|glyph|cid|index|G|c|C)0*(\d{1,5})$/.exec(name)
      if (number) glyphs.add(Number(number[1]))
    }
    // A name from a larger glyph list than ours, in a font that does not name its glyphs.
    const difference = encoding.differences.get(code)
    if (difference && unicodeOf(difference) < 0 && !named.has(difference) && !/\d/.test(difference) && difference !== '.notdef')
      return false
  }
  return true
}

/** Bits of a descriptor's /Flags (9.8.2, table 121). */
const SYMBOLIC = 4
const NONSYMBOLIC = 32

/**
 * What a program with named glyphs says about the codes of simple fonts. Where all readers agree which name a code means
 * (one of /Differences that the program has; the program's own encoding where the font has none), only that is asked.
 */
export async function nameAnswers(
  reader: Reader,
  fonts: readonly ShownFont[],
  has: (name: string) => boolean,
  own: (code: number) => string | undefined,
): Promise<Answers> {
  const answers: Answers = new Map()
  const ask = (name: string) => answers.set(`/${name}`, has(name) ? 'yes' : 'no')
  for (const font of fonts) {
    const encoding = await encodingOf(reader, font.dict)
    const flags = await reader.number(await reader.dict(font.dict.get('FontDescriptor')), 'Flags', 0)
    const ownCodes = !font.dict.has('Encoding') && (flags & (SYMBOLIC | NONSYMBOLIC)) === SYMBOLIC
    for (const code of font.codes) {
      const difference = encoding.differences.get(code)
      if (difference !== undefined && has(difference)) {
        ask(difference)
        continue
      }
      const built = own(code)
      answers.set(`${code}`, built ?? '')
      if (built !== undefined && ownCodes) ask(built)
      else for (const name of namesOf(code, encoding)) ask(name)
    }
  }
  return answers
}

/** Names of the glyphs of a Type 1 program; undefined when it must stay whole. */
export async function type1Names(reader: Reader, program: Type1, fonts: readonly ShownFont[]): Promise<Set<string> | undefined> {
  const wanted = new Set<string>()
  for (const font of fonts) {
    if (font.kind !== 'simple') return undefined
    const encoding = await encodingOf(reader, font.dict)
    for (const code of font.codes) {
      for (const name of namesOf(code, encoding)) wanted.add(name)
      const own = program.encoding.get(code)
      if (own) wanted.add(own)
    }
  }
  return wanted
}

function add(glyphs: Set<number>, glyph: number | undefined): void {
  if (glyph) glyphs.add(glyph)
}

/** `keepNumbers`: the font is used by glyph number. Undefined when it must stay whole. */
export async function cffGlyphs(
  reader: Reader,
  cff: Cff,
  fonts: readonly ShownFont[],
): Promise<{ glyphs: Set<number>; keepNumbers: boolean } | undefined> {
  const glyphs = new Set<number>([0])
  let keepNumbers = false
  for (const font of fonts) {
    if (font.kind === 'cid') {
      if (!cff.cidKeyed) keepNumbers = true
      if ((await reader.entry(font.cidFont, 'CIDToGIDMap')) instanceof Stream) return undefined
      for (const cid of font.codes) add(glyphs, Math.max(0, cff.glyphOfCid(cid)))
    } else if (font.kind === 'simple' && !cff.cidKeyed) {
      const encoding = await encodingOf(reader, font.dict)
      const own = cff.encoding()
      for (const code of font.codes) {
        for (const name of namesOf(code, encoding)) add(glyphs, Math.max(0, cff.glyphOfName(name)))
        add(glyphs, own.get(code))
      }
    } else return undefined
  }
  return { glyphs, keepNumbers }
}
