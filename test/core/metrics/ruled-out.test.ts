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
  skipsRuledOutProbes: true,
  mostAskedByWindows: 6,
}
const WANTED = LEVELS.perceptual.medium
const CLEAN = { worstTile: 100, cast: 0, steps: 0, bands: 0, specks: 0, dirt: 0 }

/** Mock of a noisy picture: its score is high at any quality, and luma reaches its floor at quality 84. */
function noise() {
  const encoded: number[] = []
  const scored: number[] = []
  const maker = {
    encode: async (quality: number) => {
      encoded.push(quality)
      return { ssim: WANTED.floor.ssim + 0.012 * (quality - 83.5), psnrDb: 99, colourPsnrDb: 99, estimatedBytes: 0 }
    },
    bytes: () => encoded.at(-1)!,
    perceptualFigures: async () => {
      scored.push(encoded.at(-1)!)
      return { score: WANTED.score + 8, ...CLEAN }
    },
  }
  return { encoded, scored, maker }
}

test('a quality whose luma misses the floor is encoded but not scored', async () => {
  const { encoded, scored, maker } = noise()
  const { quality, reached } = await lowestPerceptualQuality(maker, WANTED, SCALE, { quality: 85 })
  expect(reached).toBe(true)
  expect(quality).toBe(84)
  expect(encoded.at(-1)).toBe(84)
  expect(scored.every((each) => each >= 84)).toBe(true)
})

test('a search does not repeat qualities whose luma missed the floor before', async () => {
  const { encoded, scored, maker } = noise()
  const { quality } = await lowestPerceptualQuality(maker, WANTED, SCALE, { quality: 84, ruledOut: [{ quality: 83, margin: -4 }] })
  expect([quality, encoded, scored]).toEqual([84, [84], [84]])
})

test('a foretold miss is not probed, and the foretold quality is', async () => {
  const encoded: number[] = []
  const maker = {
    encode: async (quality: number) => {
      encoded.push(quality)
      return { ssim: 1, psnrDb: 99, colourPsnrDb: 99, estimatedBytes: 0 }
    },
    bytes: () => encoded.at(-1)!,
    perceptualFigures: async () => ({ score: WANTED.score + encoded.at(-1)! - 60, ...CLEAN }),
  }
  const foretell = ({ quality, margin }: { quality: number; margin: number }) => ({
    quality: quality - margin,
    ruledOut: { quality: quality - margin - 1, margin: -2 },
  })
  const { quality } = await lowestPerceptualQuality(maker, WANTED, SCALE, { quality: 70, foretell })
  expect([quality, encoded]).toEqual([60, [70, 60]])
})
