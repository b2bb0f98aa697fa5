import { describe, expect, it } from 'vitest'
import { Liveness } from '../../src/local/liveness.ts'

const LIMITS = { processorMs: 900_000, silentMs: 60_000, stalledMs: 120_000 }

/** Checks every second for `seconds`, each of which takes `busy` seconds of processor time. @returns the first verdict and its second */
function watch(seconds: number, busy: number, says: (second: number) => boolean, waits = false) {
  const liveness = new Liveness(LIMITS)
  for (let second = 0; second < seconds; second++) {
    if (says(second)) liveness.hear()
    const verdict = liveness.check(second * 1000, 5000 + second * 1000 * busy, waits)
    if (verdict) return { verdict, second }
  }
  return undefined
}

const everyFourSeconds = (second: number) => second % 4 === 0

describe('a press that works', () => {
  it('is silent after a minute of processor time in which it said nothing', () => {
    expect(watch(1000, 1, (second) => second < 10)).toEqual({ verdict: 'silent', second: 70 })
  })

  it('may be silent for five minutes when it works on what no isolate takes', () => {
    const liveness = new Liveness(LIMITS)
    liveness.check(0, 5000)
    liveness.enlarge()
    expect(liveness.check(1000, 304_000)).toBeUndefined()
    expect(liveness.check(2000, 306_000)).toBe('silent')
  })

  it('is not silent because a machine with too much to do gave it little: an hour with fifty seconds of it', () => {
    expect(watch(3600, 50 / 3600, () => false)).toBeUndefined()
  })

  it('may be long in one call, again and again', () => {
    expect(watch(800, 1, (second) => second % 50 === 0)).toBeUndefined()
  })

  it('has used all it may after fifteen minutes of processor time, however alive it is', () => {
    expect(watch(1000, 1, everyFourSeconds)).toEqual({ verdict: 'processor', second: 901 })
  })

  it('has stalled when it is there for two minutes, and computes nothing', () => {
    expect(watch(1000, 0.0005, everyFourSeconds)?.verdict).toBe('stalled')
    expect(watch(1000, 0.02, everyFourSeconds)).toBeUndefined()
  })

  it('has not stalled while an answer is owed to it, nor while it is not heard', () => {
    expect(watch(1000, 0.0005, everyFourSeconds, true)).toBeUndefined()
    expect(watch(1000, 0.0005, () => false)).toBeUndefined()
  })
})

describe('a process that gives no signs of life', () => {
  const limits = { stalledMs: 120_000, idleShare: 0 }
  /** Checks every half minute; `used` is its processor time at each. */
  const verdicts = (used: readonly number[], waits: readonly boolean[] = []) => {
    const liveness = new Liveness(limits)
    return used.map((processorMs, i) => liveness.check(i * 30_000, processorMs, waits[i]))
  }

  it('has stalled when it has computed nothing at all for more than two minutes', () => {
    expect(verdicts([100, 100, 100, 100, 100, 100]).indexOf('stalled')).toBe(5)
    expect(verdicts([100, 100, 100, 100, 110, 110, 110, 110])).not.toContain('stalled')
  })

  it('has not stalled when it was ready to run meanwhile', () => {
    expect(verdicts([100, 100, 100, 100, 100, 100], [false, false, false, false, true, false])).not.toContain('stalled')
  })
})

describe('a service before its first answer', () => {
  const limits = { silentMs: 1000, startMs: 60_000 }

  it('may use the time that a start takes, afterwards its own limit', () => {
    const liveness = new Liveness(limits, 0)
    expect(liveness.check(0, 60_000)).toBeUndefined()
    liveness.hear()
    expect(liveness.check(1, 60_500)).toBeUndefined()
    expect(liveness.check(2, 61_400)).toBeUndefined()
    expect(liveness.check(3, 61_600)).toBe('silent')
    expect(liveness.silentForMs).toBe(1100)
  })

  it('counts what it used before the first check', () => {
    expect(new Liveness(limits, 0).check(0, 61_000)).toBe('silent')
  })

  it('begins again when its processor time is less than before: it is another process', () => {
    const liveness = new Liveness(limits, 0)
    liveness.hear()
    liveness.check(0, 50_000)
    expect(liveness.check(1, 2000)).toBeUndefined()
    expect(liveness.check(2, 2900)).toBeUndefined()
    expect(liveness.check(3, 3100)).toBe('silent')
  })
})
