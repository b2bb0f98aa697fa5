/** OpenType fonts with CFF outlines (ISO/IEC 14496-22, 5.4). */
import { FontView } from '../bytes.ts'
import { Cff } from '../cff/font.ts'
import { readFontTables } from './truetype.ts'

const FONT_MATRIX = 1207
/** Units per em of a CFF font without a FontMatrix (TN 5176, table 9). */
const USUAL_UNITS = 1000
/** Bytes of the `head` table (ISO/IEC 14496-22, 5.2.2). */
const HEAD_BYTES = 54

/** True if the font has TrueType outlines. */
export const hasOutlineTable = (data: Uint8Array): boolean => readFontTables(data)?.has('glyf') ?? false

/** Returns the CFF table of an OpenType font, or all of `data` if it is a bare CFF font. */
export const cffOf = (data: Uint8Array): Uint8Array => readFontTables(data)?.get('CFF ') ?? data

/**
 * Returns the CFF table if it can replace the OpenType font. `undefined`: readers also use other tables. `cids`: all CIDs that the document
 * shows.
 */
export function independentCff(data: Uint8Array, cids: Iterable<number>): Uint8Array | undefined {
  const tables = readFontTables(data)
  const [cff, head] = [tables?.get('CFF '), tables?.get('head')]
  if (!cff || !head || head.length < HEAD_BYTES || new FontView(head).u16(18) !== USUAL_UNITS) return undefined
  const font = new Cff(cff)
  if (font.top.has(FONT_MATRIX)) return undefined
  // Some readers look up CIDs in a bare CFF font, but interpret them as glyph numbers in an OpenType file.
  if (font.cidKeyed) for (const cid of cids) if (font.glyphOfCid(cid) !== cid) return undefined
  return cff
}
