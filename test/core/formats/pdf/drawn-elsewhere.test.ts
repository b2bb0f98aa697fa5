/** Checks that a picture keeps its size if an annotation, template or glyph may show it larger than the page does. */
import { describe, expect, it } from 'vitest'
import { nameOf, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { encodeRows } from '../../../../wasm/jpeg/jpeg.ts'
import { buildPdf, flate, type Part } from './build.ts'
import { press } from './run.ts'
import { trueType } from './true-type-font.ts'

const SIDE = 800

async function photo(): Promise<Part> {
  const pixels = new Uint8Array(SIDE * SIDE)
  for (let i = 0; i < pixels.length; i++) pixels[i] = 128 + 60 * Math.sin((i % SIDE) / 23) + 50 * Math.cos(i / SIDE / 31) + ((i * 7) % 5)
  const { chunks } = await encodeRows({ width: SIDE, height: SIDE, pixels: 'gray', quality: 92 }, [pixels])
  const dict = `/Type/XObject/Subtype/Image/Width ${SIDE}/Height ${SIDE}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode`
  return { dict, data: new Uint8Array(Buffer.concat(chunks)) }
}

/** Document with a photo as object 5, which the page draws 72 points wide. */
const documentOf = async (page: string, extra: readonly Part[], catalog = '') =>
  buildPdf([
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 600]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>${page}>>`,
    { dict: '', data: 'q 72 0 0 72 10 10 cm /I Do Q' },
    await photo(),
    ...extra,
  ])

async function widthOf(bytes: Uint8Array): Promise<number> {
  const reader = await Reader.open(memorySource(bytes, 'x.pdf'))
  for (let number = 1; number < reader.xref.size; number++) {
    const object = await reader.get(number)
    if (object instanceof Stream && nameOf(object.dict.get('Subtype')) === 'Image') return Number(object.dict.get('Width'))
  }
  return -1
}

const large = {
  dict: '/Type/XObject/Subtype/Form/BBox[0 0 500 500]/Resources<</XObject<</I 5 0 R>>>>',
  data: 'q 500 0 0 500 0 0 cm /I Do Q',
}

describe('a picture in a PDF', () => {
  it('is downsampled if only the page shows it', async () => {
    expect(await widthOf((await press(await documentOf('', []), 'low')).bytes)).toBeLessThan(SIDE)
  })

  it('keeps its size if the appearance of an annotation also shows it', async () => {
    const note = '<</Type/Annot/Subtype/Stamp/Rect[0 0 500 500]/AP<</N 7 0 R>>>>'
    expect(await widthOf((await press(await documentOf('/Annots[6 0 R]', [note, large]), 'low')).bytes)).toBe(SIDE)
  })

  it('keeps its size if a form inside an appearance also shows it', async () => {
    const note = '<</Type/Annot/Subtype/Stamp/Rect[0 0 500 500]/AP<</N 7 0 R>>>>'
    const outer = { dict: '/Type/XObject/Subtype/Form/BBox[0 0 500 500]/Resources<</XObject<</F 8 0 R>>>>', data: '/F Do' }
    expect(await widthOf((await press(await documentOf('/Annots[6 0 R]', [note, outer, large]), 'low')).bytes)).toBe(SIDE)
  })

  it('keeps its size if a page template also shows it', async () => {
    const template = '<</Type/Template/MediaBox[0 0 600 600]/Contents 7 0 R/Resources<</XObject<</I 5 0 R>>>>>>'
    const content = { dict: '', data: 'q 500 0 0 500 0 0 cm /I Do Q' }
    const source = await documentOf('', [template, content], '/Names<</Templates<</Names[(T) 6 0 R]>>>>')
    expect(await widthOf((await press(source, 'low')).bytes)).toBe(SIDE)
  })

  it('keeps its size if a script may show it as an icon', async () => {
    const source = await documentOf('', [large], '/Names<</AP<</Names[(I) 6 0 R]>>>>')
    expect(await widthOf((await press(source, 'low')).bytes)).toBe(SIDE)
  })
})

it('keeps glyphs that only a page template shows', async () => {
  const font = '<</Type/Font/Subtype/TrueType/BaseFont/Made/FirstChar 32/LastChar 90/Widths[500]/FontDescriptor 8 0 R>>'
  const bytes = buildPdf([
    '<</Type/Catalog/Pages 2 0 R/Names<</Templates<</Names[(T) 5 0 R]>>>>>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources<</Font<</F 7 0 R>>>>>>',
    { dict: '', data: 'BT /F 9 Tf (!) Tj ET' },
    '<</Type/Template/MediaBox[0 0 99 99]/Contents 6 0 R/Resources<</Font<</F 7 0 R>>>>>>',
    { dict: '', data: 'BT /F 9 Tf (0123456789) Tj ET' },
    font,
    '<</Type/FontDescriptor/FontName/Made/Flags 4/FontFile2 9 0 R>>',
    { dict: `/Length1 ${trueType().length}/Filter/FlateDecode`, data: flate(trueType()) },
  ])
  const without = Uint8Array.from(Buffer.from(bytes).toString('latin1').replace('(0123456789)', '(!!!!!!!!!!)'), (c) => c.charCodeAt(0))
  const lengths = await Promise.all([bytes, without].map(async (source) => (await press(source, 'high')).bytes.length))
  expect(lengths[0]).toBeGreaterThan(lengths[1]! + 200)
})

it('keeps page thumbnails at every level', async () => {
  const thumb = { dict: '/Width 16/Height 16/ColorSpace/DeviceGray/BitsPerComponent 8', data: new Uint8Array(256).fill(77) }
  for (const quality of ['low', 'high'] as const) {
    const { bytes } = await press(await documentOf('/Thumb 6 0 R', [thumb]), quality)
    const reader = await Reader.open(memorySource(bytes, 'x.pdf'))
    let found = false
    for (let number = 1; number < reader.xref.size; number++) {
      const object = await reader.get(number)
      found ||= object instanceof Stream && object.dict.get('Width') === 16
    }
    expect(found).toBe(true)
  }
})
