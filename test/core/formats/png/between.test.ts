import { expect, it } from 'vitest'
import { type LossyPlan, planBetween } from '../../../../src/core/images/png/lossy-plan.ts'

const effort = { level: 6, trialLevel: 3, strategies: 1, bandBytes: 131072, passes: 0 }
const palette = (colours: number, dither: 'none' | 'smooth' = 'none'): LossyPlan => {
  return { kind: 'palette', colours, tolerance: 0, dither, effort, estimate: 1 }
}

it('tries 14 colours between 13 that miss the target and 16 that reach it', () => {
  expect(planBetween(palette(13), palette(16))).toEqual(palette(14))
})

it.each([
  ['palettes next to each other', palette(15), palette(16)],
  ['palettes of other errors', palette(13, 'smooth'), palette(16)],
  ['rows near to the picture', { kind: 'near', step: 8, hueSteps: 2, effort, estimate: 1 }, palette(16)],
] as const)('tries nothing between %s', (_, missed, holds) => {
  expect(planBetween(missed, holds)).toBeUndefined()
})
