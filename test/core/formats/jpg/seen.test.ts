/** The perceptual score steers JPEG: to a higher quality where luma figures would suffice, and to a lower one where they protect noise. */
import { describe, expect, it } from 'vitest'
import { concat } from '../../../../src/core/bytes/concat.ts'
import { LEVELS } from '../../../../src/core/catalog/levels.ts'
import { jpg } from '../../../../src/core/formats/jpg/jpg.ts'
import { encodeJpeg } from '../../../../src/core/images/jpeg/encode.ts'
import type { Raster } from '../../../../src/core/images/raster/raster.ts'
import { type PerceptualFigures, PerceptualMeter } from '../../../../src/core/metrics/perceptual.ts'
import type { Quality } from '../../../../src/core/model/codec.ts'
import { encodeRows, JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { pressFile } from '../../../support/press-file.ts'
import { randomNumbers } from '../../../support/random-numbers.ts'
import { photo } from './photo.ts'

const [WIDTH, HEIGHT] = [384, 256]
const STRICTNESS = ['low', 'medium', 'high'] as const

function painted(colour: (x: number, y: number) => readonly number[], noise = 0): Uint8Array {
  const random = randomNumbers(7)
  const pixels = new Uint8Array(WIDTH * HEIGHT * 3)
  for (let y = 0, at = 0; y < HEIGHT; y++)
    for (let x = 0; x < WIDTH; x++)
      for (const value of colour(x, y)) pixels[at++] = Math.max(0, Math.min(255, Math.round(value + noise * (random() + random() - 1))))
  return pixels
}

/** Strokes of one or two pixels on a light ground, like small text. */
const isStroke = (x: number, y: number) => y % 12 > 2 && y % 12 < 10 && ((x % 7 < 2 && y % 5 > 0) || (y % 12 === 6 && x % 7 < 5))

const PICTURES = {
  skin: painted((x, y) => {
    const light = 0.75 + 0.25 * Math.cos(Math.hypot(x - 190, y - 120) / 90) + 0.02 * Math.sin(x / 5) * Math.sin(y / 4)
    return [224 * light, 172 * light, 146 * light]
  }, 5),
  sky: painted(
    (x, y) => (y > 190 + 20 * Math.sin(x / 30) ? [60 + 30 * Math.sin(x / 3) * Math.sin(y / 2), 70, 40] : [90 + y / 3, 140 + y / 4, 220]),
    3,
  ),
  noise: photo(WIDTH, HEIGHT, 3).map((value, at) => value + ((Math.imul(at, 2654435761) >>> 24) % 96) - 48),
  'red text': painted((x, y) => (isStroke(x, y) ? [200, 20, 30] : [244, 240, 232])),
} as const
const NAMES = Object.keys(PICTURES) as (keyof typeof PICTURES)[]

const fileOf = async (pixels: Uint8Array) =>
  concat(
    (await encodeRows({ width: WIDTH, height: HEIGHT, pixels: 'rgb', quality: 96, scans: 'sequential', subsampled: false }, [pixels]))
      .chunks,
  )

async function visible(a: Uint8Array, b: Uint8Array): Promise<PerceptualFigures> {
  using meter = new PerceptualMeter(WIDTH, HEIGHT, 3)
  const [one, other] = [await JpegRows.open(a), await JpegRows.open(b)]
  meter.push((await one.read(HEIGHT))!, (await other.read(HEIGHT))!)
  return meter.finish()
}

async function press(file: Uint8Array, quality: Quality) {
  const { outcome, bytes } = await pressFile(jpg, file, 'picture.jpg', { quality })
  if (outcome.kind !== 'compressed') throw new Error(JSON.stringify(outcome))
  return { bytes, pictures: outcome.loss?.pictures }
}

describe.each(NAMES)('picture of %s', (name) => {
  it('reaches the score of its level, and levels keep their order', async () => {
    const file = await fileOf(PICTURES[name])
    const sizes: number[] = []
    for (const quality of STRICTNESS) {
      const { bytes } = await press(file, quality)
      const { score, worstTile } = await visible(file, bytes)
      expect(score, quality).toBeGreaterThanOrEqual(LEVELS.perceptual[quality].score)
      expect(worstTile, quality).toBeGreaterThanOrEqual(LEVELS.perceptual[quality].worstTile)
      sizes.push(bytes.length)
    }
    expect([...sizes, file.length]).toEqual([...sizes, file.length].toSorted((a, b) => a - b))
  }, 60_000)
})

it('lowers the quality of noise down to the score and luma floors', async () => {
  const file = await fileOf(PICTURES.noise)
  const { pictures } = await press(file, 'low')
  const { floor } = LEVELS.perceptual.low
  expect(pictures!.psnrDb).toBeLessThan(LEVELS.jpeg.low.psnrDb - 0.3)
  expect(pictures!.psnrDb).toBeGreaterThanOrEqual(floor.psnrDb)
  expect(pictures!.ssim).toBeGreaterThanOrEqual(floor.ssim)
})

it('reaches the score of a converted picture, stored in memory or read twice', async () => {
  const pixels = PICTURES.skin
  const raster: Raster = {
    width: WIDTH,
    height: HEIGHT,
    channels: 3,
    async *rows() {
      yield pixels.slice()
    },
  }
  for (const memoryBudget of [96 << 20, 17 * 1024 * 1024 + WIDTH * 1200 + WIDTH * HEIGHT]) {
    const options = { quality: 'medium', output: 'jpg', memoryBudget, signal: new AbortController().signal } as never
    const request = { target: LEVELS.jpeg.medium, pristine: true, sizeLimit: 1 << 30, options }
    const { chunks } = await encodeJpeg(raster, {}, request)
    const rows = await JpegRows.open(concat([...chunks]))
    using meter = new PerceptualMeter(WIDTH, HEIGHT, 3)
    meter.push(pixels, (await rows.read(HEIGHT))!)
    expect(meter.finish().score).toBeGreaterThanOrEqual(LEVELS.perceptual.medium.score)
  }
})

it('reaches SSIM and PSNR for pictures too small for a score', async () => {
  const [width, height] = [120, 60]
  const { chunks } = await encodeRows({ width, height, pixels: 'rgb', quality: 97, scans: 'sequential' }, [photo(width, height, 3)])
  const { pictures } = await press(concat(chunks), 'low')
  expect(pictures!.ssim).toBeGreaterThanOrEqual(LEVELS.jpeg.low.ssim - 0.001)
  expect(pictures!.psnrDb).toBeGreaterThanOrEqual(LEVELS.jpeg.low.psnrDb - 0.1)
})

it('stays lossless if no quality reaches the level', async () => {
  const [width, height] = [60, 60]
  const random = randomNumbers(11)
  const noise = Uint8Array.from({ length: width * height * 3 }, () => random() * 256)
  const { chunks } = await encodeRows({ width, height, pixels: 'rgb', quality: 100, scans: 'sequential' }, [noise])
  const { outcome } = await pressFile(jpg, concat(chunks), 'picture.jpg', { quality: 'high' })
  expect(outcome).toEqual({ kind: 'unchanged', reason: 'no_gain' })
})
