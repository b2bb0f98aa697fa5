import { expect, test } from 'vitest'
import { LEVELS } from '../../../src/core/catalog/levels.ts'
import { lowestPerceptualQuality } from '../../../src/core/images/search/perceptual-search.ts'

const SCALE = {
  lowest: 25,
  highest: 95,
  coarseness: (quality: number) => Math.log(200 - 2 * quality),
  qualityOf: (coarseness: number) => 100 - Math.exp(coarseness) / 2,
  pointsPerCoarseness: 11,
  mostProbes: 3,
  mostAskedByWindows: 6,
}
const FIGURES = { ssim: 1, psnrDb: 99, colourPsnrDb: 99, estimatedBytes: 0 }
const WANTED = LEVELS.perceptual.medium
/** Margin (score minus target) of a night photograph, by encoder quality. */
const MARGINS = [
  [60, -26.7],
  [62, -27.7],
  [70, -5.5],
  [75, 6.1],
  [81, 13],
  [86, 13],
  [95, 25.4],
] as const

function marginAt(quality: number): number {
  const above = MARGINS.findIndex(([at]) => at >= quality)
  const [[x0, y0], [x1, y1]] = [MARGINS[Math.max(0, above - 1)]!, MARGINS[above]!]
  return x1 === x0 ? y1 : y0 + ((y1 - y0) * (quality - x0)) / (x1 - x0)
}

test('the search ends near the target although the score drops steeply within a few quality steps (city-by-night)', async () => {
  let made = 0
  const maker = {
    encode: async (quality: number) => {
      made = quality
      return FIGURES
    },
    bytes: () => made,
    perceptualFigures: async () => ({
      score: WANTED.score + marginAt(made),
      worstTile: 100,
      cast: 0,
      steps: 0,
      bands: 0,
      specks: 0,
      dirt: 0,
    }),
  }
  const { quality, reached } = await lowestPerceptualQuality(maker, WANTED, SCALE, { quality: 60 })
  expect(reached).toBe(true)
  expect(quality).toBe(made)
  expect(marginAt(quality)).toBeLessThan(8)
})
