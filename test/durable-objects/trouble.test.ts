/** Tests of platform failures: Durable Objects are reset, responses are lost, queues do not respond. No task may fail because of them. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { TaskRecord } from '../../durable-objects/task-record.ts'
import type { Env } from '../../src/service/env.ts'
import type { NewTask } from '../../src/service/store/task.ts'
import { commonProtocol, OLDEST_PROTOCOL, PROTOCOL, type TaskRecordFace } from '../../src/service/store/tasks.ts'
import { claimStep, MAX_TROUBLES, newStep, releaseStep, watch } from '../../src/service/tasks/job.ts'
import { newTask, RESULT, record } from './fixtures.ts'

afterEach(() => void vi.useRealTimers())

const LEASE_MS = 30_000
const HOUR_MS = 3_600_000
const object = (task: NewTask) => env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub

/**
 * Simulates attempts of a step until it is given up.
 * @returns number of attempts, and time of the end in milliseconds
 */
function triedUntil(whose: 'codec' | 'platform') {
  let step = newStep(0)
  let [now, attempt] = [0, 0]
  for (;;) {
    const action = watch(step, now)
    if (action.kind === 'give up') return { attempts: attempt, now, lost: action.lost }
    if (action.kind === 'wait') now = action.until
    else {
      step = claimStep(step, now, { leaseMs: LEASE_MS })!
      attempt = step.lease!.attempt
      step = releaseStep(step, attempt, now + 100, whose)
    }
  }
}

it('a codec that breaks is tried three times within seconds', () => {
  expect(triedUntil('codec')).toMatchObject({ attempts: 3, lost: false })
  expect(triedUntil('codec').now).toBeLessThan(10_000)
})

it('a platform that fails is waited for an hour, and not at the same moments for all tasks', () => {
  const ends = Array.from({ length: 50 }, () => triedUntil('platform'))
  for (const { attempts, now } of ends) {
    expect(attempts).toBe(MAX_TROUBLES)
    expect(now).toBeGreaterThan(HOUR_MS / 2)
    expect(now).toBeLessThan(2 * HOUR_MS)
  }
  expect(new Set(ends.map(({ now }) => Math.round(now))).size).toBeGreaterThan(40)
})

it('troubles of the platform take no attempts from the codec', () => {
  let step = newStep(0)
  for (let i = 0; i < 5; i++) {
    step = claimStep(step, 0, { leaseMs: LEASE_MS })!
    step = releaseStep(step, step.lease!.attempt, 0, 'platform')
  }
  for (let i = 0; i < 3; i++) {
    expect(watch(step, Number.MAX_SAFE_INTEGER).kind).toBe('send')
    step = claimStep(step, 0, { leaseMs: LEASE_MS })!
    step = releaseStep(step, step.lease!.attempt, 0, 'codec')
  }
  expect(watch(step, Number.MAX_SAFE_INTEGER)).toEqual({ kind: 'give up', lost: false })
  // A second release of the same attempt changes nothing, as after a lost response.
  expect(releaseStep(step, step.attempts, 0, 'platform')).toBe(step)
})

it('a worker that did not hear the answer to its claim has it when it asks again', async () => {
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
  ['newer, and says nothing of older ones', { protocol: PROTOCOL + 1 }],
  ['older', { protocol: OLDEST_PROTOCOL - 1, oldest: OLDEST_PROTOCOL - 1 }],
])('a worker whose release is too much %s gets nothing, is told why, and takes no attempt', async (_, worker) => {
  const task = newTask()
  await record(task).create(task)
  const spoken = { oldest: OLDEST_PROTOCOL, newest: PROTOCOL }
  expect(await record(task).claim(1, 'whole', undefined, { id: 'one', ...worker })).toEqual({ kind: 'incompatible', spoken })
  expect(await record(task).read()).toMatchObject({ status: 'pending' })
  expect(await record(task).claim(1, 'whole', undefined, { id: 'two', protocol: PROTOCOL })).toMatchObject({ kind: 'claimed', attempt: 1 })
})

it('a newer worker that still speaks the form of the record is told to, and has the step', async () => {
  const task = newTask()
  await record(task).create(task)
  const newer = { id: 'one', protocol: PROTOCOL + 1, oldest: PROTOCOL }
  expect(await record(task).claim(1, 'whole', undefined, newer)).toMatchObject({ kind: 'claimed', protocol: PROTOCOL })
})

