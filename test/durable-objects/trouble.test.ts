/** Tests of platform failures: Durable Objects are reset, responses are lost, queues do not respond. No task may fail because of them. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { TaskRecord } from '../../durable-objects/task-record.ts'
import type { Env } from '../../src/service/env.ts'
import type { NewTask } from '../../src/service/store/task.ts'
import { commonProtocol, OLDEST_PROTOCOL, PROTOCOL, type TaskRecordApi } from '../../src/service/store/tasks.ts'
import { claimStep, MAX_PLATFORM_FAILURES, newStep, nextAction, releaseStep } from '../../src/service/tasks/job.ts'
import { newTask, RESULT, record } from './fixtures.ts'

afterEach(() => void vi.useRealTimers())

const LEASE_MS = 30_000
const HOUR_MS = 3_600_000
const object = (task: NewTask) => env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub

/**
 * Simulates attempts of a step until it is given up.
 * @returns number of attempts, and time of the end in milliseconds
 */
function simulateFailures(whose: 'codec' | 'platform') {
  let step = newStep(0)
  let [now, attempt] = [0, 0]
  for (;;) {
    const action = nextAction(step, now)
    if (action.kind === 'give up') return { attempts: attempt, now, lost: action.lost }
    if (action.kind === 'wait') now = action.until
    else {
      step = claimStep(step, now, { leaseMs: LEASE_MS })!
      attempt = step.lease!.attempt
      step = releaseStep(step, attempt, now + 100, whose)
    }
  }
}

it('a failing codec is tried three times within ten seconds', () => {
  expect(simulateFailures('codec')).toMatchObject({ attempts: 3, lost: false })
  expect(simulateFailures('codec').now).toBeLessThan(10_000)
})

it('retries platform failures for about an hour, at different times for each task', () => {
  const ends = Array.from({ length: 50 }, () => simulateFailures('platform'))
  for (const { attempts, now } of ends) {
    expect(attempts).toBe(MAX_PLATFORM_FAILURES)
    expect(now).toBeGreaterThan(HOUR_MS / 2)
    expect(now).toBeLessThan(2 * HOUR_MS)
  }
  expect(new Set(ends.map(({ now }) => Math.round(now))).size).toBeGreaterThan(40)
})

it('platform failures do not count as attempts of the codec', () => {
  let step = newStep(0)
  for (let i = 0; i < 5; i++) {
    step = claimStep(step, 0, { leaseMs: LEASE_MS })!
    step = releaseStep(step, step.lease!.attempt, 0, 'platform')
  }
  for (let i = 0; i < 3; i++) {
    expect(nextAction(step, Number.MAX_SAFE_INTEGER).kind).toBe('send')
    step = claimStep(step, 0, { leaseMs: LEASE_MS })!
    step = releaseStep(step, step.lease!.attempt, 0, 'codec')
  }
  expect(nextAction(step, Number.MAX_SAFE_INTEGER)).toEqual({ kind: 'give up', lost: false })
  // A second release of the same attempt changes nothing, as after a lost response.
  expect(releaseStep(step, step.attempts, 0, 'platform')).toBe(step)
})

it('a worker may repeat its claim after the response was lost', async () => {
  const task = newTask()
  await record(task).create(task)
  const mine = { id: 'one', protocol: 1 }
  const claim = await record(task).claim(1, 'whole', undefined, mine)
  expect(claim).toMatchObject({ kind: 'claimed', attempt: 1 })
  expect(await record(task).beat(1, 0.1)).toBe('go on')
  expect(await record(task).claim(1, 'whole', undefined, mine)).toMatchObject({ kind: 'claimed', attempt: 1 })
  expect(await record(task).claim(1, 'whole', undefined, { id: 'two', protocol: 1 })).toEqual({ kind: 'forget' })
})

it.each([
  ['newer', { protocol: PROTOCOL + 2, oldest: PROTOCOL + 1 }],
  ['newer, without support for older ones', { protocol: PROTOCOL + 1 }],
  ['older', { protocol: OLDEST_PROTOCOL - 1, oldest: OLDEST_PROTOCOL - 1 }],
])('refuses a worker with an incompatible protocol (%s) without counting an attempt', async (_, worker) => {
  const task = newTask()
  await record(task).create(task)
  const spoken = { oldest: OLDEST_PROTOCOL, newest: PROTOCOL }
  expect(await record(task).claim(1, 'whole', undefined, { id: 'one', ...worker })).toEqual({ kind: 'incompatible', spoken })
  expect(await record(task).read()).toMatchObject({ status: 'pending' })
  expect(await record(task).claim(1, 'whole', undefined, { id: 'two', protocol: PROTOCOL })).toMatchObject({ kind: 'claimed', attempt: 1 })
})

