/** `npm run bench -- growth`: the exponent it tells, and the curves it draws. */
import { expect, it } from 'vitest'
import { curves } from '../../tools/bench/growth/curves.ts'
import { slopeOf } from '../../tools/bench/growth/slope.ts'

const logs = (of: (megabytes: number) => number) =>
  [4, 16, 64, 256].map((megabytes) => [Math.log(megabytes), Math.log(of(megabytes))] as const)

it('what grows with a power of the size is told by its exponent', () => {
  expect(slopeOf(logs((megabytes) => 0.3 * megabytes))).toBeCloseTo(1, 9)
  expect(slopeOf(logs((megabytes) => 7 * megabytes ** 1.5))).toBeCloseTo(1.5, 9)
  expect(slopeOf(logs(() => 40))).toBeCloseTo(0, 9)
})

it('one size, or the same one twice, has no exponent', () => {
  expect(slopeOf([[2, 3]])).toBeUndefined()
  expect(slopeOf([])).toBeUndefined()
})

it('names of curves that end at one place do not overlap', () => {
  const names = Array.from({ length: 24 }, (_, i) => `format ${i}`)
  const drawn = curves(names.map((name) => ({ name, points: [{ megabytes: 16, cpuSeconds: 3, peakMiB: 50 }] })))
  const places = names.map((name) => [...drawn.matchAll(new RegExp(`y="([\\d.]+)"[^>]*>${name}<`, 'g'))].map(([, y]) => Number(y)))
  for (const panel of [0, 1]) {
    const sorted = places.map((each) => each[panel]!).toSorted((a, b) => a - b)
    expect(sorted).toHaveLength(24)
    for (const [i, y] of sorted.entries()) if (i > 0) expect(y - sorted[i - 1]!).toBeGreaterThanOrEqual(14)
  }
})
