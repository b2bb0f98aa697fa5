/**
 * Determines the glyphs of a font program that a document's codes may show. Readers search encodings and tables in different orders, so
 * every glyph that any reader could choose is kept. Section numbers refer to ISO 32000-2.
 */
import type { Cff } from './cff/font.ts'
import { MAC_GLYPHS } from './cff/standard-strings.ts'
import { MAC_ROMAN, STANDARD, unicodeOf, WIN_ANSI } from './glyph-names.ts'
import { characterMaps, type FontTables, glyphNames } from './sfnt/truetype.ts'
import type { Type1 } from './type1/program.ts'

export type Encoding = readonly (string | undefined)[]

/** Use of a font with single-byte codes (ISO 32000-2, 9.6). */
export interface SimpleUse {
  readonly kind: 'simple'
  /** Character codes that the document shows. */
  readonly codes: ReadonlySet<number>
  /** Encoding that the document selects. `undefined`: none. */
  readonly base: Encoding | undefined
  /** Glyph names that replace those of `base`, by code. */
  readonly differences: ReadonlyMap<number, string>
  /** True if all readers use the font program's own encoding: a symbolic font for which the document selects no encoding. */
  readonly ownCodes: boolean
}

/** Use of a font whose glyphs have CIDs (ISO 32000-2, 9.7). */
interface CidUse {
  readonly kind: 'cid'
  /** CIDs that the document shows. */
  readonly codes: ReadonlySet<number>
  /** Glyph number of each CID in two bytes (ISO 32000-2, 9.7.4.2). `undefined`: CIDs are glyph numbers. */
  readonly glyphMap: Uint8Array | undefined
}

export type FontUse = SimpleUse | CidUse

/** Lookups that readers may make in a font program for the shown codes, with the results. */
export type GlyphLookups = Map<string, string>

/** Returns every glyph name that a code may have in some reader, because readers differ in the order of encodings. */
function namesOf(code: number, { base, differences }: SimpleUse): Set<string> {
  const names = new Set<string>()
  for (const name of [differences.get(code), base?.[code], STANDARD[code], WIN_ANSI[code], MAC_ROMAN[code]]) if (name) names.add(name)
  return names
}

/**
 * Returns the needed glyph numbers of a TrueType font. `undefined`: the font must stay complete. Records lookups in `cmap` and `post` in
 * `answers`.
 */
export function trueTypeGlyphs(tables: FontTables, uses: readonly FontUse[], answers: GlyphLookups = new Map()): Set<number> | undefined {
  const glyphs = new Set<number>([0])
  for (const use of uses) {
    if (use.kind === 'cid') addCids(use, glyphs)
    else if (!addCodes(tables, use, glyphs, answers)) return undefined
  }
  return glyphs
}

function addCids({ codes, glyphMap }: CidUse, glyphs: Set<number>): void {
  for (const cid of codes) glyphs.add(glyphMap ? ((glyphMap[cid * 2] ?? 0) << 8) | (glyphMap[cid * 2 + 1] ?? 0) : cid)
}

/**
 * Adds glyphs that readers may find for codes (ISO 32000-2, 9.6.5.4): by Unicode in map (3,1), by Mac codes in (1,0), by 0xF000 + code in
 * (3,0), or by names in `post`. Returns false if the font must stay complete.
 */
function addCodes(tables: FontTables, use: SimpleUse, glyphs: Set<number>, answers: GlyphLookups): boolean {
  const maps = characterMaps(tables.get('cmap'))
  const named = glyphNames(tables.get('post'), MAC_GLYPHS)
  for (const code of use.codes) {
    if (maps.length === 0) glyphs.add(code)
    const names = namesOf(code, use)
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
      // Some readers interpret names such as g12 and glyph12 as glyph numbers.
      const number = /^(?:g|gid|glyph|cid|index|G|c|C)0*(\d{1,5})$/.exec(name)
      if (number) glyphs.add(Number(number[1]))
    }
    // The name is neither in the glyph list nor in the font's `post` table, so the glyph is unknown.
    const difference = use.differences.get(code)
    if (difference && unicodeOf(difference) < 0 && !named.has(difference) && !/\d/.test(difference) && difference !== '.notdef')
      return false
  }
  return true
}

/**
 * Returns the lookups for simple fonts in a font program with named glyphs. If all readers use the same name for a code (from
 * `differences`, or by `ownCodes`), only that name is looked up.
 */
export function nameLookups(
  uses: readonly FontUse[],
  has: (name: string) => boolean,
  own: (code: number) => string | undefined,
): GlyphLookups {
  const answers: GlyphLookups = new Map()
  const ask = (name: string) => answers.set(`/${name}`, has(name) ? 'yes' : 'no')
  for (const use of uses) {
    if (use.kind !== 'simple') continue
    for (const code of use.codes) {
      const difference = use.differences.get(code)
      if (difference !== undefined && has(difference)) {
        ask(difference)
        continue
      }
      const built = own(code)
      answers.set(`${code}`, built ?? '')
      if (built !== undefined && use.ownCodes) ask(built)
      else for (const name of namesOf(code, use)) ask(name)
    }
  }
  return answers
}

/** Returns the needed glyph names of a Type 1 program. `undefined`: the program must stay complete. */
export function type1Names(program: Type1, uses: readonly FontUse[]): Set<string> | undefined {
  const wanted = new Set<string>()
  for (const use of uses) {
    if (use.kind !== 'simple') return undefined
    for (const code of use.codes) {
      for (const name of namesOf(code, use)) wanted.add(name)
      const own = program.encoding.get(code)
      if (own) wanted.add(own)
    }
  }
  return wanted
}

function add(glyphs: Set<number>, glyph: number | undefined): void {
  if (glyph) glyphs.add(glyph)
}

/**
 * Returns the needed glyph numbers of a CFF font. `keepNumbers`: true if the document refers to glyphs by number. `undefined`: the font
 * must stay complete.
 */
export function cffGlyphs(cff: Cff, uses: readonly FontUse[]): { glyphs: Set<number>; keepNumbers: boolean } | undefined {
  const glyphs = new Set<number>([0])
  let keepNumbers = false
  for (const use of uses) {
    if (use.kind === 'cid') {
      if (use.glyphMap) return undefined
      if (!cff.cidKeyed) keepNumbers = true
      for (const cid of use.codes) add(glyphs, Math.max(0, cff.glyphOfCid(cid)))
    } else if (!cff.cidKeyed) {
      const own = cff.encoding()
      for (const code of use.codes) {
        for (const name of namesOf(code, use)) add(glyphs, Math.max(0, cff.glyphOfName(name)))
        add(glyphs, own.get(code))
      }
    } else return undefined
  }
  return { glyphs, keepNumbers }
}
