/**
 * Checks that pages meet the quality floors at 144 dpi and that the receipt reports the page score. Level `low` stores 96 dpi, and detail
 * finer than that was lost unnoticed, because both compared pictures were reduced.
 */

import { describe, expect, it } from 'vitest'
import { measurePicture } from '../../../../src/core/formats/pdf/images/measure.ts'
import { nameOf, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { RenderedPage, worstPageLoss } from '../../../../src/core/formats/pdf/page-render-sizes.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { SimilarityMeter } from '../../../../src/core/metrics/ssim-psnr.ts'
import { NO_STILL_PICTURE } from '../../../../src/core/model/loss.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { encodeRows, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { pictureLossOf } from '../../../support/fidelity.ts'
import { buildPdf, flate } from './build.ts'
import { press } from './run.ts'

/** Side in pixels of a picture on a page of 144 points: 288 dpi, or three pixels per pixel at 96 dpi. */
const SIDE = 576
const POINTS = 144
/** Number of pixels per side that the picture touches at 144 dpi. */
const SHOWN = POINTS * 2 + 1

interface Grey {
  side: number
  pixels: Uint8Array
}

/** Stripes that are visible at 144 dpi but not at 96 dpi. */
function stripes(): Uint8Array {
  const pixels = new Uint8Array(SIDE * SIDE)
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++)
      pixels[y * SIDE + x] = 110 + (x % 3 === 1 ? 36 : -18) + 9 * ((((x / 24) | 0) * 7 + ((y / 18) | 0) * 5) % 11)
  return pixels
}

