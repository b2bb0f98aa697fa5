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
  mostAskedByWindows: 6,
}
const FIGURES = { ssim: 1, psnrDb: 99, colourPsnrDb: 99, estimatedBytes: 0 }
const WANTED = LEVELS.perceptual.medium

/** Mock of a picture whose score is its quality plus `more`. */
function picture(more: number) {
  const probed: number[] = []
  const maker = {
    encode: async (quality: number) => {
      probed.push(quality)
      return FIGURES
    },
    bytes: () => probed.at(-1) ?? 0,
    perceptualFigures: async () => {
      const score = WANTED.score + (probed.at(-1) ?? 0) - 80 + more
      return { score, worstTile: 100, cast: 0, steps: 0, bands: 0, specks: 0, dirt: 0 }
    },
  }
  return { probed, maker }
}

test('a second coding of a picture is probed once if it scores no better than the first', async () => {
  const [one, same, better] = [picture(0), picture(0), picture(20)]
  const ended = await lowestPerceptualQuality(one.maker, WANTED, SCALE, { quality: 70 })
  expect(ended.reached).toBe(true)
  expect(one.probed.length).toBeGreaterThan(1)
  await lowestPerceptualQuality(same.maker, WANTED, SCALE, { quality: ended.quality, otherMargin: ended.margin })
  expect(same.probed).toEqual([ended.quality])
  const found = await lowestPerceptualQuality(better.maker, WANTED, SCALE, { quality: ended.quality, otherMargin: ended.margin })
  expect(found.quality).toBeLessThan(ended.quality)
})

test('a second coding is probed on if its score leads, although a single window holds its margin back', async () => {
  const { probed, maker } = picture(0)
  const from = { quality: 85, otherMargin: 50, otherScoreMargin: 2 }
  const found = await lowestPerceptualQuality(maker, WANTED, SCALE, from)
  expect(probed.length).toBeGreaterThan(1)
  expect(found.quality).toBeLessThan(from.quality)
})
