/** Checks that a font gets a subset tag (ISO 32000-2, 9.9.2) if and only if it lost glyphs. */
import { describe, expect, it } from 'vitest'
import { Dict, nameOf } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { buildPdf, flate, type Part } from './build.ts'
import { press } from './run.ts'
import { trueType } from './true-type-font.ts'

const program: Part = { dict: `/Length1 ${trueType().length}/Filter/FlateDecode`, data: flate(trueType()) }
const simple = (name: string, descriptor: string) =>
  `<</Type/Font/Subtype/TrueType/BaseFont/${name}/FirstChar 32/LastChar 33/Widths[500 500]/FontDescriptor ${descriptor}>>`
const descriptor = (name: string, file: number) => `<</Type/FontDescriptor/FontName/${name}/Flags 4/FontFile2 ${file} 0 R>>`

/** Document whose objects from 5 on are fonts; the first one is /F. */
const documentOf = (text: string, fonts: readonly Part[], catalog = '', page = '') =>
  buildPdf([
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>${page}>>`,
    { dict: '', data: `BT /F 9 Tf ${text} Tj ET` },
    ...fonts,
  ])

/** All values of /BaseFont and /FontName, including nested dictionaries. */
async function fontNames(bytes: Uint8Array): Promise<string[]> {
  const reader = await Reader.open(memorySource(bytes, 'x.pdf'))
  const names: string[] = []
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect)
    if (!(value instanceof Dict)) return
    for (const [key, item] of value) {
      if (key === 'BaseFont' || key === 'FontName') names.push(nameOf(item))
      else collect(item)
    }
  }
  for (let number = 1; number < reader.xref.size; number++) collect(await reader.get(number))
  return names
}

const TAGGED = /^[A-Z]{6}\+Made$/

describe('a font that loses glyphs', () => {
  it('gets one deterministic subset tag in its dictionary and its descriptor', async () => {
    const source = documentOf('( !)', [simple('Made', '6 0 R'), descriptor('Made', 7), program])
    const names = await fontNames((await press(source, 'high')).bytes)
    expect(names).toHaveLength(2)
    expect(names[0]).toMatch(TAGGED)
    expect(names[1]).toBe(names[0])
    expect(await fontNames((await press(source, 'high')).bytes)).toEqual(names)
  })

  const type0 = (descendants: string) => `<</Type/Font/Subtype/Type0/BaseFont/Made/Encoding/Identity-H/DescendantFonts ${descendants}>>`
  const cid = (holder: string) =>
    `<</Type/Font/Subtype/CIDFontType2/BaseFont/Made/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/CIDToGIDMap/Identity/FontDescriptor ${holder}>>`

  it.each<[string, Part[]]>([
    ['an array with a reference', [type0('[6 0 R]'), cid('7 0 R'), descriptor('Made', 8), program]],
    ['a reference to an array', [type0('9 0 R'), cid('7 0 R'), descriptor('Made', 8), program, '[6 0 R]']],
    ['an array with a dictionary', [type0(`[${cid('7 0 R')}]`), 'null', descriptor('Made', 8), program]],
    ['a descriptor inside the descendant', [type0('[6 0 R]'), cid(descriptor('Made', 7)), program]],
  ])('gets the tag in all three dictionaries of a composite font: %s', async (_how, fonts) => {
    const names = await fontNames((await press(documentOf('<00030004>', fonts), 'high')).bytes)
    expect(names).toHaveLength(3)
    expect(names[0]).toMatch(TAGGED)
    expect(new Set(names).size).toBe(1)
  })

  it('keeps an existing subset tag', async () => {
    const source = documentOf('( !)', [simple('QWERTY+Made', '6 0 R'), descriptor('QWERTY+Made', 7), program])
    expect(await fontNames((await press(source, 'high')).bytes)).toEqual(['QWERTY+Made', 'QWERTY+Made'])
  })
})

describe('a font that keeps all glyphs keeps its name', () => {
  const fonts = [simple('Made', '6 0 R'), descriptor('Made', 7), program]
  const claim = (part: number): Part => ({
    dict: '/Type/Metadata/Subtype/XML',
    data: `<x:xmpmeta><rdf:Description pdfaid:part="${part}" pdfaid:conformance="B"/></x:xmpmeta>`,
  })
  const box = { dict: '/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</Font<</F 5 0 R>>>>', data: 'BT /F 9 Tf (!) Tj ET' }
  const note = (subtype: string) => `<</Type/Annot/Subtype/${subtype}/Rect[0 0 9 9]/DA(/F 9 Tf)/AP<</N 8 0 R>>>>`

  it.each<[string, Uint8Array]>([
    ['if a form offers it for typing', documentOf('( !)', fonts, '/AcroForm<</Fields[]/DR<</Font<</F 5 0 R>>>>>>')],
    ['if a form field is drawn with it', documentOf('( !)', [...fonts, box, note('Widget')], '', '/Annots[9 0 R]')],
    ['if a text box is drawn with it', documentOf('( !)', [...fonts, box, note('FreeText')], '', '/Annots[9 0 R]')],
    ['in PDF/A-1, which requires a glyph list for each subset tag', documentOf('( !)', [...fonts, claim(1)], '/Metadata 8 0 R')],
  ])('%s', async (_why, source) => {
    const { bytes } = await press(source, 'low')
    expect(await fontNames(bytes)).toEqual(['Made', 'Made'])
    expect(await longestProgram(bytes)).toBe(trueType().length)
  })

  it('except in PDF/A-2, where a subset tag needs no glyph list', async () => {
    const names = await fontNames((await press(documentOf('( !)', [...fonts, claim(2)], '/Metadata 8 0 R'), 'low')).bytes)
    expect(names[0]).toMatch(TAGGED)
  })

  async function longestProgram(bytes: Uint8Array): Promise<number> {
    const reader = await Reader.open(memorySource(bytes, 'x.pdf'))
    for (let number = 1; number < reader.xref.size; number++) {
      const object = await reader.get(number)
      if (object && typeof object === 'object' && 'dict' in object && object.dict.has('Length1')) return Number(object.dict.get('Length1'))
    }
    return -1
  }
})
