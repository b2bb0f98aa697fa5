import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Account } from '../../durable-objects/account.ts'
import { Outbox } from '../../durable-objects/task/outbox.ts'
import type { NewTask } from '../../src/service/store/task.ts'
import type { TaskRecordApi } from '../../src/service/store/tasks.ts'
import { account, newTask, RESULT, record } from './fixtures.ts'

const LEASE_MS = 30_000
/** Upper limit of the pause after a worker was lost once, in milliseconds. The actual pause is random, at least half of it. */
const MAX_PAUSE_MS = 20_000
const alarm = (task: NewTask) => runDurableObjectAlarm(env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub)

function at(ms: number) {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(ms)
}
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

async function started(change: Partial<NewTask> = {}) {
  const task = newTask(change)
  await env.BLOBS.put(`uploads/${task.taskId}`, 'upload')
  await record(task).create(task)
  const claim = await record(task).claim(1, 'whole')
  if (claim.kind !== 'claimed') throw new Error('not claimed')
  return { task, claim }
}

async function completed(change: Partial<NewTask> = {}) {
  const { task, claim } = await started(change)
  const key = `results/${task.taskId}/${claim.attempt}`
  await env.BLOBS.put(key, 'result')
  expect(await record(task).complete(claim.attempt, { ...RESULT, key })).toBe(true)
  return { task, key }
}

