import { describe, expect, it } from 'vitest'
import { FontWriter } from '../../../../src/core/fonts/bytes.ts'
import { Cff } from '../../../../src/core/fonts/cff/font.ts'
import { fixedInteger, indexBytes } from '../../../../src/core/fonts/cff/subset.ts'
import { fontFile } from '../../../../src/core/fonts/sfnt/truetype.ts'
import { standaloneCff } from '../../../../src/core/formats/pdf/fonts/opentype.ts'
import type { FontProgram } from '../../../../src/core/formats/pdf/fonts/shown.ts'
import { Dict, Name } from '../../../../src/core/formats/pdf/objects.ts'

/** CID-keyed font whose glyphs 1, 2, … have these CIDs (Adobe Technical Note 5176, section 18). */
function cidFont(cids: readonly number[]): Uint8Array {
  const strings = indexBytes(['Adobe', 'Identity'].map((text) => Buffer.from(text)))
  const charset = new FontWriter().u8(0)
  for (const cid of cids) charset.u16(cid)
  const select = new Uint8Array(cids.length + 2)
  const charstrings = indexBytes([Uint8Array.of(14), ...cids.map(() => Uint8Array.of(139, 139, 21, 180, 180, 5, 14))])
  const write = (at: number): Uint8Array => {
    const places = [at]
    for (const { length } of [charset, select, charstrings]) places.push(places.at(-1)! + length)
    const dict = indexBytes([Uint8Array.of(...fixedInteger(0), ...fixedInteger(places[0]!), 18)])
    const top = [...fixedInteger(391), ...fixedInteger(392), ...fixedInteger(0), 12, 30, ...fixedInteger(places[0]!), 15]
    top.push(...fixedInteger(places[1]!), 12, 37, ...fixedInteger(places[2]!), 17, ...fixedInteger(places[3]!), 12, 36)
    const head = new FontWriter()
      .put([1, 0, 4, 4])
      .put(indexBytes([Uint8Array.of(65)]))
      .put(indexBytes([Uint8Array.from(top)]))
    head.put(strings).put(indexBytes([]))
    if (head.length !== at) return write(head.length)
    return head.put(charset.done()).put(select).put(charstrings).put(dict).done()
  }
  return write(0)
}

const openType = (cff: Uint8Array): Uint8Array => {
  const head = new FontWriter().u32(0x10000).put(new Uint8Array(14)).u16(1000).put(new Uint8Array(34)).done()
  return fontFile(
    new Map([
      ['CFF ', cff],
      ['head', head],
    ]),
    0x4f54544f,
  )
}

const shown = (...codes: number[]): FontProgram => {
  const dict = new Dict([['Subtype', Name.of('CIDFontType0')]])
  return { key: 'FontFile3', fonts: [{ kind: 'cid', dict, cidFont: dict, codes: new Set(codes) }] } as unknown as FontProgram
}

describe('an OpenType font with a CID-keyed CFF table', () => {
  it('is reduced to its CFF table if CIDs equal glyph numbers', () => {
    const cff = cidFont([1, 2, 3, 9])
    expect(new Cff(cff).glyphOfCid(9)).toBe(4)
    expect(standaloneCff(openType(cff), shown(1, 2, 3))).toEqual(cff)
  })

  it('stays unchanged if CIDs and glyph numbers differ', () => {
    const data = openType(cidFont([1, 2, 3, 9]))
    expect(standaloneCff(data, shown(1, 9))).toBeUndefined()
    expect(standaloneCff(data, shown(4))).toBeUndefined()
  })
})
