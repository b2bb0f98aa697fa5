import { describe, expect, it } from 'vitest'
import { FontWriter } from '../../../../src/core/fonts/bytes.ts'
import { Cff } from '../../../../src/core/fonts/cff/font.ts'
import { indexBytes, subsetCff } from '../../../../src/core/fonts/cff/subset.ts'
import { MAC_ROMAN, STANDARD, unicodeOf, WIN_ANSI } from '../../../../src/core/fonts/glyph-names.ts'
import { subsetTrueType } from '../../../../src/core/fonts/sfnt/subset.ts'
import { characterMaps, glyphNames, Outlines, readFontTables } from '../../../../src/core/fonts/sfnt/truetype.ts'
import { parseCMap } from '../../../../src/core/formats/pdf/fonts/cmap.ts'
import { glyphMapVerifier } from '../../../../src/core/formats/pdf/fonts/judge.ts'
import { pruneToUnicode, toUnicodeDifference } from '../../../../src/core/formats/pdf/fonts/to-unicode.ts'
import { Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { withFidelity } from '../../../support/fidelity.ts'
import { inEnglish } from '../../../support/in-english.ts'
import { buildPdf, flate } from './build.ts'
import { press } from './run.ts'
import { trueType } from './true-type-font.ts'

/** Name-keyed CFF font with glyphs .notdef, space and others. Each charstring calls a local subroutine. */
function cff(): Uint8Array {
  const count = 40
  const integer = (value: number) => [29, (value >> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255]
  const charstrings = indexBytes(
    Array.from({ length: count }, (_, g) => (g ? Uint8Array.of(139 + g, 139, 21, 139 - 107 + (g % 4), 10, 14) : Uint8Array.of(14))),
  )
  const subrs = indexBytes(Array.from({ length: 4 }, (_, i) => Uint8Array.of(139 + i, 140, 5, 11)))
  const privateDict = Uint8Array.of(...integer(6), 19)
  const head = new FontWriter().put([1, 0, 4, 4]).put(indexBytes([Uint8Array.of(65)]))
  const topLength = 5 + 1 + 10 + 1
  const tail = new FontWriter().u16(0).u16(0).done() // no strings and no global subroutines
  const at = head.length + (2 + 1 + 2 + topLength) + tail.length
  const top = Uint8Array.of(...integer(at), 17, ...integer(6), ...integer(at + charstrings.length), 18)
  return head
    .put(indexBytes([top]))
    .put(tail)
    .put(charstrings)
    .put(privateDict)
    .put(subrs)
    .done()
}

describe('TrueType', () => {
  it('keeps only the requested outlines and their components', () => {
    const font = trueType()
    const before = new Outlines(readFontTables(font)!)
    const small = subsetTrueType(readFontTables(font)!, 0x10000, new Set([5, 9]), true)!
    const tables = readFontTables(small)!
    const after = new Outlines(tables)
    expect(small.length).toBeLessThan(font.length / 3)
    expect(after.count).toBe(10)
    for (const glyph of [3, 4, 5, 9]) expect(Buffer.compare(after.of(glyph), before.of(glyph))).toBe(0)
    for (const glyph of [1, 2, 6, 7, 8]) expect(after.of(glyph).length).toBe(0)
    expect([...characterMaps(tables.get('cmap'))[0]!.glyphs]).toEqual([
      [34, 3],
      [35, 4],
      [36, 5],
      [40, 9],
    ])
  })

  it('does not crash on fonts truncated at any position', () => {
    const font = trueType()
    for (let length = 0; length < font.length; length += 61) {
      try {
        const tables = readFontTables(font.subarray(0, length))
        if (tables) subsetTrueType(tables, 0x10000, new Set([5, 9]), true)
        glyphNames(font.subarray(length), [])
        characterMaps(font.subarray(length))
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }
  })
})

describe('CFF', () => {
  it('keeps the requested charstrings and the subroutines they call', () => {
    const font = new Cff(cff())
    const small = new Cff(subsetCff(font, new Set([1, 5]), false))
    expect(small.count).toBe(3)
    expect(Buffer.compare(small.charstrings[2]!, font.charstrings[5]!)).toBe(0)
    expect(small.stringOf(small.charset[2]!)).toBe(font.stringOf(font.charset[5]!))
    expect(Buffer.compare(small.privates[0]!.subrs[1]!, font.privates[0]!.subrs[1]!)).toBe(0)
  })

  it('does not crash on fonts truncated at any position', () => {
    const font = cff()
    for (let length = 0; length < font.length; length += 3) {
      try {
        subsetCff(new Cff(font.subarray(0, length)), new Set([1, 2, 3]), false)
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError)
      }
    }
  })
})

describe('fonts in a document', () => {
  const document = (text: string, more = '') =>
    buildPdf([
      `<</Type/Catalog/Pages 2 0 R${more}>>`,
      '<</Type/Pages/Kids[3 0 R]/Count 1>>',
      '<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
      { dict: '', data: `BT /F 9 Tf ${text} Tj ET` },
      '<</Type/Font/Subtype/TrueType/BaseFont/Made/FirstChar 32/LastChar 33/Widths[500 500]/FontDescriptor 6 0 R>>',
      '<</Type/FontDescriptor/FontName/Made/Flags 4/FontFile2 7 0 R>>',
      { dict: `/Length1 ${trueType().length}/Filter/FlateDecode`, data: flate(trueType()) },
    ])

  async function fontLength(bytes: Uint8Array): Promise<number> {
    const reader = await Reader.open(memorySource(bytes, 'x.pdf'))
    for (let number = 1; number < reader.xref.size; number++) {
      const object = await reader.get(number)
      if (object instanceof Stream && object.dict.has('Length1')) return (await reader.decoded(object, 1 << 20)).length
    }
    return -1
  }

  async function hmtxOf(bytes: Uint8Array): Promise<Uint8Array> {
    const reader = await Reader.open(memorySource(bytes, 'x.pdf'))
    for (let number = 1; number < reader.xref.size; number++) {
      const object = await reader.get(number)
      if (object instanceof Stream && object.dict.has('Length1')) return readFontTables(await reader.decoded(object, 1 << 20))!.get('hmtx')!
    }
    throw new Error('no font')
  }

  it('lose glyphs that no page shows', async () => {
    const { outcome, bytes } = await press(document('(!!)'), 'high')
    expect(inEnglish(withFidelity(outcome))).toMatchObject({
      fidelity: 'lossless',
      steps: expect.arrayContaining(['unused glyphs removed from 1 fonts']),
    })
    expect(await fontLength(bytes)).toBeLessThan(trueType().length / 4)
    const metrics = await hmtxOf(bytes)
    expect([...metrics.subarray(8, 12)]).toEqual([1, 246, 0, 2]) // glyph 2 keeps its width of 502 units
  })

  it('keep all glyphs if PDF readers disagree about the text', async () => {
    const { bytes } = await press(document('<212X21>'), 'low')
    expect(await fontLength(bytes)).toBe(trueType().length)
  })

  it('keep all glyphs for form fields that can still be filled in', async () => {
    const { bytes } = await press(document('(!!)', '/AcroForm<</Fields[]/DR<</Font<</F 5 0 R>>>>>>'), 'low')
    expect(await fontLength(bytes)).toBe(trueType().length)
  })
})

describe('CIDToGIDMap streams', () => {
  const map = new Uint8Array(131_072)
  for (let cid = 0; cid < 60_000; cid++) {
    map[cid * 2] = (cid * 7) & 255
    map[cid * 2 + 1] = (cid * 13 + (cid >> 3)) & 255
  }
  map.set([0, 9], 0x41 * 2)
  const program = trueType()
  const source = buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    { dict: '', data: 'BT /F 9 Tf <0041> Tj ET' },
    '<</Type/Font/Subtype/Type0/BaseFont/A/Encoding/Identity-H/DescendantFonts[6 0 R]>>',
    '<</Type/Font/Subtype/CIDFontType2/BaseFont/A/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/CIDToGIDMap 8 0 R/FontDescriptor 7 0 R>>',
    '<</Type/FontDescriptor/FontName/A/Flags 4/FontFile2 9 0 R>>',
    { dict: '/Filter/FlateDecode', data: flate(map) },
    { dict: `/Filter/FlateDecode/Length1 ${program.length}`, data: flate(program) },
  ])

  it('lose entries of CIDs that are never shown', async () => {
    const { outcome, bytes } = await press(source, 'high')
    expect(withFidelity(outcome)).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    expect(bytes.length).toBeLessThan(4000)
  })

  it('must not contain new entries', async () => {
    const [a, b] = [await Reader.open(memorySource(source, 'a.pdf')), await Reader.open(memorySource(source, 'b.pdf'))]
    const stream = (await a.get(8)) as Stream
    const judge = glyphMapVerifier(a, b)
    expect(await judge({ key: 'CIDToGIDMap', number: 8, original: stream, result: stream })).toBeUndefined()
    const other = (await b.get(9)) as Stream
    expect(await judge({ key: 'CIDToGIDMap', number: 8, original: stream, result: other })).toContain('CID')
  })
})

