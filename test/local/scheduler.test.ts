import { describe, expect, it } from 'vitest'
import type { FormatId } from '../../src/core/catalog/index.ts'
import { estimateEffort, hasMemory, MAX_WAIT_MS, nextStepIndex, type QueuedStep } from '../../src/local/scheduler.ts'

function waiting(taskId: string, more: Partial<QueuedStep> = {}): QueuedStep {
  return { kind: 'press', step: { taskId, generation: more.quick ? null : 1, step: 'whole' }, quick: false, queuedAtMs: 0, ...more }
}
const part = (taskId: string, number: number): QueuedStep => ({
  ...waiting(taskId, { effort: 1e9 }),
  kind: 'media',
  step: { taskId, generation: 2, step: 'part', part: number },
})

/** Simulates `presses` processes that run all queued steps, each for as long as its effort. @returns the order in which steps start */
function order(queue: QueuedStep[], presses: number): string[] {
  const remaining = [...queue]
  const working: { end: number; step: QueuedStep }[] = []
  const started: string[] = []
  for (let now = 0; remaining.length > 0 || working.length > 0; ) {
    while (working.length < presses) {
      const at = nextStepIndex(
        remaining,
        working.map(({ step }) => step),
        now,
        false,
      )
      if (at < 0) break
      const [step] = remaining.splice(at, 1)
      started.push(step!.step.taskId)
      working.push({ end: now + (step!.effort ?? 1), step: step! })
    }
    working.sort((a, b) => a.end - b.end)
    now = working.shift()!.end
  }
  return started
}

describe('the queue of steps for press processes', () => {
  it('picks steps of waiting clients first', () => {
    expect(nextStepIndex([waiting('a', { effort: 9 }), waiting('b', { quick: true })], [], 0, false)).toBe(1)
  })

  it('picks nothing for the quick lane if there is no quick step', () => {
    expect(nextStepIndex([waiting('a', { effort: 9 })], [], 0, true)).toBe(-1)
  })

  it('picks the step with the most work first, so that the last one is short', () => {
    expect(order([waiting('small', { effort: 1 }), waiting('large', { effort: 9 }), waiting('middle', { effort: 5 })], 1)).toEqual([
      'large',
      'middle',
      'small',
    ])
  })

  it('picks a small file that has waited longer than 30 s', () => {
    const late = waiting('small', { effort: 1 })
    const queue = [waiting('large', { effort: 9, queuedAtMs: MAX_WAIT_MS }), late]
    expect(nextStepIndex(queue, [], MAX_WAIT_MS, false)).toBe(0)
    expect(nextStepIndex(queue, [], MAX_WAIT_MS + 1, false)).toBe(1)
  })

  it('starts a file of another task before the second part of a film', () => {
    const film = Array.from({ length: 200 }, (_, number) => part('film', number))
    const started = order([...film, { ...waiting('sound', { effort: 10 }), kind: 'media' }], 2)
    expect(started.indexOf('sound')).toBeLessThanOrEqual(1)
    expect(started).toHaveLength(201)
  })

  it('estimates more work per byte for films and books than for texts and photos', () => {
    const effort = (format: FormatId, originalSize: number) => estimateEffort({ format, originalSize })
    expect(effort('mp4', 1000)).toBeGreaterThan(effort('text', 3000))
    expect(effort('epub', 1000)).toBeGreaterThan(effort('jpg', 3000))
    expect(effort('jpg', 3001)).toBeGreaterThan(effort('jpg', 3000))
  })

  it('delays steps that do not fit in memory while an enlarged step runs', () => {
    const GB = 2 ** 30
    const [plain, large] = [{}, { enlarged: true }]
    expect(hasMemory([plain, plain, plain], 2 * GB, 1.5 * GB)).toBe(true)
    expect(hasMemory([large], 2 * GB, 1.5 * GB)).toBe(true)
    expect(hasMemory([large, plain], 2 * GB, 1.5 * GB)).toBe(false)
    expect(hasMemory([large, large], 4 * GB, 1.5 * GB)).toBe(true)
    expect(hasMemory([], GB / 8, 1.5 * GB), 'the first step always runs').toBe(true)
  })
})
