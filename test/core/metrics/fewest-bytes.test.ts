import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LEVELS } from '../../../src/core/catalog/levels.ts'
import { lowestPerceptualQuality, type QualityScale } from '../../../src/core/images/search/perceptual-search.ts'

const TARGET = LEVELS.perceptual.medium
const SCALE: QualityScale = {
  lowest: 20,
  highest: 97,
  coarseness: (quality) => -quality,
  qualityOf: (coarseness) => -coarseness,
  pointsPerCoarseness: 0.55,
  mostProbes: 4,
  mostAskedByWindows: 2,
}
const FIGURES = { ssim: 1, psnrDb: 99, colourPsnrDb: 99 }
const STEPS = SCALE.highest + 1

test('no other probe that reaches the target is smaller, or as large with a higher score', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 20, max: 97 }),
      fc.array(fc.integer({ min: -6, max: 6 }), { minLength: STEPS, maxLength: STEPS }),
      fc.array(fc.integer({ min: -40, max: 40 }), { minLength: STEPS, maxLength: STEPS }),
      async (first, scoreNoise, byteNoise) => {
        const probes = new Map<number, { score: number; bytes: number }>()
        let last = first
        const at = (quality: number) => ({
          score: TARGET.score + (quality - 60) * 0.6 + (scoreNoise[quality] ?? 0),
          bytes: 1000 + quality * 10 + (byteNoise[quality] ?? 0),
        })
        const found = await lowestPerceptualQuality(
          {
            encode: async (quality) => {
              last = quality
              return FIGURES
            },
            perceptualFigures: async () => {
              const { score } = at(last)
              probes.set(last, at(last))
              return { score, worstTile: 100, cast: 0, steps: 0, bands: 0, specks: 0, dirt: 0 }
            },
            bytes: () => at(last).bytes,
          },
          TARGET,
          SCALE,
          { quality: first },
        )
        const chosen = at(found.quality)
        expect(last).toBe(found.quality)
        for (const { score, bytes } of probes.values()) {
          if (score < TARGET.score) continue
          expect(found.reached).toBe(true)
          expect(bytes < chosen.bytes || (bytes === chosen.bytes && score > chosen.score)).toBe(false)
        }
      },
    ),
  )
})
