/**
 * Which glyphs a font program needs for the codes that a document shows. Readers differ in which table they ask first, so every
 * glyph that any reader could choose is kept. Section numbers are those of ISO 32000-2.
 */
import type { Cff } from './cff/font.ts'
import { MAC_GLYPHS } from './cff/standard-strings.ts'
import { MAC_ROMAN, STANDARD, unicodeOf, WIN_ANSI } from './glyph-names.ts'
import { characterMaps, glyphNames, type Tables } from './sfnt/truetype.ts'
import type { Type1 } from './type1/program.ts'

export type Encoding = readonly (string | undefined)[]

/** How a document uses a font whose codes are single bytes (9.6). */
export interface SimpleUse {
  readonly kind: 'simple'
  /** Codes that are shown. */
  readonly codes: ReadonlySet<number>
  /** Encoding that the document names. `undefined`: it names none. */
  readonly base: Encoding | undefined
  /** Glyph names that replace those of `base`, by code. */
  readonly differences: ReadonlyMap<number, string>
  /** True if readers agree that codes mean what the font program itself says: a symbolic font without an encoding. */
  readonly ownCodes: boolean
}

/** How a document uses a font whose glyphs have CIDs (9.7). */
export interface CidUse {
  readonly kind: 'cid'
  /** CIDs that are shown. */
  readonly codes: ReadonlySet<number>
  /** Glyph number of each CID, two bytes each (9.7.4.2). `undefined`: CIDs are glyph numbers. */
  readonly glyphMap: Uint8Array | undefined
}

export type FontUse = SimpleUse | CidUse

/** Questions that readers may ask a font program to show some codes, and its answers. */
export type Answers = Map<string, string>

/** Every name that a code could mean: readers differ in which encoding they ask first. */
function namesOf(code: number, { base, differences }: SimpleUse): Set<string> {
  const names = new Set<string>()
  for (const name of [differences.get(code), base?.[code], STANDARD[code], WIN_ANSI[code], MAC_ROMAN[code]]) if (name) names.add(name)
  return names
}

/** Numbers of the glyphs of a TrueType font. `undefined`: it must stay whole. `answers` receives what `cmap` and `post` say. */
export function trueTypeGlyphs(tables: Tables, uses: readonly FontUse[], answers: Answers = new Map()): Set<number> | undefined {
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
 * 9.6.5.4: through (3,1) and Unicode, (1,0) and Mac names, (3,0) and 0xF000 + code, or the names in `post`. False: the font must
 * stay whole.
 */
function addCodes(tables: Tables, use: SimpleUse, glyphs: Set<number>, answers: Answers): boolean {
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
      // Names like g12 and glyph12 are glyph numbers to some readers.
      const number = /^(?:g|gid|glyph|cid|index|G|c|C)0*(\d{1,5})$/.exec(name)
      if (number) glyphs.add(Number(number[1]))
    }
    // A name that is not in our glyph list, in a font that does not name its glyphs.
    const difference = use.differences.get(code)
    if (difference && unicodeOf(difference) < 0 && !named.has(difference) && !/\d/.test(difference) && difference !== '.notdef')
      return false
  }
  return true
}

/**
 * Answers of a font program with named glyphs for the codes of simple fonts. If all readers agree which name a code means (one
 * of `differences` that the program has, or `ownCodes`), only that name is asked.
 */
export function nameAnswers(uses: readonly FontUse[], has: (name: string) => boolean, own: (code: number) => string | undefined): Answers {
  const answers: Answers = new Map()
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

/** Names of the glyphs of a Type 1 program. `undefined`: it must stay whole. */
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

/** Numbers of the glyphs of a CFF font. `keepNumbers`: the document names glyphs by number. `undefined`: it must stay whole. */
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
