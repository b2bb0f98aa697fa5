import { describe, expect, it } from 'vitest'
import type { Effort } from '../../src/core/catalog/effort.ts'
import type { FormatId } from '../../src/core/catalog/index.ts'
import { AccountTurns } from '../../src/local/account-turns.ts'
import { hasMemory, MAX_LOW_WAIT_MS, MAX_WAIT_MS, nextStepIndex, type QueuedStep } from '../../src/local/scheduler.ts'
import { estimatedSeconds } from '../../src/service/tasks/estimated-seconds.ts'

function waiting(taskId: string, more: Partial<QueuedStep> = {}): QueuedStep {
  return { kind: 'press', step: { taskId, generation: more.quick ? null : 1, step: 'whole' }, quick: false, queuedAtMs: 0, ...more }
}
const part = (taskId: string, number: number): QueuedStep => ({
  ...waiting(taskId, { workSeconds: 1e9 }),
  kind: 'media',
  step: { taskId, generation: 2, step: 'part', part: number },
})

/**
 * Simulates `presses` processes that run all queued steps, each for as long as its workSeconds. A step arrives at its `queuedAtMs`.
 * @returns the steps in the order in which they start, each with its end
 */
function schedule(queue: readonly QueuedStep[], presses: number): { taskId: string; end: number }[] {
  const arriving = [...queue].sort((a, b) => a.queuedAtMs - b.queuedAtMs)
  const waitingSteps: QueuedStep[] = []
  const working: { end: number; step: QueuedStep }[] = []
  const started: { taskId: string; end: number }[] = []
  const turns = new AccountTurns()
  for (let now = 0; arriving.length > 0 || waitingSteps.length > 0 || working.length > 0; ) {
    while (arriving[0] && arriving[0].queuedAtMs <= now) {
      turns.join(arriving[0].accountId)
      waitingSteps.push(arriving.shift()!)
    }
    while (working.length < presses) {
      const running = working.map(({ step }) => step)
      const at = nextStepIndex(waitingSteps, running, now, false, (accountId) => turns.workOf(accountId))
      if (at < 0) break
      const [step] = waitingSteps.splice(at, 1)
      const end = now + (step!.workSeconds ?? 1)
      turns.start(step!.accountId)
      started.push({ taskId: step!.step.taskId, end })
      working.push({ end, step: step! })
    }
    working.sort((a, b) => a.end - b.end)
    now = Math.min(working[0]?.end ?? Number.POSITIVE_INFINITY, arriving[0]?.queuedAtMs ?? Number.POSITIVE_INFINITY)
    while (working[0] && working[0].end <= now) {
      const { step } = working.shift()!
      turns.leave(step.accountId, step.workSeconds ?? 1)
    }
  }
  return started
}
const order = (queue: readonly QueuedStep[], presses: number) => schedule(queue, presses).map(({ taskId }) => taskId)

