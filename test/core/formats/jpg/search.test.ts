import { describe, expect, it } from 'vitest'
import { pictureTarget } from '../../../../src/core/catalog/levels.ts'
import { requantiseToTarget } from '../../../../src/core/images/jpeg/quality-search.ts'

describe('search for a quality', () => {
  it('low does not end above medium if quality drops sharply at the steps of an earlier compression', async () => {
    // Figures of a photograph that was compressed twice; samples miss the sharp drop of quality below 50.
    const figuresOf = (quality: number, sample: boolean) => {
      const psnrDb = 32.3 + (quality - 46) * 0.11
      const ssim = quality < 50 && !sample ? 0.871 : 0.937 + (quality - 50) * (sample ? 0.0012 : 0.00145)
      return { ssim, psnrDb, colourPsnrDb: psnrDb, estimatedBytes: 500 * quality }
    }
    const job = {
      info: { width: 742, height: 742 },
      estimate: (quality: number) => figuresOf(quality, true),
      requantise: async (quality: number) => figuresOf(quality, false),
    }
    const qualityAt = async (level: 'low' | 'medium') =>
      (await requantiseToTarget(job as never, pictureTarget(level), { pause: async () => undefined })).quality
    const [low, medium] = [await qualityAt('low'), await qualityAt('medium')]
    expect(low).toBeLessThan(medium)
    expect(figuresOf(low, false).ssim).toBeGreaterThanOrEqual(pictureTarget('low').ssim)
  })
})
