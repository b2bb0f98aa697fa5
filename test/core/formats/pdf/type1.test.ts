import { describe, expect, it } from 'vitest'
import { type2Outline } from '../../../../src/core/fonts/cff/charstring-outline.ts'
import { Cff } from '../../../../src/core/fonts/cff/font.ts'
import { type1Outline } from '../../../../src/core/fonts/type1/charstring-outline.ts'
import { parseType1 } from '../../../../src/core/fonts/type1/program.ts'
import { convertType1 } from '../../../../src/core/fonts/type1/to-cff.ts'
import { Dict, type Ref, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { withFidelity } from '../../../support/fidelity.ts'
import { textsOf } from '../../../support/in-english.ts'
import { buildPdf } from './build.ts'
import { press } from './run.ts'
import { GLYPHS, type1 } from './type1-font.ts'

function document(text: string): Uint8Array {
  const { data, lengths } = type1()
  return buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    { dict: '', data: `BT /F 20 Tf 10 10 Td (${text}) Tj ET` },
    '<</Type/Font/Subtype/Type1/BaseFont/Test/FirstChar 65/LastChar 67/Widths[600 600 500]/FontDescriptor 6 0 R>>',
    '<</Type/FontDescriptor/FontName/Test/Flags 4/FontBBox[0 -200 1000 900]/ItalicAngle 0/Ascent 700/Descent 0/CapHeight 700/StemV 80/FontFile 7 0 R>>',
    { dict: `/Length1 ${lengths[0]}/Length2 ${lengths[1]}/Length3 ${lengths[2]}`, data },
  ])
}

describe('Type 1', () => {
  it('is parsed with names, codes, hints and outlines', () => {
    const font = parseType1(type1().data)
    expect(font).toMatchObject({ name: 'Test', standard: false })
    expect(font.notice).toContain('test')
    expect([...font.encoding]).toEqual([
      [65, 'A'],
      [66, 'Aacute'],
      [67, 'n'],
      [100, 'A'],
      [105, 'acute'],
    ])
    const outline = type1Outline(font, font.charstrings.get('n')!)
    expect(outline.steps.map((step) => step.kind)).toEqual(['move', 'curve', 'curve'])
    expect(outline.steps.at(-1)).toMatchObject({ x: 1100, y: 0 })
  })

  it('is converted to CFF with equal outlines', () => {
    const font = parseType1(type1().data)
    const cff = new Cff(convertType1(font, undefined))
    expect(cff.count).toBe(Object.keys(GLYPHS).length)
    expect(new Map([...cff.encoding()].map(([code, glyph]) => [code, cff.stringOf(cff.charset[glyph]!)]))).toEqual(font.encoding)
    const drawn = type2Outline(cff.charstrings[cff.glyphOfName('A')]!)
    // Stem hints: two horizontal and two vertical ones, with one hint mask for each of the two groups.
    expect([...cff.charstrings[cff.glyphOfName('A')]!].filter((byte) => byte === 19)).toHaveLength(2)
    expect(drawn.steps[0]).toEqual({ kind: 'move', x: 70, y: 0 })
    const third = type2Outline(cff.charstrings[cff.glyphOfName('acute')]!).steps[2]
    expect(third).toMatchObject({ kind: 'line', y: 540 })
    expect((third as { x: number }).x).toBeCloseTo(75 + 1 / 3, 4)
  })

  it('writes its bounding box in the shortest form, because FreeType misreads negative four-byte integers', () => {
    const font = parseType1(type1().data)
    font.top.set('FontBBox', [-24, -2960, 1454, 772])
    const data = convertType1(font, undefined)
    expect(new Cff(data).top.get(5)?.values).toEqual([-24, -2960, 1454, 772])
    expect([...(new Cff(data).top.get(5)?.raw ?? [])]).toEqual([115, 28, 0xf4, 0x70, 28, 0x05, 0xae, 249, 152, 5])
  })

  it('keeps the components of composite glyphs in a subset', () => {
    const font = parseType1(type1().data)
    const cff = new Cff(convertType1(font, new Set(['Aacute'])))
    expect(Array.from({ length: cff.count - 1 }, (_, i) => cff.stringOf(cff.charset[i + 1]!)).sort()).toEqual(['A', 'Aacute', 'acute'])
    expect(type2Outline(cff.charstrings[cff.glyphOfName('Aacute')]!).accent).toEqual({ x: 160, y: 120, base: 65, accent: 194 })
  })

  it('is replaced in a document by the CFF program under /FontFile3', async () => {
    const { outcome, bytes } = await press(document('ABC'), 'high')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    if (outcome.kind === 'compressed') expect(textsOf(outcome.steps)).toContain('1 Type 1 fonts converted to CFF')
    const reader = await Reader.open(memorySource(bytes, 'small.pdf'))
    for (let number = 1; number < reader.xref.size; number++) {
      const object = await reader.get(number)
      if (!(object instanceof Dict) || object.get('FontBBox') === undefined) continue
      expect(object.has('FontFile')).toBe(false)
      const file = await reader.get((object.get('FontFile3') as Ref).number)
      expect(file).toBeInstanceOf(Stream)
      const cff = new Cff(await reader.decoded(file as Stream, 100_000))
      expect(cff.glyphOfName('unused')).toBe(-1)
      return
    }
    expect.unreachable()
  })

  it('stays unchanged if it is damaged', () => {
    const { data } = type1()
    for (let at = 400; at < data.length - 100; at += 37) {
      const broken = data.slice()
      broken[at] = broken[at]! ^ 0x55
      try {
        convertType1(parseType1(broken), undefined)
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }
    expect(() => parseType1(data.subarray(0, 300))).toThrow(RangeError)
  })
})