async function page(): Promise<Uint8Array> {
  const { chunks } = await encodeRows({ width: SIDE, height: SIDE, pixels: 'gray', quality: 95 }, [stripes()])
  return buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${POINTS} ${POINTS}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>`,
    { dict: '', data: `q ${POINTS} 0 0 ${POINTS} 0 0 cm /I Do Q` },
    {
      dict: `/Type/XObject/Subtype/Image/Width ${SIDE}/Height ${SIDE}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode`,
      data: new Uint8Array(Buffer.concat(chunks)),
    },
  ])
}

async function pictureOf(bytes: Uint8Array): Promise<Grey> {
  const reader = await Reader.open(memorySource(bytes, 'x.pdf'))
  for (let number = 1; number < reader.xref.size; number++) {
    const object = await reader.get(number)
    if (!(object instanceof Stream) || nameOf(object.dict.get('Subtype')) !== 'Image') continue
    if (nameOf(object.dict.get('Filter')) === 'FlateDecode')
      return { side: object.dict.get('Width') as number, pixels: await reader.decoded(object, 1 << 24) }
    const rows = await JpegRows.open(await reader.raw(object, 1 << 24), { colour: 'gray' })
    return { side: rows.width, pixels: (await rows.read(rows.height))! }
  }
  throw new Error('no picture')
}

/** Scales as Poppler does: box filter for reduction, interpolation for enlargement. */
function shown({ side, pixels }: Grey): Uint8Array {
  const at = (x: number, y: number) => pixels[Math.min(side - 1, y) * side + Math.min(side - 1, x)]!
  const ends = Array.from({ length: SHOWN }, (_, i) => Math.floor(((i + 1) * side) / SHOWN))
  return Uint8Array.from({ length: SHOWN * SHOWN }, (_, i) => {
    const [u, v] = [i % SHOWN, Math.floor(i / SHOWN)]
    if (side < SHOWN) {
      const [x, y] = [(u * side) / SHOWN, (v * side) / SHOWN]
      const [left, top] = [Math.floor(x), Math.floor(y)]
      const row = (line: number) => at(left, line) * (1 - x + left) + at(left + 1, line) * (x - left)
      return row(top) * (1 - y + top) + row(top + 1) * (y - top)
    }
    let [sum, count] = [0, 0]
    for (let y = ends[v - 1] ?? 0; y < ends[v]!; y++) for (let x = ends[u - 1] ?? 0; x < ends[u]!; x++, count++) sum += at(x, y)
    return sum / count
  })
}

it.each([
  'low',
  'medium',
  'high',
] as const)('a page at level %s meets the floors at 144 dpi, and the receipt does not exceed its score', async (quality) => {
  const bytes = await page()
  const { outcome, bytes: result } = await press(bytes, quality)
  const meter = new SimilarityMeter(SHOWN, SHOWN, 1)
  meter.push(shown(await pictureOf(bytes)), shown(await pictureOf(result)))
  const seen = meter.finish()
  expect(seen.ssim).toBeGreaterThanOrEqual(0.9)
  expect(seen.psnrDb).toBeGreaterThanOrEqual(30)
  const claim = pictureLossOf(outcome)
  expect(claim.ssim).toBeLessThanOrEqual(seen.ssim + 0.002)
  expect(claim.psnrDb).toBeLessThanOrEqual(seen.psnrDb + 0.2)
})

it('hidden pixels count at the stored size and not at the page size', async () => {
  const half = (hidden: number) => Uint8Array.from({ length: 64 * 64 }, (_, i) => (i % 64 < 32 ? 90 + (i % 7) : hidden))
  const picture = (pixels: Uint8Array) => ({ width: 64, height: 64, channels: 1, strips: [pixels] })
  const opacity = Uint8Array.from({ length: 64 * 64 }, (_, i) => (i % 64 < 32 ? 255 : 0))
  const mask = {
    width: 64,
    height: 64,
    strips: (async function* () {
      yield opacity
    })(),
  }
  const { stored, drawn } = await measurePicture({ original: picture(half(0)), result: picture(half(200)), mask }, [
    { width: 64, height: 64 },
  ])
  expect(stored.psnrDb).toBeLessThan(10)
  expect(drawn[0]?.psnrDb).toBe(Number.POSITIVE_INFINITY)
})

describe('the loss of a page', () => {
  const FLOORS = { ssim: 0.9, psnrDb: 30 }
  const sheet = () => new RenderedPage([0, 0, 500, 500])

  it('may be larger per picture if pictures cover little of the page', () => {
    const small = sheet()
    small.addPicture([100, 0, 0, 100, 20, 20], false)
    expect(small.keepsFloors({ ssim: 0.8, psnrDb: 27 }, FLOORS)).toBe(true)
    const full = sheet()
    full.addPicture([500, 0, 0, 500, 0, 0], false)
    expect(full.keepsFloors({ ssim: 0.89, psnrDb: 40 }, FLOORS)).toBe(false)
    expect(full.keepsFloors({ ssim: 0.95, psnrDb: 29.9 }, FLOORS)).toBe(false)
    expect(full.keepsFloors({ ssim: 0.9, psnrDb: 30 }, FLOORS)).toBe(true)
    const tiled = sheet()
    tiled.addPicture([10, 0, 0, 10, 0, 0], true)
    expect(tiled.keepsFloors({ ssim: 0.89, psnrDb: 40 }, FLOORS)).toBe(false)
  })

  it('is the sum over its pictures, and the worst one where they overlap', () => {
    const apart = sheet()
    const half = apart.addPicture([500, 0, 0, 250, 0, 0], false)
    apart.addLoss({ ssim: 0.9, psnrDb: 30 }, half.areaShare)
    expect(worstPageLoss([sheet(), apart])?.ssim).toBeCloseTo(0.95, 2)
    expect(apart.loss?.psnrDb).toBeCloseTo(33, 0)
    const above = sheet()
    const whole = above.addPicture([500, 0, 0, 500, 0, 0], false)
    for (let i = 0; i < 3; i++) above.addLoss({ ssim: 0.9, psnrDb: 30 }, whole.areaShare)
    const figures = { ssim: 0.9, psnrDb: expect.closeTo(30, 6) as number, measuredAt: 'page_144dpi' }
    expect(above.loss).toEqual({ ...figures, ssimulacra2: NO_STILL_PICTURE })
    expect(worstPageLoss([sheet()])).toBeUndefined()
  })

  it('counts the pixels that a picture touches, also if it is rotated', () => {
    const grid = (...matrix: [number, number, number, number, number, number]) => sheet().addPicture(matrix, false).size
    expect(grid(100, 0, 0, 50, 10, 10)).toEqual({ width: 201, height: 101 })
    expect(grid(100.2, 0, 0, 50, 0.4, 0)).toEqual({ width: 202, height: 101 })
    expect(grid(0, 100, -50, 0, 200, 0)).toEqual({ width: 201, height: 101 })
    expect(grid(60, 80, -80, 60, 200, 0)).toEqual({ width: 201, height: 201 })
  })
})

it('a picture in a form is measured on each page that draws the form', async () => {
  const data = flate(stripes())
  const bytes = buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 600]/Contents 5 0 R/Resources<</XObject<</F 6 0 R>>>>>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${POINTS} ${POINTS}]/Contents 5 0 R/Resources<</XObject<</F 6 0 R>>>>>>`,
    { dict: '', data: '/F Do' },
    {
      dict: '/Type/XObject/Subtype/Form/BBox[0 0 600 600]/Resources<</XObject<</I 7 0 R>>>>',
      data: `q ${POINTS} 0 0 ${POINTS} 0 0 cm /I Do Q`,
    },
    {
      dict: `/Type/XObject/Subtype/Image/Width ${SIDE}/Height ${SIDE}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/FlateDecode`,
      data,
    },
  ])
  const { bytes: result } = await press(bytes, 'low')
  const meter = new SimilarityMeter(SHOWN, SHOWN, 1)
  meter.push(shown({ side: SIDE, pixels: stripes() }), shown(await pictureOf(result)))
  expect(meter.finish().ssim).toBeGreaterThanOrEqual(0.9)
})
