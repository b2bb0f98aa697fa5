/** Tests the perceptual quality search for JPEGs in a PDF: at their stored size, and with a mask for the visible part only. */
import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { LEVELS } from '../../../../src/core/catalog/levels.ts'
import { cmykToRgb } from '../../../../src/core/formats/pdf/images/inks.ts'
import { withOpacity } from '../../../../src/core/formats/pdf/images/opacity.ts'
import { ScoreBudget } from '../../../../src/core/formats/pdf/images/seen.ts'
import { nameOf, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { type PerceptualFigures, PerceptualMeter } from '../../../../src/core/metrics/perceptual.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { encodeRows, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { dusk } from '../../../support/dusk.ts'
import { buildPdf, flate } from './build.ts'
import { press } from './run.ts'

const [WIDTH, HEIGHT] = [224, 160]

/** Opacity that hides half of the picture, with a soft edge. */
const OPACITY = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, i) => Math.min(255, Math.max(0, ((i % WIDTH) - WIDTH / 2) * 16)))

async function photograph(): Promise<Uint8Array> {
  const input = { width: WIDTH, height: HEIGHT, pixels: 'rgb', subsampled: false, quality: 97, scans: 'sequential' } as const
  return concat((await encodeRows(input, [dusk(WIDTH, HEIGHT)])).chunks)
}

/** Page filled by the JPEG with one pixel per point, so it is not stored finer than drawn. */
function page(jpeg: Uint8Array, masked: boolean): Uint8Array {
  const size = `/Type/XObject/Subtype/Image/Width ${WIDTH}/Height ${HEIGHT}/BitsPerComponent 8`
  return buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${WIDTH} ${HEIGHT}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>`,
    { dict: '', data: `q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /I Do Q` },
    { dict: `${size}/ColorSpace/DeviceRGB/Filter/DCTDecode${masked ? '/SMask 6 0 R' : ''}`, data: jpeg },
    ...(masked ? [{ dict: `${size}/ColorSpace/DeviceGray/Filter/FlateDecode`, data: flate(OPACITY) }] : []),
  ])
}

async function pixelsOf(jpeg: Uint8Array): Promise<Uint8Array> {
  using rows = await JpegRows.open(jpeg, { colour: 'rgb' })
  return (await rows.read(HEIGHT))!.slice()
}

async function storedJpeg(pdf: Uint8Array): Promise<Uint8Array> {
  const reader = await Reader.open(memorySource(pdf, 'result.pdf'))
  for (let number = 1; number < reader.xref.size; number++) {
    const object = await reader.get(number)
    if (object instanceof Stream && nameOf(object.dict.get('Filter')) === 'DCTDecode') return reader.raw(object, 1 << 20)
  }
  throw new Error('no JPEG in it')
}

async function visible(before: Uint8Array, after: Uint8Array, masked: boolean): Promise<PerceptualFigures> {
  const [one, other] = await Promise.all([before, after].map(pixelsOf))
  using meter = new PerceptualMeter(WIDTH, HEIGHT, masked ? 4 : 3)
  const shown = (pixels: Uint8Array) => (masked ? withOpacity(pixels, 3, OPACITY) : pixels)
  meter.push(shown(one!), shown(other!))
  return meter.finish()
}

describe.each([false, true])('a JPEG on a page (with a mask: %s)', (masked) => {
  it('reaches the perceptual target of its level, and not much more', async () => {
    const jpeg = await photograph()
    const sizes: number[] = []
    for (const quality of ['low', 'medium', 'high'] as const) {
      const { bytes } = await press(page(jpeg, masked), quality)
      const { score, worstTile } = await visible(jpeg, await storedJpeg(bytes), masked)
      expect(score, quality).toBeGreaterThanOrEqual(LEVELS.perceptual[quality].score)
      expect(worstTile, quality).toBeGreaterThanOrEqual(LEVELS.perceptual[quality].worstTile)
      if (!masked) expect(score, quality).toBeLessThan(LEVELS.perceptual[quality].score + 8)
      sizes.push(bytes.length)
    }
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  })
})

/** Page filled by a picture stored as samples, in RGB or CMYK. */
function pageOf(dict: string, data: Uint8Array): Uint8Array {
  return buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${WIDTH} ${HEIGHT}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>`,
    { dict: '', data: `q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /I Do Q` },
    { dict: `/Type/XObject/Subtype/Image/Width ${WIDTH}/Height ${HEIGHT}/BitsPerComponent 8${dict}`, data },
  ])
}

