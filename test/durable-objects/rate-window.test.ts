import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RateWindow } from '../../durable-objects/rate-window.ts'

const MINUTE_MS = 60_000
const START = Date.parse('2026-11-20T10:00:00Z')
/**
 * Sends a request at each of `moments` through the window.
 * @returns times of the accepted requests
 */
function accepted(moments: readonly number[], limit: number, window = new RateWindow()): number[] {
  return moments.filter((now) => {
    window.forget(now)
    if (window.size >= limit) return false
    window.add(now, limit)
    return true
  })
}
const sizeOf = (window: RateWindow) => {
  const { offsets, counts } = window.stored()
  return offsets.byteLength + counts.byteLength
}

describe('RateWindow', () => {
  it('is exact for limits up to 10,000 requests a minute, also after reloading from storage', () => {
    const gaps = fc.array(fc.oneof(fc.constant(0), fc.nat(50), fc.nat(30_000)), { maxLength: 200 })
    fc.assert(
      fc.property(gaps, fc.integer({ min: 1, max: 20 }), (pauses, limit) => {
        let now = START
        const moments = pauses.map((pause) => (now += pause))
        const log: number[] = []
        const expected = moments.filter((moment) => {
          const counting = log.filter((at) => at > moment - MINUTE_MS).length
          if (counting < limit) log.push(moment)
          return counting < limit
        })
        const half = Math.floor(moments.length / 2)
        const window = new RateWindow()
        const first = accepted(moments.slice(0, half), limit, window)
        const second = accepted(moments.slice(half), limit, new RateWindow(window.stored()))
        expect([...first, ...second]).toEqual(expected)
      }),
    )
  })

  it('never exceeds a limit above 10,000, and frees a slot at most 0.1 s late', () => {
    const limit = 20_000
    // Send three requests each millisecond, and 5,000 at once when the first minute ends.
    const moments = Array.from({ length: 130_000 }, (_, ms) => Array<number>(ms === MINUTE_MS ? 5000 : 3).fill(START + ms)).flat()
    const taken = accepted(moments, limit)
    let tail = 0
    for (const [head, moment] of taken.entries()) {
      while (taken[tail]! <= moment - MINUTE_MS) tail++
      if (head - tail + 1 > limit) throw new Error(`${head - tail + 1} requests in the minute before ${moment}`)
    }
    expect(taken.filter((at) => at < START + MINUTE_MS)).toHaveLength(limit)
    const second = taken.find((at) => at >= START + MINUTE_MS)!
    expect(second - START - MINUTE_MS).toBeLessThanOrEqual(100)
    expect(taken.length).toBeGreaterThan(2.9 * limit)
  })

  it('needs less storage for a million requests a minute than for ten thousand', () => {
    const full = (limit: number) => {
      const window = new RateWindow()
      for (let i = 0; i < limit; i++) window.add(START + Math.floor((i * MINUTE_MS) / limit), limit)
      expect(window.size).toBe(limit)
      return sizeOf(window)
    }
    expect(full(300)).toBe(2400)
    expect(full(10_000)).toBe(80_000)
    expect(full(1_000_000)).toBeLessThan(5000)
  })

  it('does not accept additional requests when the clock is set back', () => {
    const window = new RateWindow()
    expect(accepted([START, START - 30_000, START - 30_000, START + 59_999], 3, window)).toHaveLength(3)
    expect(window.freeAt).toBe(START + MINUTE_MS)
  })
})
