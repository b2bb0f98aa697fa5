/**
 * Pages keep the floors at 144 dpi, and the receipt says what they came to: detail finer than the 96 dpi that `low` stores was
 * lost, and nobody looked, as the stored picture was compared with an upload that had been reduced, too.
 */

import { describe, expect, it } from 'vitest'
import { measure } from '../../../../src/core/formats/pdf/images/measure.ts'
import { nameOf, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { Sheet, worstOf } from '../../../../src/core/formats/pdf/page-render-sizes.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { SimilarityMeter } from '../../../../src/core/metrics/ssim-psnr.ts'
import { NO_STILL_PICTURE } from '../../../../src/core/model/loss.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { encodeRows, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { pictureLossOf } from '../../../support/fidelity.ts'
import { buildPdf, flate } from './build.ts'
import { press } from './run.ts'

/** Pixels of a picture that fills a page of 144 points: 288 dpi, three for each at 96. */
const SIDE = 576
const POINTS = 144
/** Pixels that it touches at 144 dpi. */
const SHOWN = POINTS * 2 + 1

interface Grey {
  side: number
  pixels: Uint8Array
}

/** Stripes that 144 dpi show and 96 dpi do not. */
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

/** As poppler draws it: means of whole pixels where it gets smaller, else between two pixels. */
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

it.each(['low', 'medium', 'high'] as const)('at %s a page keeps the floors at 144 dpi, and the receipt says no more', async (quality) => {
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

it('what a mask hides counts where it is stored, and not where it is drawn', async () => {
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
  const { stored, drawn } = await measure({ original: picture(half(0)), result: picture(half(200)), mask }, [{ width: 64, height: 64 }])
  expect(stored.psnrDb).toBeLessThan(10)
  expect(drawn[0]?.psnrDb).toBe(Number.POSITIVE_INFINITY)
})

describe('a page', () => {
  const FLOORS = { ssim: 0.9, psnrDb: 30 }
  const sheet = () => new Sheet([0, 0, 500, 500])

  it('allows more where pictures cover little of it, whatever the others on it lose', () => {
    const small = sheet()
    small.place([100, 0, 0, 100, 20, 20], false)
    expect(small.allows({ ssim: 0.8, psnrDb: 27 }, FLOORS)).toBe(true)
    const full = sheet()
    full.place([500, 0, 0, 500, 0, 0], false)
    expect(full.allows({ ssim: 0.89, psnrDb: 40 }, FLOORS)).toBe(false)
    expect(full.allows({ ssim: 0.95, psnrDb: 29.9 }, FLOORS)).toBe(false)
    expect(full.allows({ ssim: 0.9, psnrDb: 30 }, FLOORS)).toBe(true)
    const tiled = sheet()
    tiled.place([10, 0, 0, 10, 0, 0], true)
    expect(tiled.allows({ ssim: 0.89, psnrDb: 40 }, FLOORS)).toBe(false)
  })

  it('comes to the sum of what its pictures lost, and to the worst where they lie on each other', () => {
    const apart = sheet()
    const half = apart.place([500, 0, 0, 250, 0, 0], false)
    apart.lose({ ssim: 0.9, psnrDb: 30 }, half.share)
    expect(worstOf([sheet(), apart])?.ssim).toBeCloseTo(0.95, 2)
    expect(apart.loss?.psnrDb).toBeCloseTo(33, 0)
    const above = sheet()
    const whole = above.place([500, 0, 0, 500, 0, 0], false)
    for (let i = 0; i < 3; i++) above.lose({ ssim: 0.9, psnrDb: 30 }, whole.share)
    const figures = { ssim: 0.9, psnrDb: expect.closeTo(30, 6) as number, measuredAt: 'page_144dpi' }
    expect(above.loss).toEqual({ ...figures, ssimulacra2: NO_STILL_PICTURE })
    expect(worstOf([sheet()])).toBeUndefined()
  })

  it('knows how many pixels a picture touches, turned ones in their own directions', () => {
    const grid = (...matrix: [number, number, number, number, number, number]) => sheet().place(matrix, false).grid
    expect(grid(100, 0, 0, 50, 10, 10)).toEqual({ width: 201, height: 101 })
    expect(grid(100.2, 0, 0, 50, 0.4, 0)).toEqual({ width: 202, height: 101 })
    expect(grid(0, 100, -50, 0, 200, 0)).toEqual({ width: 201, height: 101 })
    expect(grid(60, 80, -80, 60, 200, 0)).toEqual({ width: 201, height: 201 })
  })
})

it('a picture that pages draw in a form on several pages is looked at on each of them', async () => {
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