it('two releases speak the newest form that both know', () => {
  const record = { oldest: 2, newest: 3 }
  const told = [{ protocol: 1 }, { protocol: 2 }, { protocol: 3, oldest: 1 }, { protocol: 5, oldest: 3 }, { protocol: 5, oldest: 4 }]
  expect(told.map((worker) => commonProtocol(worker, record))).toEqual([undefined, 2, 3, 3, undefined])
})

/** Creates a record whose queue collects messages and responds only when `deliver` is called. */
async function withQueue(task: NewTask, work: (face: TaskRecordFace, queue: Hanging, storage: DurableObjectStorage) => Promise<void>) {
  await runInDurableObject(object(task), async (_, ctx) => {
    const queue = new Hanging()
    const face = new TaskRecord(ctx, { ...(env as unknown as Env), PRESS_JOBS: queue as unknown as Env['PRESS_JOBS'] })
    await work(face, queue, ctx.storage)
  })
}

class Hanging {
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

it('a queue that takes its time does not put off what became due meanwhile', async () => {
  const task = newTask({ callbackUrl: 'http://127.0.0.1:9/' })
  await withQueue(task, async (face, queue, storage) => {
    queue.hangs = true
    const creating = face.create(task)
    await vi.waitFor(() => expect(queue.sent).toHaveLength(1))
    const claim = await face.claim(1, 'whole')
    if (claim.kind !== 'claimed') throw new Error('not claimed')
    await face.complete(claim.attempt, { ...RESULT, key: claim.uploadKey })
    const callbackAt = await storage.getAlarm()
    expect(callbackAt).toBeLessThanOrEqual(Date.now())
    queue.deliver()
    await creating
    expect(await storage.getAlarm()).toBeLessThanOrEqual(Date.now())
  })
})

it('what the press has no room for is in the queue at once', async () => {
  const task = newTask({ lane: 'quick' })
  await withQueue(task, async (face, queue) => {
    await face.create(task)
    expect(queue.sent).toEqual([])
    await face.toQueue()
    expect(queue.sent).toEqual([{ taskId: task.taskId, generation: 1, step: 'whole', bytes: task.originalSize }])
    await face.toQueue()
    expect(await face.claim(1, 'whole')).toMatchObject({ kind: 'claimed', attempt: 1 })
    const before = queue.sent.length
    await face.toQueue('somebody else')
    expect(queue.sent, 'somebody is at it').toHaveLength(before)
  })
})

it('what the press took along is in the queue when it was held back, not when its lease is over', async () => {
  const task = newTask({ lane: 'quick' })
  await withQueue(task, async (face, queue, storage) => {
    await face.create(task)
    await face.claim(null, 'whole', undefined, { id: 'broke', protocol: 1 })
    await face.toQueue('broke')
    expect(queue.sent).toEqual([])
    expect(await storage.getAlarm()).toBeLessThan(Date.now() + LEASE_MS)
    vi.useFakeTimers({ toFake: ['Date'] })
    vi.setSystemTime(Date.now() + LEASE_MS - 5000)
    await (face as unknown as DurableObject).alarm!()
    expect(queue.sent).toHaveLength(1)
    expect(await face.claim(1, 'whole')).toMatchObject({ attempt: 2, alone: true })
  })
})

it.each([
  ['on one machine, where a crash takes the queue along, it is sent again every minute', 'local', 2 * LEASE_MS],
  ['on Cloudflare it is sent ever less often', 'production', 32 * LEASE_MS],
])('what nobody comes for: %s', async (_, environment, longest) => {
  const task = newTask({ lane: 'slow' })
  await runInDurableObject(object(task), async (_instance, ctx) => {
    const queue = new Hanging() as unknown as Env['PRESS_JOBS']
    const face = new TaskRecord(ctx, { ...(env as unknown as Env), PRESS_JOBS: queue, ENVIRONMENT: environment })
    await face.create(task)
    vi.useFakeTimers({ toFake: ['Date'] })
    const pauses: number[] = []
    for (let i = 0; i < 8; i++) {
      const before = Date.now()
      vi.setSystemTime((await ctx.storage.getAlarm())!)
      pauses.push(Date.now() - before)
      await (face as unknown as DurableObject).alarm!()
    }
    expect(Math.round(Math.max(...pauses) / 1000) * 1000).toBe(longest)
  })
})
