import { describe, expect, it } from 'vitest'
import { FontWriter } from '../../../../src/core/fonts/bytes.ts'
import { type2Outline } from '../../../../src/core/fonts/cff/charstring-outline.ts'
import { Cff } from '../../../../src/core/fonts/cff/font.ts'
import { indexBytes } from '../../../../src/core/fonts/cff/subset.ts'
import { type FontTables, fontFile, metricOf, Outlines, readFontTables } from '../../../../src/core/fonts/sfnt/truetype.ts'
import { Duplicates } from '../../../../src/core/formats/pdf/duplicates.ts'
import { shownGlyphDifference } from '../../../../src/core/formats/pdf/fonts/merge.ts'
import { FontUsage } from '../../../../src/core/formats/pdf/fonts/shown.ts'
import { Ref, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { textsOf } from '../../../support/in-english.ts'
import { buildPdf, flate, type Part } from './build.ts'
import { press } from './run.ts'
import { type1 } from './type1-font.ts'

const OUTLINE_BYTES = 300

/** Outline of a letter, equal in every subset. `é` is a composite of `e` and `´`. */
const drawing = (letter: string): Uint8Array =>
  new FontWriter()
    .u16(1)
    .put(Uint8Array.from({ length: OUTLINE_BYTES }, (_, i) => (i * i * letter.charCodeAt(0) + (i >> 3)) & 255))
    .pad(4)
    .done()

interface Letters {
  /** Letters in glyph order; an empty string is a glyph without an outline. */
  letters: readonly string[]
  /** Character code of each letter. If given, the font has a `cmap`. */
  codes?: readonly number[]
  prep?: string
}

/** TrueType subset with glyph 0 and these letters, starting at glyph 1. */
function trueType({ letters, codes, prep = 'prep' }: Letters): Uint8Array {
  const glyf = new FontWriter()
  const loca = new FontWriter().u32(0)
  const hmtx = new FontWriter().u16(250).u16(0)
  for (const letter of letters) {
    loca.u32(glyf.length)
    if (letter === 'é') {
      const [base, accent] = [letters.indexOf('e') + 1, letters.indexOf('´') + 1]
      glyf.u16(0xffff).put(new Uint8Array(8)).u16(0x0020).u16(base).u16(0).u16(0).u16(accent).u16(0).pad(4)
    } else if (letter) glyf.put(drawing(letter))
    hmtx.u16(letter ? letter.charCodeAt(0) * 5 : 0).u16(3)
  }
  loca.u32(glyf.length)
  const count = letters.length + 1
  const tables: FontTables = new Map([
    ['head', new FontWriter().u32(0x10000).put(new Uint8Array(46)).u16(1).u16(0).done()],
    ['maxp', new FontWriter().u32(0x10000).u16(count).put(new Uint8Array(26)).done()],
    ['hhea', new FontWriter().u32(0x10000).put(new Uint8Array(30)).u16(count).done()],
    ['hmtx', hmtx.done()],
    ['loca', loca.done()],
    ['glyf', glyf.done()],
    ['prep', Uint8Array.from(prep, (c) => c.charCodeAt(0))],
  ])
  if (codes) {
    const table = new Uint8Array(256)
    codes.forEach((code, i) => {
      table[code] = i + 1
    })
    tables.set('cmap', new FontWriter().u16(0).u16(1).u16(1).u16(0).u32(12).u16(0).u16(262).u16(0).put(table).done())
  }
  return fontFile(tables, 0x10000)
}

interface Page {
  text: string
  /** Font dictionary (`font`) and its descendant (`descendant`), both without the descriptor. */
  font: string
  descendant?: string
  file: { key: string; dict: string; data: Uint8Array }
}

function document(pages: readonly Page[]): Uint8Array {
  const objects: Part[] = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${pages.map((_, i) => `${3 + i * 6} 0 R`).join(' ')}]/Count ${pages.length}>>`,
  ]
  pages.forEach(({ text, font, descendant, file }, i) => {
    const at = 3 + i * 6
    const tag = `ABCDE${'ABCDEFG'[i]}+Made`
    const descriptor = `/FontDescriptor ${at + 4} 0 R`
    objects.push(
      `<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents ${at + 1} 0 R/Resources<</Font<</F ${at + 2} 0 R>>>>>>`,
      { dict: '', data: `BT /F 9 Tf ${text} Tj ET` },
      `<</Type/Font/BaseFont/${tag}${font}${descendant ? `/DescendantFonts[${at + 3} 0 R]` : descriptor}>>`,
      descendant ? `<</Type/Font/BaseFont/${tag}${descendant}${descriptor}>>` : 'null',
      `<</Type/FontDescriptor/FontName/${tag}/Flags 4/${file.key} ${at + 5} 0 R>>`,
      { dict: `${file.dict}/Filter/FlateDecode`, data: flate(file.data) },
    )
  })
  return buildPdf(objects)
}

const IDENTITY = '/Subtype/Type0/Encoding/Identity-H'
const CID_TRUETYPE = '/Subtype/CIDFontType2/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>/CIDToGIDMap/Identity'

const byNumber = (letters: readonly string[], glyphs: readonly number[], prep?: string): Page => ({
  text: `<${glyphs.map((glyph) => glyph.toString(16).padStart(4, '0')).join('')}>`,
  font: IDENTITY,
  descendant: CID_TRUETYPE,
  file: { key: 'FontFile2', dict: '', data: trueType({ letters, ...(prep ? { prep } : {}) }) },
})

const byCode = (letters: readonly string[], codes: readonly number[]): Page => ({
  text: `<${codes.map((code) => code.toString(16).padStart(2, '0')).join('')}>`,
  font: `/Subtype/TrueType/FirstChar 0/LastChar 255/Widths[${'500 '.repeat(256)}]`,
  file: { key: 'FontFile2', dict: '', data: trueType({ letters, codes }) },
})

/** Font programs of a document, by object number. */
async function programs(bytes: Uint8Array): Promise<Map<number, Uint8Array>> {
  const reader = await Reader.open(memorySource(bytes, 'x.pdf'))
  const found = new Map<number, Uint8Array>()
  for (let number = 1; number < reader.xref.size; number++) {
    const descriptor = await reader.dict(await reader.get(number))
    for (const key of ['FontFile', 'FontFile2', 'FontFile3']) {
      const file = descriptor?.get(key)
      const stream = await reader.resolve(file)
      if (file instanceof Ref && stream instanceof Stream) found.set(file.number, await reader.decoded(stream, 1 << 20))
    }
  }
  return found
}

async function merged(pages: readonly Page[]): Promise<{ steps: string[]; fonts: Uint8Array[] }> {
  const { outcome, bytes } = await press(document(pages), 'high')
  if (outcome.kind !== 'compressed') throw new Error(JSON.stringify(outcome))
  return { steps: [...textsOf(outcome.steps)], fonts: [...(await programs(bytes)).values()] }
}

const MERGED = '2 font subsets merged with other subsets of the same font'

describe('subsets of one TrueType font', () => {
  it('with equal glyph numbers share one program with all outlines', async () => {
    const { steps, fonts } = await merged([byNumber(['a', 'b', '', 'd'], [1, 2, 4]), byNumber(['a', '', 'c', 'd', 'e'], [1, 3, 5])])
    expect(steps).toContain(MERGED)
    expect(fonts).toHaveLength(1)
    const tables = readFontTables(fonts[0]!)!
    const outlines = new Outlines(tables)
    for (const [i, letter] of ['a', 'b', 'c', 'd', 'e'].entries()) {
      expect(Buffer.compare(outlines.of(i + 1), drawing(letter))).toBe(0)
      expect(metricOf(tables, i + 1)).toEqual([letter.charCodeAt(0) * 5, 3])
    }
  })

  it('that are accessed by code may have different glyph numbers', async () => {
    const { steps, fonts } = await merged([
      byCode(['e', '´', 'é', 'x'], [101, 180, 233, 120]),
      byCode(['x', 'é', 'y', '´', 'e'], [120, 233, 121, 180, 101]),
    ])
    expect(steps).toContain(MERGED)
    expect(fonts).toHaveLength(1)
    const outlines = new Outlines(readFontTables(fonts[0]!)!)
    const glyphs = Array.from({ length: outlines.count }, (_, glyph) => glyph)
    const find = (letter: string) => glyphs.find((glyph) => Buffer.compare(outlines.of(glyph), drawing(letter)) === 0)
    const composite = glyphs.find((glyph) => outlines.parts(glyph).length > 0)!
    expect(outlines.parts(composite)).toEqual([find('e'), find('´')])
    expect(outlines.count).toBe(6)
  })

  it.each([
    ['a glyph number has different outlines', byNumber(['a', 'b', 'c'], [1, 2, 3]), byNumber(['a', 'c', 'b'], [1, 2, 3])],
    ['a glyph is empty in one subset only', byNumber(['a', 'b', 'c'], [1, 2, 3]), byNumber(['a', 'b', ''], [1, 2, 3])],
    ['one subset has fewer glyphs', byNumber(['a', 'b', 'c'], [1, 2, 3]), byNumber(['a', 'b'], [1, 2, 3])],
    ['instructions differ', byNumber(['a', 'b', 'c'], [1, 2]), byNumber(['a', 'b', 'c'], [1, 3], 'other')],
    ['a code has different glyphs', byCode(['a', 'b', 'c'], [1, 2, 3]), byCode(['a', 'c', 'b'], [1, 2, 3])],
    ['a code is missing in one subset', byCode(['a', 'b', 'c'], [1, 2, 3]), { ...byCode(['a', 'b'], [1, 2]), text: '<010203>' }],
  ])('are not merged if %s', async (_, first, second) => {
    const { steps, fonts } = await merged([first, second])
    expect(steps).not.toContain(MERGED)
    expect(fonts).toHaveLength(2)
  })

  it('are verified glyph by glyph and code by code', async () => {
    const source = document([byCode(['a', 'b'], [97, 98]), byCode(['b', 'c'], [98, 99])])
    const reader = await Reader.open(memorySource(source, 'x.pdf'))
    const shelf = new FontUsage(reader, new Duplicates())
    const font = (await shelf.font(new Ref(5, 0)))!
    shelf.addText(font, Uint8Array.of(97, 98))
    const [program] = shelf.programs.values()
    const before = trueType({ letters: ['a', 'b'], codes: [97, 98] })
    const check = (after: Letters) => shownGlyphDifference(reader, program!, before, trueType(after))
    expect(await check({ letters: ['c', 'b', 'a'], codes: [99, 98, 97] })).toBeUndefined()
    expect(await check({ letters: ['c', 'a', 'b'], codes: [99, 98, 97] })).toMatch(/lookup .* differs/)
    expect(await check({ letters: ['a', 'c'], codes: [97, 98] })).toMatch(/lookup .* differs/)
    expect(await check({ letters: ['a'], codes: [97] })).toMatch(/lookup .* differs/)
  })
})

/** Name-keyed CFF font with bars of different heights for A (34), B, C and so on. Each subset numbers its subroutines differently. */
function cff(names: readonly number[], order: readonly number[]): Uint8Array {
  const integer = (value: number) => [29, (value >> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255]
  const bar = (name: number) => Array.from({ length: 20 }, (_, i) => [139 + ((i * name) % 90), 139 + ((i + name) % 70), 5]).flat()
  const charstrings = indexBytes([
    Uint8Array.of(14),
    ...names.map((name) => Uint8Array.of(139 + name, 139 + 9, 21, ...bar(name), 139 - 107 + order.indexOf(name % 2), 10, 14)),
  ])
  const subrs = indexBytes(order.map((kind) => Uint8Array.of(139 + 50 + kind, 139 + 30, 5, 11)))
  const charset = new FontWriter().u8(0)
  for (const name of names) charset.u16(name)
  const head = new FontWriter().put([1, 0, 4, 4]).put(indexBytes([Uint8Array.of(65)]))
  const at = head.length + (2 + 1 + 2 + 6 + 6 + 11) + 4
  const places = [at, at + charset.length, at + charset.length + charstrings.length]
  const top = Uint8Array.of(...integer(places[0]!), 15, ...integer(places[1]!), 17, ...integer(6), ...integer(places[2]!), 18)
  return head
    .put(indexBytes([top]))
    .u16(0)
    .u16(0)
    .put(charset.done())
    .put(charstrings)
    .put(Uint8Array.of(...integer(6), 19))
    .put(subrs)
    .done()
}

const named = (names: readonly number[], order: readonly number[]): Page => ({
  text: `(${names.map((name) => String.fromCharCode(name + 31)).join('')})`,
  font: `/Subtype/Type1/FirstChar 0/LastChar 255/Widths[${'500 '.repeat(256)}]/Encoding/WinAnsiEncoding`,
  file: { key: 'FontFile3', dict: '/Subtype/Type1C', data: cff(names, order) },
})

describe('subsets of one CFF font', () => {
  it('share one CFF program without subroutines', async () => {
    const { steps, fonts } = await merged([named([34, 35, 36, 37], [0, 1]), named([36, 37, 38, 39], [1, 0])])
    expect(steps).toContain(MERGED)
    expect(fonts).toHaveLength(1)
    const font = new Cff(fonts[0]!)
    expect([...font.charset].slice(1).sort()).toEqual([34, 35, 36, 37, 38, 39])
    for (let glyph = 1; glyph < font.count; glyph++) {
      const name = font.charset[glyph]!
      const { steps: drawn } = type2Outline(font.charstrings[glyph]!)
      expect(drawn[0]).toMatchObject({ kind: 'move', x: name, y: 9 })
      expect(drawn).toHaveLength(22)
    }
  })

  it('are not merged if a glyph name has different outlines', async () => {
    const other = named([36, 37, 38, 39], [1, 0])
    const { fonts } = await merged([
      named([34, 35, 36, 37], [0, 1]),
      { ...other, file: { ...other.file, data: cff([36, 37, 38, 39], [0, 1]).map((byte) => (byte === 139 + 30 ? 139 + 31 : byte)) } },
    ])
    expect(fonts).toHaveLength(2)
  })
})

describe('subsets of one Type 1 font', () => {
  const page = (names: readonly string[], text: string): Page => ({
    text: `(${text})`,
    font: '/Subtype/Type1/FirstChar 65/LastChar 67/Widths[600 600 500]',
    file: { key: 'FontFile', dict: '', data: type1(['.notdef', ...names]).data },
  })

  it('become one CFF program', async () => {
    const { steps, fonts } = await merged([page(['A', 'n'], 'AC'), page(['A', 'acute', 'Aacute'], 'AB')])
    expect(steps).toContain(MERGED)
    expect(fonts).toHaveLength(1)
    const font = new Cff(fonts[0]!)
    expect(['A', 'n', 'acute', 'Aacute'].map((name) => font.glyphOfName(name) > 0)).toEqual([true, true, true, true])
    expect(new Map([...font.encoding()].map(([code, glyph]) => [code, font.stringOf(font.charset[glyph]!)]))).toEqual(
      new Map([
        [65, 'A'],
        [66, 'Aacute'],
        [67, 'n'],
      ]),
    )
  })
})

describe('OpenType programs', () => {
  it('become bare CFF fonts', async () => {
    const table = cff([34, 35, 36], [0, 1])
    const head = new FontWriter().u32(0x10000).put(new Uint8Array(14)).u16(1000).put(new Uint8Array(34)).done()
    const data = fontFile(
      new Map([
        ['CFF ', table],
        ['head', head],
        // Other PDF readers require these tables; without them they show a substitute font.
        ['hhea', new FontWriter().u32(0x10000).put(new Uint8Array(30)).u16(1).done()],
        [
          'hmtx',
          new FontWriter()
            .u16(600)
            .put(new Uint8Array(2 + 2 * 3))
            .done(),
        ],
        ['maxp', new FontWriter().u32(0x5000).u16(4).done()],
        ['name', new Uint8Array(2000)],
      ]),
      0x4f54544f,
    )
    const { steps, fonts } = await merged([{ ...named([34, 35], [0, 1]), file: { key: 'FontFile3', dict: '/Subtype/OpenType', data } }])
    expect(steps).toContain('unused glyphs removed from 1 fonts')
    expect(new Cff(fonts[0]!).count).toBe(3)
  })
})