it('a newer worker that supports the protocol of the record gets the step', async () => {
  const task = newTask()
  await record(task).create(task)
  const newer = { id: 'one', protocol: PROTOCOL + 1, oldest: PROTOCOL }
  expect(await record(task).claim(1, 'whole', undefined, newer)).toMatchObject({ kind: 'claimed', protocol: PROTOCOL })
})

it('two releases use the newest protocol that both support', () => {
  const record = { oldest: 2, newest: 3 }
  const told = [{ protocol: 1 }, { protocol: 2 }, { protocol: 3, oldest: 1 }, { protocol: 5, oldest: 3 }, { protocol: 5, oldest: 4 }]
  expect(told.map((worker) => commonProtocol(worker, record))).toEqual([undefined, 2, 3, 3, undefined])
})

/** Creates a record whose queue collects messages and responds only when `deliver` is called. */
async function withQueue(task: NewTask, work: (api: TaskRecordApi, queue: StallingQueue, storage: DurableObjectStorage) => Promise<void>) {
  await runInDurableObject(object(task), async (_, ctx) => {
    const queue = new StallingQueue()
    const api = new TaskRecord(ctx, { ...(env as unknown as Env), PRESS_JOBS: queue as unknown as Env['PRESS_JOBS'] })
    await work(api, queue, ctx.storage)
  })
}

class StallingQueue {
  readonly sent: unknown[] = []
  hangs = false
  #deliver: (() => void)[] = []

  async sendBatch(messages: Iterable<{ body: unknown }>): Promise<void> {
    this.sent.push(...[...messages].map(({ body }) => body))
    if (this.hangs) await new Promise<void>((resolve) => this.#deliver.push(resolve))
  }

  deliver() {
    for (const resolve of this.#deliver.splice(0)) resolve()
  }
}

it('a slow queue does not delay a callback that becomes due meanwhile', async () => {
  const task = newTask({ callbackUrl: 'http://127.0.0.1:9/' })
  await withQueue(task, async (api, queue, storage) => {
    queue.hangs = true
    const creating = api.create(task)
    await vi.waitFor(() => expect(queue.sent).toHaveLength(1), { timeout: 30_000 })
    const claim = await api.claim(1, 'whole')
    if (claim.kind !== 'claimed') throw new Error('not claimed')
    await api.complete(claim.attempt, { ...RESULT, key: claim.uploadKey })
    const callbackAt = await storage.getAlarm()
    expect(callbackAt).toBeLessThanOrEqual(Date.now())
    queue.deliver()
    await creating
    expect(await storage.getAlarm()).toBeLessThanOrEqual(Date.now())
  })
})

it('a task that the busy press refuses is queued at once', async () => {
  const task = newTask({ lane: 'quick' })
  await withQueue(task, async (api, queue) => {
    await api.create(task)
    expect(queue.sent).toEqual([])
    await api.toQueue()
    expect(queue.sent).toEqual([{ taskId: task.taskId, generation: 1, step: 'whole', bytes: task.originalSize }])
    await api.toQueue()
    expect(await api.claim(1, 'whole')).toMatchObject({ kind: 'claimed', attempt: 1 })
    const before = queue.sent.length
    await api.toQueue('somebody else')
    expect(queue.sent, 'a worker has the lease').toHaveLength(before)
  })
})

it('a task whose press call failed is queued after a pause, before its lease expires', async () => {
  const task = newTask({ lane: 'quick' })
  await withQueue(task, async (api, queue, storage) => {
    await api.create(task)
    await api.claim(null, 'whole', undefined, { id: 'broke', protocol: 1 })
    await api.toQueue('broke')
    expect(queue.sent).toEqual([])
    expect(await storage.getAlarm()).toBeLessThan(Date.now() + LEASE_MS)
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + LEASE_MS - 5000)
    await (api as unknown as DurableObject).alarm!()
    expect(queue.sent).toHaveLength(1)
    expect(await api.claim(1, 'whole')).toMatchObject({ attempt: 2, alone: true })
  })
})

it.each([
  ['every minute on one machine, where a crash loses the queue', 'local', 2 * LEASE_MS],
  ['with growing pauses on Cloudflare', 'production', 32 * LEASE_MS],
])('repeats an unclaimed queue message: %s', async (_, environment, longest) => {
  const task = newTask({ lane: 'slow' })
  await runInDurableObject(object(task), async (_instance, ctx) => {
    const queue = new StallingQueue() as unknown as Env['PRESS_JOBS']
    const api = new TaskRecord(ctx, { ...(env as unknown as Env), PRESS_JOBS: queue, ENVIRONMENT: environment })
    await api.create(task)
    vi.useFakeTimers({ toFake: ['Date'] })
    const pauses: number[] = []
    for (let i = 0; i < 8; i++) {
      const before = Date.now()
      vi.setSystemTime((await ctx.storage.getAlarm())!)
      pauses.push(Date.now() - before)
      await (api as unknown as DurableObject).alarm!()
    }
    expect(Math.round(Math.max(...pauses) / 1000) * 1000).toBe(longest)
  })
})
