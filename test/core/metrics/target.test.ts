import { expect, it } from 'vitest'
import { COLOUR_ALLOWANCE_DB, FLOORS, reaches } from '../../../src/core/catalog/target.ts'

const target = { ssim: 0.96, psnrDb: 35 }
const figures = { ssim: 0.96, psnrDb: 35, colourPsnrDb: 35 - COLOUR_ALLOWANCE_DB }

it('reaches a target if every figure equals it, and misses it if any figure is below', () => {
  expect(reaches(figures, target)).toBe(true)
  for (const less of [{ ssim: 0.9599 }, { psnrDb: 34.99 }, { colourPsnrDb: 29.99 }]) {
    expect(reaches({ ...figures, ...less }, target)).toBe(false)
  }
})

it('adds the slack to the targets of luma only', () => {
  expect(reaches(figures, target, { ssim: 0.001, psnrDb: 0 })).toBe(false)
  expect(reaches(figures, target, { ssim: 0, psnrDb: 0.1 })).toBe(false)
  expect(reaches({ ssim: 0.95, psnrDb: 34 }, target, { ssim: -0.01, psnrDb: -1 })).toBe(true)
})

it('ignores an unmeasured figure, and rejects NaN', () => {
  expect(reaches({ ssim: 0.9, psnrDb: 30 }, FLOORS)).toBe(true)
  expect(reaches({ ssim: Number.NaN, psnrDb: 30 }, FLOORS)).toBe(false)
})
