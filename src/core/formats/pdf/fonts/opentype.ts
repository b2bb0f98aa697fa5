/** OpenType font programs in /FontFile3 (ISO 32000-2, 9.9.1, table 124). */
import { independentCff } from '../../../fonts/sfnt/opentype.ts'
import { nameOf } from '../objects.ts'
import type { FontProgram } from './shown.ts'

/** Returns the CFF table if it alone shows the same glyphs in these fonts. `undefined`: PDF readers need other tables, too. */
export function standaloneCff(data: Uint8Array, { fonts }: FontProgram): Uint8Array | undefined {
  const byCff = fonts.every(({ dict, cidFont }) => /^(Type1|CIDFontType0)$/.test(nameOf((cidFont ?? dict).get('Subtype'))))
  const cff = independentCff(data, shownCodes(fonts))
  return byCff ? cff : undefined
}

function* shownCodes(fonts: FontProgram['fonts']): Iterable<number> {
  for (const { codes } of fonts) yield* codes
}

/** Value of /Subtype for a bare CFF font program. */
export const compactSubtype = (program: FontProgram): string => (program.fonts[0]?.kind === 'cid' ? 'CIDFontType0C' : 'Type1C')
