/** `npm run bench -- growth`: the computed exponent and the drawn curves. */
import { expect, it } from 'vitest'
import { curves } from '../../tools/bench/growth/curves.ts'
import { slopeOf } from '../../tools/bench/growth/slope.ts'

const logs = (of: (megabytes: number) => number) =>
  [4, 16, 64, 256].map((megabytes) => [Math.log(megabytes), Math.log(of(megabytes))] as const)

it('computes the exponent of a power law', () => {
  expect(slopeOf(logs((megabytes) => 0.3 * megabytes))).toBeCloseTo(1, 9)
  expect(slopeOf(logs((megabytes) => 7 * megabytes ** 1.5))).toBeCloseTo(1.5, 9)
  expect(slopeOf(logs(() => 40))).toBeCloseTo(0, 9)
})

it('returns no exponent for one size, or the same size twice', () => {
  expect(slopeOf([[2, 3]])).toBeUndefined()
  expect(slopeOf([])).toBeUndefined()
})

it('labels of curves with the same end do not overlap', () => {
  const names = Array.from({ length: 24 }, (_, i) => `format ${i}`)
  const drawn = curves(names.map((name) => ({ name, points: [{ megabytes: 16, cpuSeconds: 3, peakMiB: 50 }] })))
  const places = names.map((name) => [...drawn.matchAll(new RegExp(`y="([\\d.]+)"[^>]*>${name}<`, 'g'))].map(([, y]) => Number(y)))
  for (const panel of [0, 1]) {
    const sorted = places.map((each) => each[panel]!).toSorted((a, b) => a - b)
    expect(sorted).toHaveLength(24)
    for (const [i, y] of sorted.entries()) if (i > 0) expect(y - sorted[i - 1]!).toBeGreaterThanOrEqual(14)
  }
})