describe('TaskRecord', () => {
  it('goes from pending to processing to completed, counts once and removes the upload', async () => {
    const { task, key } = await completed()
    expect(await record(task).read()).toMatchObject({ status: 'completed', progress: 1 })
    expect(await env.BLOBS.head(`uploads/${task.taskId}`)).toBeNull()
    expect(await env.BLOBS.head(key)).not.toBeNull()
    expect(await record(task).complete(2, { ...RESULT, key: 'results/late' })).toBe(false)
    const usage = await account(task).usage('free')
    expect(usage).toMatchObject({ tasks_completed: 1, original_size: 1000, compressed_size: 400, storage_used: 400 })
  })

  it('stores an alarm together with the record', async () => {
    const task = newTask({ lane: 'quick' })
    const stub = env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub
    await runInDurableObject(stub, async (instance, state) => {
      const creating = (instance as unknown as TaskRecordApi).create(task)
      // Nothing was awaited yet, so the storage has what a crash at this point would leave.
      expect(state.storage.kv.get('task')).toMatchObject({ status: 'pending' })
      expect(await state.storage.getAlarm()).not.toBeNull()
      await creating
    })
  })

  it('keeps the upload if it is the result', async () => {
    const { task, claim } = await started()
    const key = claim.uploadKey
    await record(task).complete(claim.attempt, { ...RESULT, key, outcome: { kind: 'unchanged', reason: 'no_gain' } })
    expect(await env.BLOBS.head(key)).not.toBeNull()
  })

  it('gives the lease to one worker at a time and ignores duplicate messages', async () => {
    const { task } = await started()
    expect(await record(task).claim(1, 'whole')).toEqual({ kind: 'forget' })
    expect(await record(task).claim(null, 'whole')).toEqual({ kind: 'forget' })
    expect(await record(task).claim(7, 'whole')).toEqual({ kind: 'forget' })
  })

  /** Loses the worker of the previous attempt at `lostAt`, then claims `attempt`. */
  async function lostAndClaimed(task: NewTask, attempt: number, lostAt: number) {
    at(lostAt)
    await alarm(task)
    expect(await record(task).claim(1, 'whole'), 'the step pauses after a lost worker').toEqual({ kind: 'forget' })
    at(lostAt + MAX_PAUSE_MS * 2)
    await alarm(task)
    expect(await record(task).claim(1, 'whole')).toMatchObject({ kind: 'claimed', attempt, alone: true })
    expect(await record(task).beat(attempt - 1, 0.5)).toBe('stop')
  }

  it('completes a task that lost three workers as over_budget with the unchanged upload', async () => {
    const start = Date.now()
    at(start)
    const { task, claim } = await started()
    expect(claim.alone).toBe(false)
    for (let attempt = 2; attempt <= 3; attempt++) await lostAndClaimed(task, attempt, start + (attempt - 1) * LEASE_MS * 4)
    at(start + LEASE_MS * 12)
    await alarm(task)
    expect(await record(task).read()).toMatchObject({ status: 'processing' })
    expect(await record(task).claim(1, 'whole'), 'a late message of the old generation').toEqual({ kind: 'forget' })
    const last = await record(task).claim(2, 'whole')
    expect(last).toMatchObject({ kind: 'claimed', attempt: 4, overBudget: 'the worker process ended unexpectedly in each of 3 attempts' })
  })

  it('fails a task if completing it with its upload fails three times', async () => {
    const { task } = await started()
    await record(task).giveUp(1, 'too much')
    for (let attempt = 4; attempt <= 6; attempt++) {
      expect(await record(task).claim(2, 'whole')).toMatchObject({ kind: 'claimed', attempt, overBudget: 'too much' })
      await record(task).release(attempt, 'it broke')
    }
    expect(await record(task).read()).toMatchObject({ status: 'failed', error: { code: 500, type: 'internal' } })
    expect(await account(task).usage('free')).toMatchObject({ tasks_failed: 1, storage_used: 0 })
  })

  it('lets a slow worker renew its expired lease if no other worker has claimed the task', async () => {
    const start = Date.now()
    at(start)
    const { task } = await started()
    at(start + LEASE_MS * 2)
    await alarm(task)
    expect(await record(task).beat(1, 0.5)).toBe('go on')
    at(start + LEASE_MS * 2 + MAX_PAUSE_MS * 2)
    await alarm(task)
    expect(await record(task).claim(1, 'whole')).toEqual({ kind: 'forget' })
    expect(await record(task).beat(1, 0.6)).toBe('go on')
  })

  it('accepts the late result of an attempt whose lease expired, once', async () => {
    const start = Date.now()
    at(start)
    const { task, claim } = await started()
    at(start + LEASE_MS * 2)
    await alarm(task)
    at(start + LEASE_MS * 2 + MAX_PAUSE_MS * 2)
    expect(await record(task).claim(1, 'whole')).toMatchObject({ kind: 'claimed', attempt: 2 })
    expect(await record(task).complete(claim.attempt, { ...RESULT, key: 'results/a' })).toBe(true)
    expect(await record(task).complete(2, { ...RESULT, key: 'results/b' })).toBe(false)
  })

  it('never reports less progress than before', async () => {
    const { task } = await started()
    await record(task).beat(1, 0.6)
    await record(task).beat(1, 0.2)
    expect((await record(task).read())?.progress).toBe(0.6)
  })

  it('resolves pending waits when the task ends', async () => {
    const { task, claim } = await started()
    const waiting = record(task).wait(20_000)
    await record(task).complete(claim.attempt, { ...RESULT, key: 'results/x' })
    expect((await waiting)?.status).toBe('completed')
  })

  it('writes one metric for an ended task, with its format, sizes and duration', async () => {
    const points: unknown[] = []
    const { task, claim } = await started({ createdAt: Date.now() - 5000 })
    await runInDurableObject(env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub, async (instance) => {
      Reflect.set(instance, 'env', { ...env, METRICS: { writeDataPoint: (point: unknown) => points.push(point) } })
      const own = instance as unknown as TaskRecordApi
      const result = { ...RESULT, key: 'results/x' }
      expect([await own.complete(claim.attempt, result), await own.complete(claim.attempt, result)]).toEqual([true, false])
    })
    expect(points).toEqual([
      {
        indexes: ['text'],
        blobs: ['task', 'text', task.output, 'medium', 'press', task.lane, 'compressed', ''],
        doubles: [1000, 400, expect.closeTo(5000, -4), 1],
      },
    ])
  })

  it('leaves no blob or record after removal, and refuses its late worker', async () => {
    const { task, key } = await completed()
    expect(await record(task).remove()).toEqual({ freedBytes: 400 })
    expect(await record(task).remove()).toBeUndefined()
    expect(await env.BLOBS.head(key)).toBeNull()
    expect(await record(task).read()).toBeUndefined()
    expect(await account(task).usage('free')).toMatchObject({ storage_used: 0, tasks_completed: 1 })
    const running = await started()
    expect(await record(running.task).remove()).toEqual({ freedBytes: 1000 })
    expect(await record(running.task).beat(1, 0.5)).toBe('stop')
    expect(await record(running.task).complete(1, { ...RESULT, key: 'results/x' })).toBe(false)
    expect(await env.BLOBS.head(`uploads/${running.task.taskId}`)).toBeNull()
  })

  it('reports events to the account at removal if they could not be sent before', async () => {
    const { task, claim } = await started()
    vi.spyOn(Account.prototype, 'tell').mockRejectedValueOnce(new Error('overloaded'))
    await record(task).complete(claim.attempt, { ...RESULT, key: claim.uploadKey })
    expect(await account(task).usage('free')).toMatchObject({ tasks_completed: 0, storage_used: 1000 })
    await record(task).remove()
    expect(await account(task).usage('free')).toMatchObject({ tasks_completed: 1, storage_used: 0 })
  })

  it('is removed by its alarm if a restart cut its removal off after the account was told', async () => {
    const { task, key } = await completed()
    const { sendRemoved } = Outbox.prototype
    vi.spyOn(Outbox.prototype, 'sendRemoved').mockImplementationOnce(async function (this: Outbox, removed) {
      await sendRemoved.call(this, removed)
      throw new Error('a restart')
    })
    // Inside the object: a rejection that crosses its border is also reported as unhandled.
    const stub = env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub
    const cut = runInDurableObject(stub, (instance) => (instance as unknown as TaskRecordApi).remove().catch(String))
    expect(await cut).toBe('Error: a restart')
    await alarm(task)
    expect(await record(task).read()).toBeUndefined()
    expect(await env.BLOBS.head(key)).toBeNull()
    expect(await account(task).usage('free')).toMatchObject({ storage_used: 0, tasks_completed: 1 })
  })

  it('is removed once when several removals run at the same time', async () => {
    const { task } = await completed()
    const answers = await Promise.all(Array.from({ length: 8 }, () => record(task).remove()))
    expect(answers.filter((answer) => answer !== undefined)).toEqual([{ freedBytes: 400 }])
  })

  it('refuses results while it is being removed', async () => {
    const { task } = await started()
    const removal = record(task).remove()
    expect(await record(task).complete(1, { ...RESULT, key: `results/${task.taskId}/1` })).toBe(false)
    expect(await removal).toEqual({ freedBytes: 1000 })
  })

  it('stores nothing when it is removed during the delivery of its callback', async () => {
    let heard!: () => void
    const calling = new Promise<void>((resolve) => {
      heard = resolve
    })
    let answer!: (response: Response) => void
    vi.spyOn(globalThis, 'fetch').mockImplementation(() => {
      heard()
      return new Promise((resolve) => {
        answer = resolve
      })
    })
    const { task } = await completed({ callbackUrl: 'http://127.0.0.1:9/' })
    const delivering = alarm(task)
    await calling
    await record(task).remove()
    answer(new Response('no', { status: 500 }))
    await delivering
    await runInDurableObject(env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub, async (_, state) => {
      expect([...state.storage.kv.list()]).toEqual([])
      expect(await state.storage.getAlarm()).toBeNull()
    })
    expect(await record(task).callback()).toBeUndefined()
  })

  it('sets its alarm again when the sweep finds an overdue one, as after a crash', async () => {
    const { task } = await started()
    await runInDurableObject(env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub, async (instance, { storage }) => {
      const calls = Object.getPrototypeOf(storage) as DurableObjectStorage
      const setAlarm = vi.spyOn(calls, 'setAlarm')
      const getAlarm = vi.spyOn(calls, 'getAlarm').mockResolvedValue(Date.now() - 1000)
      const names = () => (instance as unknown as TaskRecordApi).names()
      await names()
      expect(setAlarm).not.toHaveBeenCalled()
      getAlarm.mockResolvedValue(Date.now() - 3_600_000)
      await names()
      expect(setAlarm).toHaveBeenCalled()
    })
  })

  it('removes itself at the end of its retention', async () => {
    const { task, key } = await completed({ retentionMs: 1000 })
    at(Date.now() + 2000)
    await alarm(task)
    expect(await record(task).read()).toBeUndefined()
    expect(await env.BLOBS.head(key)).toBeNull()
  })

  it('stores a password encrypted and gives it to the worker', async () => {
    const password = 'Пароль 密码'
    const { task, claim } = await started({ password })
    expect(claim.password).toBe(password)
    expect(JSON.stringify(await record(task).read())).not.toContain(password)
    await record(task).complete(claim.attempt, { ...RESULT, key: 'results/x' })
  })

  it('repeats a failed attempt twice, then fails the task', async () => {
    const start = Date.now()
    at(start)
    const { task } = await started()
    await record(task).release(1, 'it broke')
    expect(await record(task).claim(1, 'whole')).toMatchObject({ kind: 'claimed', attempt: 2 })
    await record(task).release(2, 'it broke')
    expect(await record(task).claim(1, 'whole')).toMatchObject({ kind: 'claimed', attempt: 3 })
    await record(task).release(3, 'it broke')
    await alarm(task)
    expect(await record(task).read()).toMatchObject({ status: 'failed' })
  })
})

