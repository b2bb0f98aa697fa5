import { describe, expect, it } from 'vitest'
import { Liveness, type Measurement } from '../../src/local/liveness.ts'

const LIMITS = { processorMs: 900_000, silentMs: 60_000, stalledMs: 120_000 }

/** Checks once a second for `seconds`, with `busy` seconds of CPU time per second. @returns the first verdict and its second */
function watch(seconds: number, busy: number, hasHeartbeat: (second: number) => boolean, state: Partial<Measurement> = {}) {
  const liveness = new Liveness(LIMITS)
  for (let second = 0; second < seconds; second++) {
    if (hasHeartbeat(second)) liveness.recordHeartbeat()
    const verdict = liveness.check(second * 1000, { processorMs: 5000 + second * 1000 * busy, ...state })
    if (verdict) return { verdict, second }
  }
  return undefined
}

const everyFourSeconds = (second: number) => second % 4 === 0

describe('a press process with heartbeats', () => {
  it('is silent after 60 s of CPU time without a heartbeat', () => {
    expect(watch(1000, 1, (second) => second < 10)).toEqual({ verdict: 'silent', second: 70 })
  })

  it('may be silent for 300 s of CPU time in a job larger than an isolate', () => {
    const liveness = new Liveness(LIMITS)
    liveness.check(0, { processorMs: 5000 })
    liveness.enlarge()
    expect(liveness.check(1000, { processorMs: 304_000 })).toBeUndefined()
    expect(liveness.check(2000, { processorMs: 306_000 })).toBe('silent')
  })

  it('is not silent on an overloaded machine: 50 s of CPU time in an hour', () => {
    expect(watch(3600, 50 / 3600, () => false)).toBeUndefined()
  })

  it('may make many calls of 50 s each', () => {
    expect(watch(800, 1, (second) => second % 50 === 0)).toBeUndefined()
  })

  it('exceeds its limit after 900 s of CPU time, even with heartbeats', () => {
    expect(watch(1000, 1, everyFourSeconds)).toEqual({ verdict: 'processor', second: 901 })
  })

  it('has stalled after 120 s of heartbeats without computation', () => {
    expect(watch(1000, 0.0005, everyFourSeconds)?.verdict).toBe('stalled')
    expect(watch(1000, 0.02, everyFourSeconds)).toBeUndefined()
  })

  it('has not stalled while it waits for an answer, or sends no heartbeats', () => {
    expect(watch(1000, 0.0005, everyFourSeconds, { isWaiting: true })).toBeUndefined()
    expect(watch(1000, 0.0005, () => false)).toBeUndefined()
  })
})

it('a press process that a signal stopped has stalled after 120 s (stopped-press-stays)', () => {
  expect(watch(1000, 0, (second) => second < 10, { isRunnable: false })).toEqual({ verdict: 'stalled', second: 121 })
  expect(watch(1000, 0, () => false, { isRunnable: false, isWaiting: true })).toBeUndefined()
})

describe('a process that sends no heartbeats', () => {
  const limits = { stalledMs: 120_000, idleShare: 0 }
  /** Checks every 30 s. `used`: CPU time at each check, in milliseconds. */
  const verdicts = (used: readonly number[], waits: readonly boolean[] = []) => {
    const liveness = new Liveness(limits)
    return used.map((processorMs, i) => liveness.check(i * 30_000, { processorMs, isWaiting: waits[i] ?? false }))
  }

  it('has stalled after more than 120 s without any CPU time', () => {
    expect(verdicts([100, 100, 100, 100, 100, 100]).indexOf('stalled')).toBe(5)
    expect(verdicts([100, 100, 100, 100, 110, 110, 110, 110])).not.toContain('stalled')
  })

  it('has not stalled if it was ready to run meanwhile', () => {
    expect(verdicts([100, 100, 100, 100, 100, 100], [false, false, false, false, true, false])).not.toContain('stalled')
  })
})

describe('a service before its first response', () => {
  const limits = { silentMs: 1000, startMs: 60_000 }

  it('has the start limit first, and its own limit after the first response', () => {
    const liveness = new Liveness(limits, 0)
    expect(liveness.check(0, { processorMs: 60_000 })).toBeUndefined()
    liveness.recordHeartbeat()
    expect(liveness.check(1, { processorMs: 60_500 })).toBeUndefined()
    expect(liveness.check(2, { processorMs: 61_400 })).toBeUndefined()
    expect(liveness.check(3, { processorMs: 61_600 })).toBe('silent')
    expect(liveness.silentForMs).toBe(1100)
  })

  it('counts CPU time from before the first check', () => {
    expect(new Liveness(limits, 0).check(0, { processorMs: 61_000 })).toBe('silent')
  })

  it('starts to count anew when CPU time decreases, because the process was restarted', () => {
    const liveness = new Liveness(limits, 0)
    liveness.recordHeartbeat()
    liveness.check(0, { processorMs: 50_000 })
    expect(liveness.check(1, { processorMs: 2000 })).toBeUndefined()
    expect(liveness.check(2, { processorMs: 2900 })).toBeUndefined()
    expect(liveness.check(3, { processorMs: 3100 })).toBe('silent')
  })
})
