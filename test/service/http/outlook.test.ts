/** Estimates of when a task ends. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { pacedBy, type Task } from '../../../src/service/store/task.ts'
import { jointEta, outlookOf } from '../../../src/service/tasks/outlook.ts'

const START = 1_700_000_000_000
const task = (change: Partial<Task>): Task => ({
  ...{ taskId: 'tsk_1', accountId: 'acc_1', fileName: 'a.pdf', format: 'pdf', output: 'pdf', quality: 'medium', originalSize: 5_000_000 },
  ...{ originalSha256: '', worker: 'press', lane: 'slow', createdAt: START, retentionMs: 1, baseUrl: '', requestId: '' },
  ...{ status: 'processing', progress: 0, ...change },
})

it('is right within a factor of two for steady work once 10 % is done, however rarely progress is reported', () => {
  const totals = fc.double({ min: 20, max: 3600, noNaN: true })
  const reports = fc.double({ min: 0.5, max: 5, noNaN: true })
  const points = fc.double({ min: 0.1, max: 0.95, noNaN: true })
  fc.assert(
    fc.property(totals, reports, points, (totalSeconds, everySeconds, share) => {
      const every = Math.min(everySeconds, totalSeconds / 20)
      const nowSeconds = share * totalSeconds
      let pace: Task['pace'] = { since: START, share: 0, at: START }
      for (let at = every; at <= nowSeconds; at += every) pace = pacedBy(pace, at / totalSeconds, START + at * 1000)
      if (pace!.share < 0.1) return
      const { etaSeconds } = outlookOf(task({ ...(pace ? { pace } : {}) }), START + nowSeconds * 1000)
      const truth = totalSeconds - nowSeconds
      expect(etaSeconds! / truth).toBeGreaterThan(0.5)
      expect(etaSeconds! / truth).toBeLessThan(2)
    }),
  )
})

it('begins with the estimate from format and size', () => {
  expect(outlookOf(task({ pace: { since: START, share: 0, at: START } }), START)).toEqual({ etaSeconds: 30, queuePosition: 0 })
})

it('adds the wait of a task that has not started, and knows nothing without a place', () => {
  const waiting = task({ status: 'pending' })
  expect(outlookOf(waiting, START, { position: 3, seconds: 12 })).toEqual({ etaSeconds: 42, queuePosition: 3 })
  expect(outlookOf(waiting, START, { position: 3, seconds: null })).toEqual({ etaSeconds: null, queuePosition: 3 })
  expect(outlookOf(waiting, START)).toEqual({ etaSeconds: null, queuePosition: null })
})

it('grows while a job makes no progress, and never becomes negative', () => {
  const stalled = task({ pace: { since: START, share: 0.5, at: START + 10_000 } })
  const etas = [10, 20, 60, 600].map((seconds) => outlookOf(stalled, START + seconds * 1000).etaSeconds!)
  expect(etas[0]).toBe(10)
  expect(etas.every((eta) => eta >= 0)).toBe(true)
  expect(etas.at(-1)).toBeGreaterThan(100)
})

/** Tasks of one batch at a moment: `workers` run at a time, and each takes `seconds`. */
function batchAt(nowSeconds: number, { count, workers, seconds }: { count: number; workers: number; seconds: number }): Task[] {
  return Array.from({ length: count }, (_, at) => {
    const startSeconds = Math.floor(at / workers) * seconds
    const since = START + startSeconds * 1000
    const share = (nowSeconds - startSeconds) / seconds
    if (share < 0) return task({ taskId: `tsk_${at}`, status: 'pending' })
    if (share >= 1)
      return task({
        taskId: `tsk_${at}`,
        status: 'completed',
        progress: 1,
        pace: { since, share: 0.9, at: since },
        completedAt: since + seconds * 1000,
      })
    const reported = Math.floor(share * 20) / 20
    return task({ taskId: `tsk_${at}`, progress: reported, pace: { since, share: reported, at: since + reported * seconds * 1000 } })
  })
}

it('is right within a factor of two for a batch once 10 % is done, however slow the machine is (batch-on-a-slow-machine)', () => {
  const shapes = fc.record({
    count: fc.integer({ min: 2, max: 40 }),
    workers: fc.integer({ min: 1, max: 4 }),
    // The estimate from format and size is 30 s.
    seconds: fc.double({ min: 3, max: 600, noNaN: true }),
  })
  fc.assert(
    fc.property(shapes, fc.double({ min: 0.12, max: 0.97, noNaN: true }), (shape, share) => {
      const totalSeconds = Math.ceil(shape.count / shape.workers) * shape.seconds
      const nowSeconds = share * totalSeconds
      const tasks = batchAt(nowSeconds, shape)
      const places = Object.fromEntries(tasks.map(({ taskId }, at) => [taskId, { position: at, seconds: 30 * at }]))
      const eta = jointEta(tasks, START + nowSeconds * 1000, places)
      const truth = totalSeconds - nowSeconds
      // Estimates below 10 s are rounded to 0.1 s.
      expect(eta! + 0.05).toBeGreaterThan(truth / 2)
      expect(eta! - 0.05).toBeLessThan(truth * 2)
    }),
  )
})

it('knows the end of a batch without places in the queue once 10 % is done, and not before', () => {
  const shape = { count: 20, workers: 1, seconds: 100 }
  expect(jointEta(batchAt(110, shape), START + 110_000, {})).toBeNull()
  expect(jointEta(batchAt(1000, shape), START + 1_000_000, {})).toBe(1000)
  const refused = task({ taskId: 'tsk_refused', status: 'failed', completedAt: START })
  expect(jointEta([refused, ...batchAt(1000, shape)], START + 1_000_000, {}), 'a file that never ran').toBe(1000)
})