describe('a job of 50 parts', () => {
  const PARTS = 50
  async function split() {
    const { task } = await started({ worker: 'media', format: 'mp4', output: 'mp4' })
    const plans = Array.from({ length: PARTS }, (_, index) => ({ index, label: `part ${index}`, weight: 1 / PARTS, facts: {} }))
    await record(task).split(1, plans)
    return task
  }

  it('completes when all parts are done, despite duplicate messages and failed attempts', { timeout: 120_000 }, async () => {
    const task = await split()
    const api = record(task)
    expect(await api.claim(1, 'whole'), 'a late duplicate of the first message').toEqual({ kind: 'forget' })
    let last = 0
    for (let part = 0; part < PARTS; part++) {
      const claim = await api.claim(2, 'part', part)
      if (claim.kind !== 'claimed') throw new Error(`part ${part} could not be claimed`)
      expect(claim.parts).toMatchObject([{ index: part, plan: { index: part } }])
      const withPictures = Math.ceil(part / 2)
      expect(claim.soFar, 'sums over the parts with `replaces`, every second one').toEqual({
        bytes: 6 * withPictures,
        replaces: 9 * withPictures,
      })
      expect(await api.claim(2, 'part', part), 'a duplicate while it runs').toEqual({ kind: 'forget' })
      let { attempt } = claim
      if (part % 7 === 3) {
        await api.release(attempt, 'it broke', part)
        const again = await api.claim(2, 'part', part)
        if (again.kind !== 'claimed') throw new Error('a failed part could not be claimed again')
        attempt = again.attempt
      }
      expect(await api.beat(attempt, 0.5, part)).toBe('go on')
      const key = `parts/${task.taskId}/2/${part}/${attempt}`
      const receipt = { bytes: 6, ...(part % 2 ? {} : { replaces: 9 }), facts: { frames: 240 } }
      await env.BLOBS.put(key, `part ${part}`)
      expect(await api.completePart(attempt, part, receipt, key, 6)).toBe(true)
      expect(await api.completePart(attempt, part, receipt, 'parts/twice', 6), 'completing a part twice').toBe(false)
      expect(await api.claim(2, 'part', part), 'a duplicate afterwards').toEqual({ kind: 'forget' })
      const progress = (await api.read())?.progress ?? 0
      expect(progress).toBeGreaterThanOrEqual(last)
      last = progress
    }
    const join = await api.claim(2, 'join')
    if (join.kind !== 'claimed') throw new Error('the join could not be claimed')
    expect(join.parts.map((part) => part.index)).toEqual(Array.from({ length: PARTS }, (_, index) => index))
    expect(await api.complete(join.attempt, { ...RESULT, key: `results/${task.taskId}/1`, output: 'mp4' })).toBe(true)
    expect((await env.BLOBS.list({ prefix: `parts/${task.taskId}/` })).objects).toEqual([])
  })

  it('fails when one part fails three times, and removes its blobs', async () => {
    const task = await split()
    const api = record(task)
    await env.BLOBS.put(`parts/${task.taskId}/2/0/1`, 'x')
    const first = await api.claim(2, 'part', 0)
    expect(first.kind).toBe('claimed')
    await api.completePart(1, 0, { bytes: 1, facts: {} }, `parts/${task.taskId}/2/0/1`, 1)
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(await api.claim(2, 'part', 9)).toMatchObject({ kind: 'claimed', attempt })
      await api.release(attempt, 'it broke', 9)
    }
    expect(await api.read()).toMatchObject({ status: 'failed' })
    expect(await api.claim(2, 'part', 10)).toEqual({ kind: 'forget' })
    expect((await env.BLOBS.list({ prefix: `parts/${task.taskId}/` })).objects).toEqual([])
  })

  it('becomes over_budget when one part loses three workers', async () => {
    const start = Date.now()
    at(start)
    const task = await split()
    const api = record(task)
    for (let attempt = 1; attempt <= 3; attempt++) {
      at(start + attempt * LEASE_MS * 10)
      expect(await api.claim(2, 'part', 9)).toMatchObject({ kind: 'claimed', attempt, alone: attempt > 1 })
      at(start + attempt * LEASE_MS * 10 + LEASE_MS * 2)
      await alarm(task)
    }
    expect(await api.claim(2, 'part', 10)).toEqual({ kind: 'forget' })
    const last = await api.claim(3, 'whole')
    if (last.kind !== 'claimed') throw new Error('not claimed')
    expect(last.overBudget).toContain('the worker process ended unexpectedly')
    expect(await api.completePart(1, 9, { bytes: 1, facts: {} }, 'parts/late', 1)).toBe(false)
    expect(
      await api.complete(last.attempt, { ...RESULT, key: last.uploadKey, outcome: { kind: 'unchanged', reason: 'over_budget' } }),
    ).toBe(true)
  })

  it('refuses all calls of its workers after removal', async () => {
    const task = await split()
    const api = record(task)
    await api.claim(2, 'part', 4)
    await api.remove()
    expect(await api.beat(1, 0.1, 4)).toBe('stop')
    expect(await api.completePart(1, 4, { bytes: 1, facts: {} }, 'parts/late', 1)).toBe(false)
    expect(await api.claim(2, 'part', 5)).toEqual({ kind: 'forget' })
  })
})
