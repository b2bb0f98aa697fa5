import { expect, test } from 'vitest'
import { LEVELS } from '../../../src/core/catalog/levels.ts'
import { lowestPerceptualQuality } from '../../../src/core/images/search/perceptual-search.ts'

const SCALE = {
  lowest: 25,
  highest: 95,
  coarseness: (quality: number) => (100 - quality) / 10,
  qualityOf: (coarseness: number) => 100 - 10 * coarseness,
  pointsPerCoarseness: 10,
  mostProbes: 3,
  skipsProbes: true,
  mostAskedByWindows: 6,
}
const WANTED = LEVELS.perceptual.medium
const CLEAN = { worstTile: 100, cast: 0, steps: 0, bands: 0, specks: 0, dirt: 0 }

/** Noise: it looks well at any quality, and luma reaches its floor at 84. */
function noise() {
  const made: number[] = []
  const looked: number[] = []
  const maker = {
    make: async (quality: number) => {
      made.push(quality)
      return { ssim: WANTED.floor.ssim + 0.012 * (quality - 83.5), psnrDb: 99, colourPsnrDb: 99, estimatedBytes: 0 }
    },
    look: async () => {
      looked.push(made.at(-1)!)
      return { score: WANTED.score + 8, ...CLEAN }
    },
  }
  return { made, looked, maker }
}

test('what luma rules out is made, and not looked at, once something is good enough', async () => {
  const { made, looked, maker } = noise()
  const { quality, reached } = await lowestPerceptualQuality(maker, WANTED, SCALE, { quality: 85 })
  expect(reached).toBe(true)
  expect(quality).toBe(84)
  expect(made.at(-1)).toBe(84)
  expect(looked.every((each) => each >= 84)).toBe(true)
})

test('a search does not go back to what luma ruled out before it', async () => {
  const { made, looked, maker } = noise()
  const { quality } = await lowestPerceptualQuality(maker, WANTED, SCALE, { quality: 84, ruledOut: [{ quality: 83, margin: -4 }] })
  expect([quality, made, looked]).toEqual([84, [84], [84]])
})
