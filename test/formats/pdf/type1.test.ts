import { describe, expect, it } from 'vitest'
import { memorySource } from '../../../src/codec/source.ts'
import { Cff } from '../../../src/formats/pdf/fonts/cff.ts'
import { type1Outline } from '../../../src/formats/pdf/fonts/type1/charstring.ts'
import { parseType1 } from '../../../src/formats/pdf/fonts/type1/program.ts'
import { convertType1 } from '../../../src/formats/pdf/fonts/type1/to-cff.ts'
import { type2Outline } from '../../../src/formats/pdf/fonts/type1/type2-outline.ts'
import { Dict, type Ref, Stream } from '../../../src/formats/pdf/objects.ts'
import { Reader } from '../../../src/formats/pdf/reader.ts'
import { buildPdf } from './build.ts'
import { press } from './run.ts'

/** The cipher of Type 1 fonts, forwards. */
function encrypt(plain: Uint8Array, key: number, lead: number): Uint8Array {
  const out = new Uint8Array(plain.length + lead)
  let r = key
  for (let i = 0; i < out.length; i++) {
    const cipher = (i < lead ? 0xa5 : plain[i - lead]!) ^ (r >> 8)
    out[i] = cipher
    r = ((cipher + r) * 52_845 + 22_719) & 0xffff
  }
  return out
}

const OPERATORS: Record<string, number[]> = {
  hstem: [1],
  vstem: [3],
  vmoveto: [4],
  rlineto: [5],
  hlineto: [6],
  vlineto: [7],
  rrcurveto: [8],
  closepath: [9],
  callsubr: [10],
  return: [11],
  hsbw: [13],
  endchar: [14],
  rmoveto: [21],
  hmoveto: [22],
  vhcurveto: [30],
  hvcurveto: [31],
  seac: [12, 6],
  div: [12, 12],
  callothersubr: [12, 16],
  pop: [12, 17],
  setcurrentpoint: [12, 33],
}

function number(value: number): number[] {
  if (value >= -107 && value <= 107) return [value + 139]
  if (value >= 108 && value <= 1131) return [247 + ((value - 108) >> 8), (value - 108) & 255]
  if (value <= -108 && value >= -1131) return [251 + ((-value - 108) >> 8), (-value - 108) & 255]
  return [255, (value >> 24) & 255, (value >> 16) & 255, (value >> 8) & 255, value & 255]
}

const code = (text: string) => Uint8Array.from(text.split(/\s+/).flatMap((word) => OPERATORS[word] ?? number(Number(word))))

const SUBRS = [
  '3 0 callothersubr pop pop setcurrentpoint return',
  '0 1 callothersubr return',
  '0 2 callothersubr return',
  'return',
  '100 20 hstem 30 40 vstem return',
]
const BOX = '50 0 rmoveto 100 hlineto 700 vlineto -100 hlineto closepath'
const FLEX =
  '1 callsubr 50 10 rmoveto 2 callsubr -30 -10 rmoveto 2 callsubr 10 5 rmoveto 2 callsubr 20 5 rmoveto 2 callsubr 20 0 rmoveto 2 callsubr 10 -5 rmoveto 2 callsubr 20 -5 rmoveto 2 callsubr 50 150 700 0 callsubr'
const GLYPHS: Record<string, string> = {
  '.notdef': '0 250 hsbw endchar',
  space: '0 250 hsbw endchar',
  A: `20 600 hsbw 0 15 hstem 0 80 vstem ${BOX} 4 1 3 callothersubr pop callsubr 30 10 rmoveto 10 20 30 40 50 60 rrcurveto 5 6 7 8 vhcurveto 5 6 7 8 hvcurveto closepath endchar`,
  acute: '10 300 hsbw 0 20 hstem 5 500 rmoveto 60 hlineto 1 3 div 40 rlineto -60 hlineto closepath endchar',
  Aacute: '20 600 hsbw',
  n: `0 500 hsbw 1000 0 rmoveto ${FLEX} closepath endchar`,
  unused: `0 700 hsbw ${BOX.repeat(1)} endchar`,
}
GLYPHS['Aacute'] = '20 600 hsbw 10 150 120 65 194 seac'