describe('ToUnicode maps and CMaps', () => {
  const map = `1 begincodespacerange <0000> <ffff> endcodespacerange
    2 beginbfrange <0041> <0045> <0061> <0050> <0051> [<0070> <00710072>] endbfrange
    1 beginbfchar <0060> <20ac> endbfchar`
  const bytes = Buffer.from(map)

  it('keep the text of the codes that are shown', () => {
    const pruned = pruneToUnicode(bytes, new Set([0x43, 0x51, 0x60]))!
    expect(Buffer.from(pruned).toString()).toContain('<0043><0063>\n<0051><00710072>\n<0060><20ac>')
    expect(toUnicodeDifference(bytes, pruned)).toBeUndefined()
    expect(toUnicodeDifference(bytes, Buffer.from(Buffer.from(pruned).toString().replace('<0063>', '<0064>')))).toContain('67')
  })

  it('stay unchanged if a shown code has no text', () => expect(pruneToUnicode(bytes, new Set([0x43, 0x99]))).toBeUndefined())

  it('map ranges of codes to CIDs', () => {
    const cmap = parseCMap(
      Buffer.from('1 begincodespacerange <00> <ff> endcodespacerange 2 begincidrange <20> <3f> 100 <40> <7e> 500 endcidrange'),
    )!
    expect([0x20, 0x41, 0x7f].map((code) => cmap.cid(code, 1))).toEqual([100, 501, 0])
  })

  it('contain the standard encodings', () => {
    expect([WIN_ANSI[0x80], MAC_ROMAN[0x80], STANDARD[0xae], WIN_ANSI[0xb2]]).toEqual(['Euro', 'Adieresis', 'fi', 'twosuperior'])
    expect([unicodeOf('Euro'), unicodeOf('uni20AC'), unicodeOf('nothing')]).toEqual([0x20ac, 0x20ac, -1])
  })
})
