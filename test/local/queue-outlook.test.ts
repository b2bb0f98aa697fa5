/** Places of waiting tasks in the queue of the worker pool. */
import { expect, it } from 'vitest'
import { queuePlaces } from '../../src/local/queue-outlook.ts'
import type { QueuedStep } from '../../src/local/scheduler.ts'

const step = (taskId: string, more: Partial<QueuedStep> = {}): QueuedStep => ({
  ...{ kind: 'press', step: { taskId, generation: 1, step: 'whole' }, quick: false, queuedAtMs: 0, workSeconds: 10 },
  ...more,
})
const places = (queue: QueuedStep[], working: QueuedStep[] = [], workers = 1) =>
  Object.fromEntries(queuePlaces({ queue, working, workers, now: 0, workDone: () => 0 }))

it('tells who starts before, and when, in the order of the scheduler', () => {
  const found = places(
    [step('small', { workSeconds: 1 }), step('large', { workSeconds: 20 }), step('quick', { quick: true })],
    [step('running')],
  )
  expect(found).toEqual({
    running: { position: 0, seconds: 0 },
    quick: { position: 0, seconds: 5 },
    large: { position: 1, seconds: 15 },
    small: { position: 2, seconds: 35 },
  })
})

it('lets accounts take turns and shares the work among workers', () => {
  const mine = [1, 2, 3].map((number) => step(`mine-${number}`, { accountId: 'a' }))
  const found = places([...mine, step('yours', { accountId: 'b' })], [], 2)
  expect(found['yours']!.position).toBeLessThan(2)
  expect(Object.values(found).filter(({ seconds }) => seconds === 0)).toHaveLength(2)
})

it('counts a split task once', () => {
  const parts = [0, 1, 2].map((part) => step('film', { step: { taskId: 'film', generation: 2, step: 'part', part } }))
  expect(places([...parts, step('last', { workSeconds: 1 })])['last']).toEqual({ position: 1, seconds: 10 })
})

it('uses the order of arrival in a long queue', () => {
  const queue = Array.from({ length: 5000 }, (_, number) => step(`task-${number}`, { workSeconds: 1 }))
  expect(places(queue)['task-4999']).toEqual({ position: 4999, seconds: 4999 })
})
