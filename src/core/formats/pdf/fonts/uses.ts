/** Converts the use of a font program in PDF font dictionaries into the input of the font library. */
import type { Encoding, FontUse, SimpleUse } from '../../../fonts/code-glyphs.ts'
import { MAC_ROMAN, STANDARD, WIN_ANSI } from '../../../fonts/glyph-names.ts'
import { Dict, Name, nameOf, type PdfObject, Stream } from '../objects.ts'
import type { Reader } from '../reader.ts'
import type { ShownFont } from './shown.ts'

const BASE_ENCODINGS: Readonly<Record<string, Encoding>> = {
  WinAnsiEncoding: WIN_ANSI,
  MacRomanEncoding: MAC_ROMAN,
  StandardEncoding: STANDARD,
}

/** Maximum size of a CIDToGIDMap in bytes. The standard needs two bytes for each of 65,536 CIDs; the limit is twice that. */
const MAX_GLYPH_MAP_BYTES = 256 * 1024

/** Bits of /Flags in a font descriptor (ISO 32000-2, 9.8.2, table 121). */
const SYMBOLIC = 4
const NONSYMBOLIC = 32

/**
 * Describes how `fonts` use their program. Its outlines are TrueType (`glyf`) or charstrings. `undefined`: one font uses it in an
 * unsupported form, so the program must stay complete.
 */
export async function fontUses(
  reader: Reader,
  outlines: 'glyf' | 'charstrings',
  fonts: readonly ShownFont[],
): Promise<FontUse[] | undefined> {
  const uses: FontUse[] = []
  for (const font of fonts) {
    if (font.kind === 'other') return undefined
    if (font.kind === 'simple') {
      uses.push(await simpleUse(reader, font))
      continue
    }
    const map = await reader.entry(font.cidFont, 'CIDToGIDMap')
    // Only fonts with TrueType outlines have a CIDToGIDMap stream (ISO 32000-2, 9.7.4.2).
    if (map instanceof Stream && outlines !== 'glyf') return undefined
    const glyphMap = map instanceof Stream ? await reader.decoded(map, MAX_GLYPH_MAP_BYTES) : undefined
    uses.push({ kind: 'cid', codes: font.codes, glyphMap })
  }
  return uses
}

async function simpleUse(reader: Reader, { dict, codes }: ShownFont): Promise<SimpleUse> {
  const flags = dict.has('Encoding') ? 0 : await reader.number(await reader.dict(dict.get('FontDescriptor')), 'Flags', 0)
  const ownCodes = (flags & (SYMBOLIC | NONSYMBOLIC)) === SYMBOLIC
  return { kind: 'simple', codes, ownCodes, ...(await encodingOf(reader, dict, codes)) }
}

/** Parses /Encoding of a simple font (ISO 32000-2, 9.6.5). Only the entries of `codes` are returned. */
async function encodingOf(reader: Reader, font: Dict, codes: ReadonlySet<number>): Promise<Pick<SimpleUse, 'base' | 'differences'>> {
  const encoding = await reader.entry(font, 'Encoding')
  const differences = new Map<number, string>()
  if (encoding instanceof Name) return { base: BASE_ENCODINGS[encoding.value], differences }
  if (!(encoding instanceof Dict)) return { base: undefined, differences }
  const list = await reader.entry(encoding, 'Differences')
  let code = 0
  for (const item of Array.isArray(list) ? list : []) {
    const value: PdfObject = await reader.resolve(item)
    if (typeof value === 'number') code = value
    else if (value instanceof Name) {
      if (codes.has(code)) differences.set(code, value.value)
      code++
    }
  }
  return { base: BASE_ENCODINGS[nameOf(await reader.entry(encoding, 'BaseEncoding'))], differences }
}
