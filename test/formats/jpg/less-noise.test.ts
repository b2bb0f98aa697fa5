/** Noise that SSIM and PSNR would protect and nobody sees. */
import { describe, expect, it } from 'vitest'
import { concat } from '../../../src/bytes/concat.ts'
import type { Quality } from '../../../src/codec/codec.ts'
import { jpg } from '../../../src/formats/jpg/jpg.ts'
import { LEVELS } from '../../../src/quality/levels.ts'
import { VisibleMeter } from '../../../src/quality/visible.ts'
import { encodeRows, JpegRows } from '../../../wasm/jpeg/jpeg.ts'
import { pressFile } from '../../support/press-file.ts'
import { photo } from './photo.ts'

const [WIDTH, HEIGHT] = [480, 320]

/** A photograph with as much sensor noise (standard deviation in levels) as is asked for. */
async function photograph(noise: number): Promise<Uint8Array> {
  let state = 7
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32 - 0.5
  const pixels = photo(WIDTH, HEIGHT, 3).map((value) => Math.max(0, Math.min(255, value + (random() + random() + random()) * 2 * noise)))
  return concat((await encodeRows({ width: WIDTH, height: HEIGHT, pixels: 'rgb', quality: 95, scans: 'sequential' }, [pixels])).chunks)
}

async function score(a: Uint8Array, b: Uint8Array): Promise<number> {
  using meter = new VisibleMeter(WIDTH, HEIGHT, 3)
  const [one, other] = [await JpegRows.open(a), await JpegRows.open(b)]
  meter.push((await one.read(HEIGHT))!, (await other.read(HEIGHT))!)
  return meter.finish().score!
}

async function press(file: Uint8Array, quality: Quality) {
  const { outcome, bytes } = await pressFile(jpg, file, 'noisy.jpg', { quality })
  if (outcome.kind !== 'compressed') throw new Error(JSON.stringify(outcome))
  return { bytes: bytes!, pictures: outcome.loss?.pictures }
}

describe('a noisy photograph', () => {
  it('is steered by what eyes see, above the floors', async () => {
    const file = await photograph(60)
    const { bytes, pictures } = await press(file, 'low')
    const { floor, score: wanted } = LEVELS.seenJpeg.low
    expect(pictures!.psnrDb).toBeLessThan(LEVELS.jpeg.low.psnrDb - 0.3)
    expect(pictures!.psnrDb).toBeGreaterThanOrEqual(floor.psnrDb)
    expect(pictures!.ssim).toBeGreaterThanOrEqual(floor.ssim)
    expect(await score(file, bytes)).toBeGreaterThanOrEqual(wanted)
  }, 60_000)

  it('keeps the order of levels', async () => {
    const file = await photograph(60)
    const sizes = []
    for (const quality of ['low', 'medium', 'high'] as const) sizes.push((await press(file, quality)).bytes.length)
    expect(sizes).toEqual(sizes.toSorted((a, b) => a - b))
  }, 60_000)
})

it('a calm photograph keeps what SSIM and PSNR ask for', async () => {
  const { pictures } = await press(await photograph(0), 'low')
  expect(pictures!.ssim).toBeGreaterThanOrEqual(LEVELS.jpeg.low.ssim - 0.001)
  expect(pictures!.psnrDb).toBeGreaterThanOrEqual(LEVELS.jpeg.low.psnrDb - 0.1)
})