function expectSeen(before: Uint8Array, after: Uint8Array, level: 'low' | 'medium' | 'high'): number {
  using meter = new PerceptualMeter(WIDTH, HEIGHT, 3)
  meter.push(before, after)
  const { score, worstTile } = meter.finish()
  expect(score, level).toBeGreaterThanOrEqual(LEVELS.perceptual[level].score)
  expect(worstTile, level).toBeGreaterThanOrEqual(LEVELS.perceptual[level].worstTile)
  return score ?? 0
}

it('a CMYK JPEG reaches the perceptual target in its RGB appearance, without spending bytes on noise', async () => {
  const inks = Uint8Array.from({ length: WIDTH * HEIGHT * 4 }, (_, i) => {
    const [x, y, ink] = [(i >> 2) % WIDTH, Math.floor((i >> 2) / WIDTH), i & 3]
    return (
      60 + 50 * Math.sin(x / (9 + ink) + ink) * Math.cos(y / (7 + ink)) + ((Math.imul(i, 2_654_435_761) >>> 24) & 15) - (ink === 3 ? 40 : 0)
    )
  })
  const input = { width: WIDTH, height: HEIGHT, pixels: 'cmyk', subsampled: false, quality: 97, scans: 'sequential' } as const
  const jpeg = concat((await encodeRows(input, [inks])).chunks)
  const printed = async (file: Uint8Array) => {
    using rows = await JpegRows.open(file)
    return cmykToRgb((await rows.read(HEIGHT))!)
  }
  const sizes: number[] = []
  for (const quality of ['low', 'medium', 'high'] as const) {
    const { bytes } = await press(pageOf('/ColorSpace/DeviceCMYK/Filter/DCTDecode', jpeg), quality)
    expect(expectSeen(await printed(jpeg), await printed(await storedJpeg(bytes)), quality), quality).toBeLessThan(96)
    sizes.push(bytes.length)
  }
  expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
})

it('samples with a few red strokes reach the perceptual target with full chroma resolution', async () => {
  const isStroke = (x: number, y: number) => y > 30 && y < 60 && x > 40 && x < 60 && (x * 3 + y) % 5 === 0
  const pixels = Uint8Array.from({ length: WIDTH * HEIGHT * 3 }, (_, i) => {
    const [x, y, c] = [Math.floor(i / 3) % WIDTH, Math.floor(i / 3 / WIDTH), i % 3]
    if (isStroke(x, y)) return c === 0 ? 160 : 0
    return 45 + 30 * Math.sin(x / 23 + c / 9) * Math.cos(y / 17) + ((Math.imul(Math.floor(i / 3), 2_654_435_761) >>> 24) & 7)
  })
  for (const quality of ['low', 'medium'] as const) {
    const { bytes } = await press(pageOf('/ColorSpace/DeviceRGB/Filter/FlateDecode', flate(pixels)), quality)
    expectSeen(pixels, await pixelsOf(await storedJpeg(bytes)), quality)
  }
})

/** Picture of dusk, black where the mask hides it completely. */
const cutOut = () => dusk(WIDTH, HEIGHT).map((value, i) => (OPACITY[Math.floor(i / 3)]! === 0 ? 0 : value))

it('samples with a soft mask become JPEG by their visible part, even if most hidden pixels have one colour', async () => {
  const size = `/Type/XObject/Subtype/Image/Width ${WIDTH}/Height ${HEIGHT}/BitsPerComponent 8/Filter/FlateDecode`
  const before = cutOut()
  const source = buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${WIDTH} ${HEIGHT}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>`,
    { dict: '', data: `q ${WIDTH} 0 0 ${HEIGHT} 0 0 cm /I Do Q` },
    { dict: `${size}/ColorSpace/DeviceRGB/SMask 6 0 R`, data: flate(before) },
    { dict: `${size}/ColorSpace/DeviceGray`, data: flate(OPACITY) },
  ])
  const { bytes } = await press(source, 'medium')
  const after = await pixelsOf(await storedJpeg(bytes))
  using meter = new PerceptualMeter(WIDTH, HEIGHT, 4)
  meter.push(withOpacity(before, 3, OPACITY), withOpacity(after, 3, OPACITY))
  const { score = 0 } = meter.finish()
  expect(score).toBeGreaterThanOrEqual(LEVELS.perceptual.medium.score)
  expect(score).toBeLessThan(LEVELS.perceptual.medium.score + 12)
})

it('scores pictures of up to 12 megapixels, and 60 megapixels per document', () => {
  const attention = new ScoreBudget()
  expect(attention.spend({ width: 4000, height: 3100 })).toBe(false)
  const spent = Array.from({ length: 7 }, () => attention.spend({ width: 3000, height: 3000 }))
  expect(spent).toEqual([true, true, true, true, true, true, false])
})
