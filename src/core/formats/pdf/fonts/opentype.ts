/** OpenType programs in /FontFile3 (ISO 32000-2, 9.9.1, table 124). */
import { FontView } from '../../../fonts/sfnt/bytes.ts'
import { tablesOf } from '../../../fonts/sfnt/truetype.ts'
import { nameOf } from '../objects.ts'
import { Cff } from './cff.ts'
import type { FontProgram } from './shown.ts'

const FONT_MATRIX = 1207
/** What a CFF font without a matrix is drawn in (TN 5176, table 9). */
const USUAL_UNITS = 1000

export const hasOutlineTable = (data: Uint8Array): boolean => tablesOf(data)?.has('glyf') ?? false

/** The CFF table, or what is a bare CFF font already. */
export const cffOf = (data: Uint8Array): Uint8Array => tablesOf(data)?.get('CFF ') ?? data

/** The CFF table, where it alone says what fonts of this kind show; undefined where readers ask other tables, too. */
export function bareCff(data: Uint8Array, program: FontProgram): Uint8Array | undefined {
  const tables = tablesOf(data)
  const [cff, head] = [tables?.get('CFF '), tables?.get('head')]
  if (!cff || !head || head.length < 54 || new FontView(head).u16(18) !== USUAL_UNITS) return undefined
  const font = new Cff(cff)
  if (font.top.has(FONT_MATRIX)) return undefined
  // Some readers look up CIDs in a bare font, but take them for glyph numbers in an OpenType file.
  if (font.cidKeyed && program.fonts.some(({ codes }) => [...codes].some((cid) => font.glyphOfCid(cid) !== cid))) return undefined
  const byCff = program.fonts.every(({ dict, cidFont }) => /^(Type1|CIDFontType0)$/.test(nameOf((cidFont ?? dict).get('Subtype'))))
  return byCff ? cff : undefined
}

/** /Subtype of the bare font. */
export const compactSubtype = (program: FontProgram): string => (program.fonts[0]?.kind === 'cid' ? 'CIDFontType0C' : 'Type1C')
