import { describe, expect, it } from 'vitest'
import { Life } from '../../src/local/liveness.ts'

const LIMITS = { processorMs: 900_000, silentMs: 60_000, stalledMs: 120_000 }

/** Looks every second of `seconds`; each second takes `busy` of processor time. @returns when it was ended, and why */
function watch(seconds: number, busy: number, says: (second: number) => boolean, waits = false) {
  const life = new Life(LIMITS)
  for (let second = 0; second < seconds; second++) {
    if (says(second)) life.hear()
    const verdict = life.look(second * 1000, 5000 + second * 1000 * busy, waits)
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
    const life = new Life(LIMITS)
    life.look(0, 5000, false)
    life.enlarge()
    expect(life.look(1000, 304_000, false)).toBeUndefined()
    expect(life.look(2000, 306_000, false)).toBe('silent')
  })

  it('is not silent because a machine with too much to do gave it little: an hour with fifty seconds of it', () => {
    expect(watch(3600, 50 / 3600, () => false)).toBeUndefined()
  })

  it('may be long in one call, again and again', () => {
    expect(watch(800, 1, (second) => second % 50 === 0)).toBeUndefined()
  })

  it('has used all it may after fifteen minutes of processor time, however alive it is', () => {
    expect(watch(1000, 1, everyFourSeconds)).toEqual({ verdict: 'spent', second: 901 })
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
