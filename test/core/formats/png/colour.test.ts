/** Palettes at `medium` and `low` keep hues and soft gradients, which luma figures do not measure. */
import { expect, it } from 'vitest'
import { LEVELS } from '../../../../src/core/catalog/levels.ts'
import { largerPalette } from '../../../../src/core/images/png/palette-search.ts'
import { PerceptualMeter } from '../../../../src/core/metrics/perceptual.ts'
import type { Quality } from '../../../../src/core/model/codec.ts'
import { fewOf } from '../../../support/thorough.ts'
import { pressed } from './pressed.ts'

type Pixel = readonly [red: number, green: number, blue: number, alpha: number]
const SIDE = 200

function picture(pixel: (x: number, y: number) => Pixel): Uint8Array {
  const rgba = new Uint8Array(SIDE * SIDE * 4)
  for (let y = 0; y < SIDE; y++) for (let x = 0; x < SIDE; x++) rgba.set(pixel(x, y), (y * SIDE + x) * 4)
  return rgba
}

/** Decoded result of a level. */
const after = async (rgba: Uint8Array, quality: Quality) => (await pressed(rgba, SIDE, quality)).rgba

/** Mean over a square of pixels of a weighted sum of channels. */
function mean(rgba: Uint8Array, weights: Pixel, [x, y, side]: readonly [number, number, number]): number {
  let sum = 0
  for (let j = y; j < y + side; j++)
    for (let i = x; i < x + side; i++) for (let c = 0; c < 4; c++) sum += (weights[c] ?? 0) * (rgba[(j * SIDE + i) * 4 + c] ?? 0)
  return sum / (side * side)
}

/** Largest difference of means over squares of 5 × 5 pixels. */
function worst(a: Uint8Array, b: Uint8Array, weights: Pixel): number {
  let most = 0
  for (let y = 0; y + 5 <= SIDE; y += 5)
    for (let x = 0; x + 5 <= SIDE; x += 5) most = Math.max(most, Math.abs(mean(a, weights, [x, y, 5]) - mean(b, weights, [x, y, 5])))
  return most
}

const noise = (x: number, y: number, c: number) => (((x * 73 + y * 151 + c * 31) * 2654435761) >>> 26) - 32
const LUMA: Pixel = [0.299, 0.587, 0.114, 0]

it('keeps hues of areas with equal luma', async () => {
  const hues = picture((x, y) => {
    const disc = Math.floor(x / 40) + 5 * Math.floor(y / 40)
    const inside = Math.hypot((x % 40) - 20, (y % 40) - 20) < 16
    const [cb, cr] = inside ? [22 * Math.cos((disc * 2 * Math.PI) / 25), 22 * Math.sin((disc * 2 * Math.PI) / 25)] : [0, 0]
    const luma = 128 + noise(x, y, 0) / 4
    return [luma + 1.402 * cr, luma - 0.344 * cb - 0.714 * cr, luma + 1.772 * cb, 255]
  })
  const limits = [
    ['low', 10],
    ['medium', 6],
  ] as const
  for (const [quality, most] of fewOf(limits, 1)) {
    const found = await after(hues, quality)
    expect(worst(hues, found, [0.5, -0.419, -0.081, 0]), quality).toBeLessThan(most)
    expect(worst(hues, found, [-0.169, -0.331, 0.5, 0]), quality).toBeLessThan(most)
  }
})

it('keeps a soft shadow soft', async () => {
  const shadow = picture((x, y) => [0, 0, 0, Math.round(180 * Math.exp(-(((x - 100) / 60) ** 2 + ((y - 100) / 60) ** 2)))])
  expect(worst(shadow, await after(shadow, 'medium'), [0, 0, 0, 1])).toBeLessThan(3)
  expect(worst(shadow, await after(shadow, 'low'), [0, 0, 0, 1])).toBeLessThan(5)
})