/** A font of these glyphs; codes 65, 66 and 67 are A, Aacute and n. */
function type1(): { data: Uint8Array; lengths: [number, number, number] } {
  const latin = (text: string) => Uint8Array.from(text, (c) => c.charCodeAt(0))
  const clear = latin(`%!PS-AdobeFont-1.0: Test
/FontInfo 2 dict dup begin /Notice (Made \\(for\\) a test) readonly def end readonly def
/FontName /Test def /PaintType 0 def /FontMatrix [0.001 0 0 0.001 0 0] readonly def
/Encoding 256 array 0 1 255 {1 index exch /.notdef put} for
dup 65 /A put dup 66 /Aacute put dup 67 /n put dup 100 /A put dup 8#151 /acute put readonly def
/FontBBox {0 -200 1000 900} readonly def currentdict end currentfile eexec
`)
  const parts: Uint8Array[] = [
    latin('dup /Private 8 dict dup begin /RD {string currentfile exch readstring pop} executeonly def\n'),
    latin('/BlueValues [-15 0 700 715] def /StdHW [22] def /StemSnapV [30 40] def /BlueScale 0.04 def /ForceBold false def /lenIV 4 def\n'),
    latin(`/Subrs ${SUBRS.length} array\n`),
  ]
  const charstring = (text: string) => encrypt(code(text), 4330, 4)
  SUBRS.forEach((text, i) => {
    const bytes = charstring(text)
    parts.push(latin(`dup ${i} ${bytes.length} RD `), bytes, latin(' NP\n'))
  })
  parts.push(latin(`ND\n2 index /CharStrings ${Object.keys(GLYPHS).length} dict dup begin\n`))
  for (const [name, text] of Object.entries(GLYPHS)) {
    const bytes = charstring(text)
    parts.push(latin(`/${name} ${bytes.length} RD `), bytes, latin(' ND\n'))
  }
  parts.push(latin('end end readonly put mark currentfile closefile\n'))
  const secret = encrypt(new Uint8Array(Buffer.concat(parts)), 55_665, 4)
  const trailer = latin(`${'0'.repeat(64)}\ncleartomark\n`)
  return { data: new Uint8Array(Buffer.concat([clear, secret, trailer])), lengths: [clear.length, secret.length, trailer.length] }
}

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
  it('is read with its names, codes, hints and outlines', () => {
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

  it('becomes CFF that draws the same', () => {
    const font = parseType1(type1().data)
    const cff = new Cff(convertType1(font, undefined))
    expect(cff.count).toBe(Object.keys(GLYPHS).length)
    expect(new Map([...cff.encoding()].map(([code, glyph]) => [code, cff.stringOf(cff.charset[glyph]!)]))).toEqual(font.encoding)
    const drawn = type2Outline(cff.charstrings[cff.glyphOfName('A')]!)
    // Stems: two horizontal and two vertical ones, and a mask for each of the two groups.
    expect([...cff.charstrings[cff.glyphOfName('A')]!].filter((byte) => byte === 19)).toHaveLength(2)
    expect(drawn.steps[0]).toEqual({ kind: 'move', x: 70, y: 0 })
    const third = type2Outline(cff.charstrings[cff.glyphOfName('acute')]!).steps[2]
    expect(third).toMatchObject({ kind: 'line', y: 540 })
    expect((third as { x: number }).x).toBeCloseTo(75 + 1 / 3, 4)
  })

  it('a subset has the parts of its composites', () => {
    const font = parseType1(type1().data)
    const cff = new Cff(convertType1(font, new Set(['Aacute'])))
    expect(Array.from({ length: cff.count - 1 }, (_, i) => cff.stringOf(cff.charset[i + 1]!)).sort()).toEqual(['A', 'Aacute', 'acute'])
    expect(type2Outline(cff.charstrings[cff.glyphOfName('Aacute')]!).accent).toEqual({ x: 160, y: 120, base: 65, accent: 194 })
  })

  it('a document gets the smaller program under its new key', async () => {
    const { outcome, bytes } = await press(document('ABC'), 'high')
    expect(outcome).toMatchObject({ kind: 'compressed', fidelity: 'lossless' })
    if (outcome.kind === 'compressed') expect(outcome.steps).toContain('1 Type 1 fonts as CFF')
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

  it('a damaged program is left alone', () => {
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
