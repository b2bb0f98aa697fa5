/**
 * Checks that pictures meet the quality floors at their stored size and that the receipt does not exceed them. A picture of unchanged size
 * is compared pixel by pixel; a downsampled one with the averaged original.
 */
import { describe, expect, it } from 'vitest'
import { nameOf, Stream } from '../../../../src/core/formats/pdf/objects.ts'
import { Reader } from '../../../../src/core/formats/pdf/reader.ts'
import { SimilarityMeter } from '../../../../src/core/metrics/ssim-psnr.ts'
import { fidelityOf } from '../../../../src/core/model/codec.ts'
import { memorySource } from '../../../../src/core/model/source.ts'
import { encodeRows, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { pictureLossOf } from '../../../support/fidelity.ts'
import { fewOf } from '../../../support/thorough.ts'
import { buildPdf } from './build.ts'
import { press } from './run.ts'

const FLOOR = { ssim: 0.9, psnrDb: 30 }
/** Tolerance for rounding differences between this comparison and the codec's. */
const SLACK = { ssim: 0.002, psnrDb: 0.1 }

interface Grey {
  width: number
  height: number
  pixels: Uint8Array
}

function grey(width: number, height: number, at: (x: number, y: number) => number, grain: number): Grey {
  const pixels = new Uint8Array(width * height)
  let seed = 3
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff
      pixels[y * width + x] = Math.max(0, Math.min(255, at(x, y) + ((seed >> 16) % grain)))
    }
  }
  return { width, height, pixels }
}

/** Small print with hard edges on noisy paper, scanned at 300 dpi. */
const print = () =>
  grey(620, 450, (x, y) => (y % 26 < 15 && ((x >> 1) * 7 + ((y / 4) | 0) * 5 + ((x / 34) | 0) * 3) % 17 < 6 ? 52 : 226), 13)
/** Smooth waves with fine texture. */
const photograph = () =>
  grey(600, 450, (x, y) => 110 + 60 * Math.sin(x / 41) + 40 * Math.cos(y / 53 + x / 97) + 9 * Math.sin(x * 1.3) * Math.cos(y * 1.1), 9)

async function page({ width, height, pixels }: Grey, dotsPerInch: number): Promise<Uint8Array> {
  const { chunks } = await encodeRows({ width, height, pixels: 'gray', quality: 93 }, [pixels])
  const [across, down] = [width, height].map((side) => (side / dotsPerInch) * 72)
  return buildPdf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 ${across} ${down}]/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>`,
    { dict: '', data: `q ${across} 0 0 ${down} 0 0 cm /I Do Q` },
    {
      dict: `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace/DeviceGray/BitsPerComponent 8/Filter/DCTDecode`,
      data: new Uint8Array(Buffer.concat(chunks)),
    },
  ])
}

async function pictureOf(bytes: Uint8Array): Promise<Grey> {
  const reader = await Reader.open(memorySource(bytes, 'x.pdf'))
  for (let number = 1; number < reader.xref.size; number++) {
    const object = await reader.get(number)
    if (!(object instanceof Stream) || nameOf(object.dict.get('Subtype')) !== 'Image') continue
    if (nameOf(object.dict.get('Filter')) !== 'DCTDecode') {
      const [width, height] = ['Width', 'Height'].map((key) => object.dict.get(key) as number) as [number, number]
      return { width, height, pixels: await reader.decoded(object, 1 << 24) }
    }
    const rows = await JpegRows.open(await reader.raw(object, 1 << 24), { colour: 'gray' })
    return { width: rows.width, height: rows.height, pixels: (await rows.read(rows.height))! }
  }
  throw new Error('no picture')
}

/** Averages a picture to `width` × `height` pixels. */
function averaged(picture: Grey, width: number, height: number): Uint8Array {
  const shares = (from: number, to: number, index: number) => {
    const [start, end] = [(index * from) / to, ((index + 1) * from) / to]
    const list: [at: number, share: number][] = []
    for (let at = Math.floor(start); at < Math.min(from, Math.ceil(end - 1e-9)); at++)
      list.push([at, (Math.min(at + 1, end) - Math.max(at, start)) / (end - start)])
    return list
  }
  const columns = Array.from({ length: width }, (_, x) => shares(picture.width, width, x))
  const out = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) {
    const rows = shares(picture.height, height, y)
    for (let x = 0; x < width; x++) {
      let sum = 0
      for (const [v, down] of rows) for (const [u, across] of columns[x]!) sum += picture.pixels[v * picture.width + u]! * down * across
      out[y * width + x] = Math.round(sum)
    }
  }
  return out
}

const PICTURES = { print, photograph }

describe.each(fewOf(['low', 'medium', 'high'] as const, 2))('at level %s', (quality) => {
  it.each([
    ['print', 300],
    ['print', 600],
    ['print', 150],
    ['photograph', 300],
    ['photograph', 200],
    ['photograph', 110],
  ] as const)('a %s at %i dpi meets the floors at its stored size, and the receipt matches', async (kind, dotsPerInch) => {
    const bytes = await page(PICTURES[kind](), dotsPerInch)
    const { outcome, bytes: result } = await press(bytes, quality)
    const [before, after] = [await pictureOf(bytes), await pictureOf(result)]
    const meter = new SimilarityMeter(after.width, after.height, 1)
    meter.push(averaged(before, after.width, after.height), after.pixels)
    const seen = meter.finish()
    expect(seen.psnrDb).toBeGreaterThanOrEqual(FLOOR.psnrDb)
    expect(seen.ssim).toBeGreaterThanOrEqual(FLOOR.ssim)
    if (fidelityOf(outcome) === 'lossless') return
    expect(pictureLossOf(outcome).psnrDb).toBeLessThanOrEqual(seen.psnrDb + SLACK.psnrDb)
    expect(pictureLossOf(outcome).ssim).toBeLessThanOrEqual(seen.ssim + SLACK.ssim)
  })
})