it('adds neither stripes nor steps to a gradient', async () => {
  const sky = picture((x, y) => {
    const v = x / 4 + y / 2 + noise(x, y, 0) / 40
    return [60 + v, 100 + v * 0.8, 180 + v * 0.4, 255]
  })
  expect(worst(sky, await after(sky, 'medium'), LUMA)).toBeLessThan(3.2)
  expect(worst(sky, await after(sky, 'low'), LUMA)).toBeLessThan(4.8)
})

/** Number of equal neighbours in rows where the original changes: a measure of flat bands in gradients. */
function flatRuns(a: Uint8Array, b: Uint8Array): number {
  let longest = 0
  for (let y = 0; y < SIDE; y++)
    for (let x = 1, run = 0; x < SIDE; x++) {
      const at = (y * SIDE + x) * 4
      const equal = (p: Uint8Array) => [0, 1, 2, 3].every((c) => p[at + c] === p[at + c - 4])
      run = equal(b) ? run + 1 : 0
      if (equal(a)) run = Math.min(run, 1)
      longest = Math.max(longest, run)
    }
  return longest
}

it('shows no blocks in a fading button, even at low', async () => {
  const button = picture((x, y) =>
    x > 20 && x < 180 && y > 60 && y < 140
      ? ([50 + x, 30 + x * 0.8, 120 + x / 2, 255].map(Math.round) as unknown as Pixel)
      : [255, 255, 255, 255],
  )
  for (const quality of fewOf(['low', 'medium'] as const, 1))
    expect(flatRuns(button, await after(button, quality)), quality).toBeLessThan(11)
})

it('keeps the lightness of both ends of a gradient', async () => {
  const fade = picture((x, y) => {
    const v = 20 + ((x + y) * 215) / (2 * SIDE)
    return [v, v + noise(x, y, 1) / 16, 255 - v, 255].map(Math.round) as unknown as Pixel
  })
  for (const quality of fewOf(['low', 'medium'] as const, 1)) {
    const found = await after(fade, quality)
    for (const corner of [0, SIDE - 12])
      expect(Math.abs(mean(fade, LUMA, [corner, corner, 12]) - mean(found, LUMA, [corner, corner, 12])), quality).toBeLessThan(1.5)
  }
})

it('keeps four reds of thin rings on blue distinct, although the score of the whole picture allows a merge', async () => {
  const side = 320
  const reds = [
    [214, 0, 20],
    [255, 0, 0],
    [255, 40, 0],
    [255, 0, 90],
    [0, 255, 0],
    [255, 0, 255],
  ] as const
  const blue = [10, 20, 200] as const
  const rgba = new Uint8Array(side * side * 4)
  for (let y = 0; y < side; y++)
    for (let x = 0; x < side; x++) {
      const line = Math.floor(y / 16)
      const ink = x < side / 2 ? reds[line >> 1] : undefined
      const fromRing = Math.abs(Math.hypot(((x + line * 5) % 11) - 5, ((y % 16) - 8) / 1.2) - 4)
      const share = ink ? Math.min(1, Math.max(0, 1 - fromRing)) : 0
      rgba.set([...blue.map((ground, c) => Math.round(ground * (1 - share) + (ink?.[c] ?? 0) * share)), 255], (y * side + x) * 4)
    }
  for (const quality of fewOf(['low', 'medium'] as const, 1)) {
    const found = await pressed(rgba, side, quality)
    expect(found.colourType, quality).toBe(3)
    const meter = new PerceptualMeter(side, side, 4)
    meter.push(rgba, found.rgba)
    expect(meter.finish().worstTile, quality).toBeGreaterThanOrEqual(LEVELS.palette[quality].worstTile)
  }
})

it('tries 16 colours before more, which need twice the bits', () => {
  const effort = { level: 6, trialLevel: 3, strategies: 1, bandBytes: 131072, passes: 0 }
  const plan = { kind: 'palette', tolerance: 0, dither: 'none', effort, estimate: 1000 } as const
  const next = (colours: number) => largerPalette({ ...plan, colours }, 1, 1)?.colours
  expect([3, 13, 16, 40].map(next)).toEqual([4, 16, 22, 53])
})
