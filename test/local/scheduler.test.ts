import { describe, expect, it } from 'vitest'
import type { FormatId } from '../../src/core/catalog/index.ts'
import { effortOf, hasMemory, MOST_WAIT_MS, nextOf, type Waiting } from '../../src/local/scheduler.ts'

function waiting(taskId: string, more: Partial<Waiting> = {}): Waiting {
  return { kind: 'press', step: { taskId, generation: more.quick ? null : 1, step: 'whole' }, quick: false, since: 0, ...more }
}
const part = (taskId: string, number: number): Waiting => ({
  ...waiting(taskId, { effort: 1e9 }),
  kind: 'media',
  step: { taskId, generation: 2, step: 'part', part: number },
})

/** Lets `presses` work through the line, each step for as long as its effort says. @returns the order in which steps began */
function order(line: Waiting[], presses: number): string[] {
  const left = [...line]
  const working: { end: number; step: Waiting }[] = []
  const began: string[] = []
  for (let now = 0; left.length > 0 || working.length > 0; ) {
    while (working.length < presses) {
      const at = nextOf(
        left,
        working.map(({ step }) => step),
        now,
        false,
      )
      if (at < 0) break
      const [step] = left.splice(at, 1)
      began.push(step!.step.taskId)
      working.push({ end: now + (step!.effort ?? 1), step: step! })
    }
    working.sort((a, b) => a.end - b.end)
    now = working.shift()!.end
  }
  return began
}

describe('the line of steps before the presses', () => {
  it('lets those go first for which somebody waits', () => {
    expect(nextOf([waiting('a', { effort: 9 }), waiting('b', { quick: true })], [], 0, false)).toBe(1)
  })

  it('has nothing for the press that is kept for them, when there is none of them', () => {
    expect(nextOf([waiting('a', { effort: 9 })], [], 0, true)).toBe(-1)
  })

  it('begins with the largest, so that what begins last is short', () => {
    expect(order([waiting('small', { effort: 1 }), waiting('large', { effort: 9 }), waiting('middle', { effort: 5 })], 1)).toEqual([
      'large',
      'middle',
      'small',
    ])
  })

  it('does not let a small file wait for ever', () => {
    const late = waiting('small', { effort: 1 })
    const line = [waiting('large', { effort: 9, since: MOST_WAIT_MS }), late]
    expect(nextOf(line, [], MOST_WAIT_MS, false)).toBe(0)
    expect(nextOf(line, [], MOST_WAIT_MS + 1, false)).toBe(1)
  })

  it('has a file of another task begin before the second part of a film', () => {
    const film = Array.from({ length: 200 }, (_, number) => part('film', number))
    const began = order([...film, { ...waiting('sound', { effort: 10 }), kind: 'media' }], 2)
    expect(began.indexOf('sound')).toBeLessThanOrEqual(1)
    expect(began).toHaveLength(201)
  })

  it('takes a short film for more work than a longer text, and a book for more than a photograph', () => {
    const effort = (format: FormatId, originalSize: number) => effortOf({ format, originalSize })
    expect(effort('mp4', 1000)).toBeGreaterThan(effort('text', 3000))
    expect(effort('epub', 1000)).toBeGreaterThan(effort('jpg', 3000))
    expect(effort('jpg', 3001)).toBeGreaterThan(effort('jpg', 3000))
  })

  it('holds back what finds no memory, as long as somebody has all of a press', () => {
    const GB = 2 ** 30
    const [plain, large] = [{}, { enlarged: true }]
    expect(hasMemory([plain, plain, plain], 2 * GB, 1.5 * GB)).toBe(true)
    expect(hasMemory([large], 2 * GB, 1.5 * GB)).toBe(true)
    expect(hasMemory([large, plain], 2 * GB, 1.5 * GB)).toBe(false)
    expect(hasMemory([large, large], 4 * GB, 1.5 * GB)).toBe(true)
    expect(hasMemory([], GB / 8, 1.5 * GB), 'or nothing would ever be done').toBe(true)
  })
})
