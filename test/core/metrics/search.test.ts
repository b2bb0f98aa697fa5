import { describe, expect, it } from 'vitest'
import {
  bisect,
  gentlestThatFits,
  highestThatFits,
  lowestByMargin,
  lowestThatHolds,
  lowestUpwards,
} from '../../../src/core/metrics/search.ts'
import { TargetUnreachable } from '../../../src/core/model/error.ts'

/** Condition that is true from a threshold on, and the values that were probed. */
function from(threshold: number) {
  const probed: number[] = []
  const holds = async (value: number) => {
    probed.push(value)
    return value >= threshold
  }
  return { holds, probed }
}

describe('bisection', () => {
  it('finds every threshold of a range, and its ends if the condition never changes', async () => {
    for (let threshold = 3; threshold <= 14; threshold++) {
      const wanted = { below: Math.min(12, threshold - 1), above: Math.min(13, threshold) }
      for (const middle of ['lower', 'upper'] as const) {
        expect(await bisect({ first: 3, last: 12, middle }, from(threshold).holds)).toEqual(wanted)
      }
    }
  })

  it('probes the same values until the results differ, so that a lower target never gives a higher result', async () => {
    const [a, b] = [from(40), from(70)]
    expect(await lowestThatHolds(1, 100, a.holds)).toBeLessThanOrEqual(await lowestThatHolds(1, 100, b.holds))
    expect(a.probed.slice(0, 2)).toEqual([50, 25])
    expect(b.probed.slice(0, 2)).toEqual([50, 75])
  })

  it('goes up in leaps to the same number as one by one, with fewer probes', async () => {
    for (const leap of [1, 3, 5, 40])
      for (let threshold = 0; threshold <= 25; threshold++) {
        const { holds, probed } = from(threshold)
        const missing = async (value: number) => ((await holds(value)) ? 0 : Math.max(1, Math.min(leap, threshold - value - 1)))
        expect(await lowestUpwards(7, 23, missing)).toBe(Math.min(23, Math.max(7, threshold)))
        if (leap === 5) expect(probed.length).toBeLessThanOrEqual(6)
        const tooFar = from(threshold)
        expect(await lowestUpwards(7, 23, async (value) => ((await tooFar.holds(value)) ? 0 : leap))).toBe(
          Math.min(23, Math.max(7, threshold)),
        )
      }
  })

  it('returns the upper end without a probe if no lower value fits', async () => {
    const { holds, probed } = from(1000)
    expect(await lowestThatHolds(30, 97, holds)).toBe(97)
    expect(probed).not.toContain(97)
  })

  it('finds the highest value that fits, or undefined', async () => {
    expect(await highestThatFits(1, 99, async (value) => value <= 61)).toBe(61)
    expect(await highestThatFits(1, 99, async () => true)).toBe(99)
    expect(await highestThatFits(1, 99, async () => false)).toBeUndefined()
  })

  it('ends early if isEnough is true', async () => {
    const { holds, probed } = from(40)
    const { below, above } = await bisect(
      { first: 1, last: 98, middle: 'lower', isEnough: (known) => known.above - known.below <= 20 },
      holds,
    )
    expect([below < 40, above >= 40, probed.length]).toEqual([true, true, 3])
  })
})

describe('the gentlest step that fits', () => {
  const ladder = [900, 700, 500, 300, 100]
  const made = async (bytes: number) => ({ bytes })

  it('is the first step whose size is below the limit', async () => {
    expect(await gentlestThatFits(ladder, 501, made)).toEqual({ bytes: 500 })
    expect(await gentlestThatFits(ladder, 500, made)).toEqual({ bytes: 300 })
  })

  it('throws with the smallest size if none fits', async () => {
    await expect(gentlestThatFits(ladder, 100, made)).rejects.toEqual(new TargetUnreachable(100))
    await expect(gentlestThatFits(ladder, 50, made, 80)).rejects.toMatchObject({ bestSize: 80 })
  })

  it('continues with stronger steps if a step has no result', async () => {
    expect(await gentlestThatFits(ladder, 400, async (bytes) => (bytes > 400 ? undefined : { bytes }))).toEqual({ bytes: 300 })
  })
})

describe('the lowest setting by its margin', () => {
  const slope = { down: 0.13, up: 0.22 }
  const of = (hint: number) => ({ first: 8, last: 95, hint, maxProbes: 12, closeEnough: 0.001, slope })

  it('has the first non-negative margin, independent of the start', async () => {
    for (const hint of [0, 8, 33, 50, 95, 200]) expect(await lowestByMargin(of(hint), (quality) => (quality - 50) * 0.17)).toBe(50)
  })

  it('is undefined if the last setting misses the target', async () => {
    expect(await lowestByMargin(of(50), () => -1)).toBeUndefined()
  })
})