describe('the queue of steps for press processes', () => {
  it('picks steps of waiting clients first', () => {
    expect(nextStepIndex([waiting('a', { workSeconds: 9 }), waiting('b', { quick: true })], [], 0, false)).toBe(1)
  })

  it('picks nothing for the quick lane if there is no quick step', () => {
    expect(nextStepIndex([waiting('a', { workSeconds: 9 })], [], 0, true)).toBe(-1)
  })

  it('picks the step with the most work first, so that the last one is short', () => {
    expect(
      order([waiting('small', { workSeconds: 1 }), waiting('large', { workSeconds: 9 }), waiting('middle', { workSeconds: 5 })], 1),
    ).toEqual(['large', 'middle', 'small'])
  })

  it('picks a small file that has waited longer than 30 s', () => {
    const late = waiting('small', { workSeconds: 1 })
    const queue = [waiting('large', { workSeconds: 9, queuedAtMs: MAX_WAIT_MS }), late]
    expect(nextStepIndex(queue, [], MAX_WAIT_MS, false)).toBe(0)
    expect(nextStepIndex(queue, [], MAX_WAIT_MS + 1, false)).toBe(1)
  })

  it('starts a file of another task before the second part of a film', () => {
    const film = Array.from({ length: 200 }, (_, number) => part('film', number))
    const started = order([...film, { ...waiting('sound', { workSeconds: 10 }), kind: 'media' }], 2)
    expect(started.indexOf('sound')).toBeLessThanOrEqual(1)
    expect(started).toHaveLength(201)
  })

  it('estimates more work per byte for films and books than for texts and photos', () => {
    const workSeconds = (format: FormatId, originalSize: number) => estimatedSeconds({ format, originalSize })
    expect(workSeconds('mp4', 1000)).toBeGreaterThan(workSeconds('text', 3000))
    expect(workSeconds('epub', 1000)).toBeGreaterThan(workSeconds('jpg', 3000))
    expect(workSeconds('jpg', 3001)).toBeGreaterThan(workSeconds('jpg', 3000))
  })

  it('estimates the effort that was asked for, where it matters', () => {
    const secondsAt = (effort: Effort, format: FormatId = 'jpg') => estimatedSeconds({ format, originalSize: 3000, effort })
    expect(secondsAt('fast')).toBeLessThan(secondsAt('balanced'))
    expect(secondsAt('best')).toBeGreaterThan(secondsAt('balanced'))
    expect(secondsAt('best', 'gif')).toBe(secondsAt('balanced', 'gif'))
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

describe('accounts take turns', () => {
  const batch = (accountId: string, count: number, more: Partial<QueuedStep> = {}) =>
    Array.from({ length: count }, (_, at) => waiting(`${accountId}-${at}`, { accountId, workSeconds: 10, ...more }))
  const endOf = (queue: readonly QueuedStep[], presses: number, taskId: string) =>
    schedule(queue, presses).find((started) => started.taskId === taskId)!.end

  it.each([1, 2, 4])('so that a document behind 20 of another account takes at most twice its time alone, with %i processes', (presses) => {
    for (const queuedAtMs of [0, 1, 9, 10, 55]) {
      const document = waiting('b', { accountId: 'b', workSeconds: 10, queuedAtMs })
      const alone = endOf([document], presses, 'b') - queuedAtMs
      expect(endOf([...batch('a', 20), document], presses, 'b') - queuedAtMs).toBeLessThanOrEqual(2 * alone)
    }
  })

  it('by work, not by number: ten short files of one account pass one long file of another', () => {
    const started = order([...batch('long', 5, { workSeconds: 100 }), ...batch('short', 30)], 1)
    expect(started.slice(1, 11).filter((taskId) => taskId.startsWith('short')).length).toBeGreaterThanOrEqual(9)
  })

  it('whatever the number of their tasks: an account with one task has half the processes', () => {
    const film = Array.from({ length: 40 }, (_, number) => ({ ...part('film', number), accountId: 'film', workSeconds: 10 }))
    const started = order([...batch('a', 40), ...film], 2)
    const firstHalf = started.slice(0, 40)
    expect(firstHalf.filter((taskId) => taskId === 'film')).toHaveLength(20)
  })

  it('an account that was idle cannot save up work', () => {
    const late = batch('late', 20, { queuedAtMs: 200 })
    const started = order([...batch('a', 60), ...late], 1)
    expect(started.slice(21, 41).filter((taskId) => taskId.startsWith('late')).length).toBeLessThanOrEqual(11)
  })

  it('also for files whose clients wait', () => {
    const quick = (taskId: string, accountId: string, queuedAtMs: number) => waiting(taskId, { accountId, quick: true, queuedAtMs })
    expect(order([quick('a1', 'a', 0), quick('a2', 'a', 0), quick('a3', 'a', 0), quick('b1', 'b', 0)], 1).indexOf('b1')).toBe(1)
  })

  it('an account above its CPU quota waits for others, for at most ten minutes', () => {
    const low = waiting('low', { accountId: 'low' })
    const lowStep = { ...low, step: { ...low.step, low: true } }
    const other = waiting('other', { accountId: 'other', queuedAtMs: MAX_LOW_WAIT_MS })
    const busy = waiting('busy', { accountId: 'other' })
    expect(nextStepIndex([lowStep, other], [busy], MAX_LOW_WAIT_MS, false)).toBe(1)
    expect(nextStepIndex([lowStep, other], [busy], MAX_LOW_WAIT_MS + 1, false)).toBe(0)
    expect(nextStepIndex([lowStep], [], 0, false), 'alone').toBe(0)
  })

  it('counts accounts only while they have steps', () => {
    const turns = new AccountTurns()
    turns.join('a')
    turns.start('a')
    turns.leave('a', 500)
    turns.join('b')
    expect([turns.workOf('a'), turns.workOf('b')]).toEqual([0, 0])
    turns.start('b')
    turns.join('b')
    turns.leave('b', 300)
    expect([turns.workOf('b'), turns.workOf('c')]).toEqual([300, 0])
    turns.start('b')
    expect(turns.workOf('c')).toBe(300)
  })
})
