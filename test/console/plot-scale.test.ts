/** Axes of the console's charts. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { scaleFor } from '../../console/src/plot-scale.ts'

it('has whole numbers for counts, at most five lines, and room for every value', () => {
  fc.assert(
    fc.property(fc.nat(1_000_000_000), (most) => {
      const scale = scaleFor(most, 'count')
      expect(scale.most).toBeGreaterThanOrEqual(most)
      expect(scale.ticks.length).toBeLessThanOrEqual(5)
      for (const { value } of scale.ticks) expect(Number.isInteger(value)).toBe(true)
    }),
  )
})

it('labels sizes without decimals that say nothing', () => {
  expect(scaleFor(372_000, 'bytes').ticks.map(({ label }) => label)).toEqual(['0', '100 kB', '200 kB', '300 kB', '400 kB'])
  expect(scaleFor(5_100_000_000, 'bytes').ticks.map(({ label }) => label)).toEqual(['0', '2 GB', '4 GB', '6 GB'])
  expect(scaleFor(0, 'count').ticks.map(({ label }) => label)).toEqual(['0', '1'])
})
