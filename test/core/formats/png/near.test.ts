/** Near-lossless rows: samples may differ slightly if no palette reaches the level, so that filtered rows compress better. */
import { expect, it } from 'vitest'
import { PerceptualMeter } from '../../../../src/core/metrics/perceptual.ts'
import { DIFFICULT, measureResult } from '../../../support/difficult/cases.ts'
import { pressed } from './pressed.ts'

const SIDE = 160

/** More colours than a palette can represent: waves of red, green and blue with noise, a flat border, and a transparent hole. */
function waves(): Uint8Array {
  const rgba = new Uint8Array(SIDE * SIDE * 4)
  let seed = 1
  for (let y = 0; y < SIDE; y++)
    for (let x = 0; x < SIDE; x++) {
      seed = (seed * 1103515245 + 12345) & 0x7fffffff
      const grain = ((seed >> 12) & 15) - 7.5
      const phases = [x / 17 + y / 29, x / 23 - y / 19 + 1, x / 31 + y / 13 + 2]
      const colour = phases.map((phase) => 128 + grain + 110 * Math.sin(phase))
      const border = Math.min(x, y, SIDE - 1 - x, SIDE - 1 - y) < 12
      const hole = Math.hypot(x - SIDE / 2, y - SIDE / 2) < 20
      rgba.set(border ? [40, 90, 160, 255] : [...colour, hole ? 0 : 255], (y * SIDE + x) * 4)
    }
  return rgba
}

const WAVES = waves()
const results = { high: pressed(WAVES, SIDE, 'high'), medium: pressed(WAVES, SIDE, 'medium'), low: pressed(WAVES, SIDE, 'low') }

it.each([
  ['medium', 72, 0.6],
  ['low', 60, 0.5],
] as const)('uses near-lossless rows for waves that no palette represents (%s)', async (quality, score, share) => {
  const [exact, near] = [await results.high, await results[quality]]
  expect(near.colourType).toBe(6)
  expect(near.size).toBeLessThan(share * exact.size)
  const meter = new PerceptualMeter(SIDE, SIDE, 4)
  meter.push(WAVES, near.rgba)
  const figures = meter.finish()
  expect(figures.score).toBeGreaterThanOrEqual(score - 1)
  expect(figures.dirt).toBe(0)
})

it('keeps flat and transparent areas', async () => {
  const { rgba } = await results.low
  for (let i = 0; i < rgba.length; i += 4) {
    const [x, y] = [(i / 4) % SIDE, Math.floor(i / 4 / SIDE)]
    const border = Math.min(x, y, SIDE - 1 - x, SIDE - 1 - y) < 12
    const kept = border ? [0, 1, 2, 3] : [3]
    for (const c of kept) if (rgba[i + c] !== WAVES[i + c]) expect.fail(`sample ${c} of ${x}, ${y} is ${rgba[i + c]}`)
  }
})

it('keeps the lightness of each row', async () => {
  const { rgba } = await results.low
  const lightness = (of: Uint8Array, y: number) => {
    let sum = 0
    for (let x = 12; x < SIDE - 12; x++) {
      const at = (y * SIDE + x) * 4
      if (WAVES[at + 3]) sum += 0.299 * (of[at] ?? 0) + 0.587 * (of[at + 1] ?? 0) + 0.114 * (of[at + 2] ?? 0)
    }
    return sum / (SIDE - 24)
  }
  for (let y = 12; y < SIDE - 12; y++) expect(Math.abs(lightness(rgba, y) - lightness(WAVES, y)), `row ${y}`).toBeLessThan(1.2)
})

it('avoids pink and green blotches on skin by fine hue steps', async () => {
  const skin = DIFFICULT.find(({ name }) => name === 'skin.png')
  if (!skin) throw new Error('no picture of skin')
  const { figures } = await measureResult(skin, 'png medium')
  expect(figures.cast).toBeLessThan(1.6)
})
