import { expect, test } from 'vitest'
import { LEVELS } from '../../../src/core/catalog/levels.ts'
import { smallestSettings } from '../../../src/core/images/avif/perceptual-search.ts'
import type { AvifProbe, AvifSettings } from '../../../src/core/images/avif/scale.ts'

const TARGET = LEVELS.perceptual.medium
const FIRST = TARGET.usualQuality.avif

interface Picture {
  /** Score points that full and fitted chroma add to halved chroma. */
  readonly full: number
  readonly fitted?: number
  /** Score points that fast probes report too much. */
  readonly fastError?: number
}

/** Mock of a picture whose score is a line over quality: halved chroma reaches the target at quality 60. */
function picture({ full, fitted = 0, fastError = 0 }: Picture) {
  const final: AvifSettings[] = []
  const probe = ({ quality, chroma }: AvifSettings, error: number): AvifProbe => {
    const gained = chroma === 'full' ? full : chroma === 'fitted' ? fitted : 0
    const dearer = chroma === 'full' && full > 0 ? 1.1 : 1
    const score = TARGET.score + (quality - 60) * 0.8 + gained + error
    return {
      bytes: 10_000 * 1.03 ** (quality - 60) * dearer,
      figures: { ssim: 1, psnrDb: 99, colourPsnrDb: 99 },
      perceptual: { score, worstTile: score, cast: 0, steps: 0, bands: 0, specks: 0, dirt: 0 },
    }
  }
  return {
    final,
    probes: {
      final: async (settings: AvifSettings) => {
        final.push(settings)
        return probe(settings, 0)
      },
      fast: async (settings: AvifSettings) => probe(settings, fastError - 3),
    },
  }
}

test('fast probes lead to the lowest sufficient quality with at most three encodings at the final speed', async () => {
  const { final, probes } = picture({ full: 0 })
  const found = await smallestSettings(probes, TARGET, FIRST, 4)
  expect(found).toMatchObject({ reached: true, chroma: 'halved' })
  expect(found.quality).toBeGreaterThanOrEqual(60)
  expect(found.quality).toBeLessThanOrEqual(61)
  expect(final.length).toBeLessThanOrEqual(3)
  expect(final.every(({ chroma }) => chroma === 'halved')).toBe(true)
})

test.each([
  { name: 'full chroma that scores much higher', full: 12, chroma: 'full' },
  { name: 'fitted chroma that scores higher', full: 2, fitted: 4, chroma: 'fitted' },
  { name: 'halved chroma if full chroma costs more than it gains', full: 1.6, chroma: 'halved' },
])('the search returns $name', async ({ full, fitted, chroma }) => {
  const { probes } = picture({ full, ...(fitted !== undefined && { fitted }) })
  expect(await smallestSettings(probes, TARGET, FIRST, 4)).toMatchObject({ reached: true, chroma })
})

test.each([-25, -8, 8, 25])('the result reaches the target although fast probes are off by %i points', async (fastError) => {
  const { probes } = picture({ full: 0, fastError })
  const { reached, margin } = await smallestSettings(probes, TARGET, FIRST, 4)
  expect(reached).toBe(true)
  expect(margin).toBeLessThan(5)
})

test('full chroma is tried if no other chroma reaches the target', async () => {
  const { final, probes } = picture({ full: 60, fitted: 0, fastError: 0 })
  const unreachable = { ...TARGET, score: TARGET.score + 40, worstTile: TARGET.worstTile }
  expect(await smallestSettings(probes, unreachable, FIRST, 4)).toMatchObject({ reached: true, chroma: 'full' })
  expect(final.some(({ chroma }) => chroma === 'full')).toBe(true)
})
