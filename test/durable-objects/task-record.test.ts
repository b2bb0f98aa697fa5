import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Account } from '../../durable-objects/account.ts'
import type { NewTask } from '../../src/service/store/task.ts'
import type { TaskRecordFace } from '../../src/service/store/tasks.ts'
import { account, newTask, RESULT, record } from './fixtures.ts'

const LEASE_MS = 30_000
/** Upper limit of the pause after a worker was lost once, in milliseconds. The actual pause is random, at least half of it. */
const HELD_MS = 20_000
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
  it('goes from pending over processing to completed, counts once and drops the upload', async () => {
    const { task, key } = await completed()
    expect(await record(task).read()).toMatchObject({ status: 'completed', progress: 1 })
    expect(await env.BLOBS.head(`uploads/${task.taskId}`)).toBeNull()
    expect(await env.BLOBS.head(key)).not.toBeNull()
    expect(await record(task).complete(2, { ...RESULT, key: 'results/late' })).toBe(false)
    const usage = await account(task).usage('free')
    expect(usage).toMatchObject({ tasks_completed: 1, original_size: 1000, compressed_size: 400, storage_used: 400 })
  })

  it('has an alarm as soon as it exists', async () => {
    const task = newTask({ lane: 'quick' })
    const stub = env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub
    await runInDurableObject(stub, async (instance, state) => {
      const creating = (instance as unknown as TaskRecordFace).create(task)
      // Nothing was awaited yet, so the storage is what a crash now would leave.
      expect(state.storage.kv.get('task')).toMatchObject({ status: 'pending' })
      expect(await state.storage.getAlarm()).not.toBeNull()
      await creating
    })
  })

  it('keeps the upload when it is the result', async () => {
    const { task, claim } = await started()
    const key = claim.uploadKey
    await record(task).complete(claim.attempt, { ...RESULT, key, outcome: { kind: 'unchanged', reason: 'no_gain' } })
    expect(await env.BLOBS.head(key)).not.toBeNull()
  })

  it('gives the lease to one worker at a time and forgets duplicates of the message', async () => {
    const { task } = await started()
    expect(await record(task).claim(1, 'whole')).toEqual({ kind: 'forget' })
    expect(await record(task).claim(null, 'whole')).toEqual({ kind: 'forget' })
    expect(await record(task).claim(7, 'whole')).toEqual({ kind: 'forget' })
  })

  /** Loses the worker of the previous attempt at `lostAt`, then claims `attempt`. */
  async function lostAndClaimed(task: NewTask, attempt: number, lostAt: number) {
    at(lostAt)
    await alarm(task)
    expect(await record(task).claim(1, 'whole'), 'it waits a little').toEqual({ kind: 'forget' })
    at(lostAt + HELD_MS * 2)
    await alarm(task)
    expect(await record(task).claim(1, 'whole')).toMatchObject({ kind: 'claimed', attempt, alone: true })
    expect(await record(task).beat(attempt - 1, 0.5)).toBe('stop')
  }

  it('completes a task that took three workers along with its upload, over_budget', async () => {
    const start = Date.now()
    at(start)
    const { task, claim } = await started()
    expect(claim.alone).toBe(false)
    for (let attempt = 2; attempt <= 3; attempt++) await lostAndClaimed(task, attempt, start + (attempt - 1) * LEASE_MS * 4)
    at(start + LEASE_MS * 12)
    await alarm(task)
    expect(await record(task).read()).toMatchObject({ status: 'processing' })
    expect(await record(task).claim(1, 'whole'), 'a late message of the file itself').toEqual({ kind: 'forget' })
    const last = await record(task).claim(2, 'whole')
    expect(last).toMatchObject({ kind: 'claimed', attempt: 4, overBudget: 'the job lost its worker; it was tried 3 times' })
  })

  it('fails a task whose upload cannot even be completed', async () => {
    const { task } = await started()
    await record(task).giveUp(1, 'too much')
    for (let attempt = 4; attempt <= 6; attempt++) {
      expect(await record(task).claim(2, 'whole')).toMatchObject({ kind: 'claimed', attempt, overBudget: 'too much' })
      await record(task).release(attempt, 'it broke')
    }
    expect(await record(task).read()).toMatchObject({ status: 'failed', error: { code: 500, type: 'internal' } })
    expect(await account(task).usage('free')).toMatchObject({ tasks_failed: 1, storage_used: 0 })
  })

  it('leaves a task to a worker that was only slow, when nobody else has it yet', async () => {
    const start = Date.now()
    at(start)
    const { task } = await started()
    at(start + LEASE_MS * 2)
    await alarm(task)
    expect(await record(task).beat(1, 0.5)).toBe('go on')
    at(start + LEASE_MS * 2 + HELD_MS * 2)
    await alarm(task)
    expect(await record(task).claim(1, 'whole')).toEqual({ kind: 'forget' })
    expect(await record(task).beat(1, 0.6)).toBe('go on')
  })

  it('accepts the result of an attempt that was given up too soon, once', async () => {
    const start = Date.now()
    at(start)
    const { task, claim } = await started()
    at(start + LEASE_MS * 2)
    await alarm(task)
    at(start + LEASE_MS * 2 + HELD_MS * 2)
    expect(await record(task).claim(1, 'whole')).toMatchObject({ kind: 'claimed', attempt: 2 })
    expect(await record(task).complete(claim.attempt, { ...RESULT, key: 'results/a' })).toBe(true)
    expect(await record(task).complete(2, { ...RESULT, key: 'results/b' })).toBe(false)
  })

  it('never lets progress go back', async () => {
    const { task } = await started()
    await record(task).beat(1, 0.6)
    await record(task).beat(1, 0.2)
    expect((await record(task).read())?.progress).toBe(0.6)
  })

  it('wakes those who wait when the task ends', async () => {
    const { task, claim } = await started()
    const waiting = record(task).wait(20_000)
    await record(task).complete(claim.attempt, { ...RESULT, key: 'results/x' })
    expect((await waiting)?.status).toBe('completed')
  })

  it('counts a task that ended, once, with what it was and how long it took', async () => {
    const points: unknown[] = []
    const { task, claim } = await started({ createdAt: Date.now() - 5000 })
    await runInDurableObject(env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub, async (instance) => {
      Reflect.set(instance, 'env', { ...env, METRICS: { writeDataPoint: (point: unknown) => points.push(point) } })
      const own = instance as unknown as TaskRecordFace
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

  it('after removal there is nothing, not even for a worker that comes back', async () => {
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

  it('counts what could not be told before it was removed', async () => {
    const { task, claim } = await started()
    vi.spyOn(Account.prototype, 'tell').mockRejectedValueOnce(new Error('overloaded'))
    await record(task).complete(claim.attempt, { ...RESULT, key: claim.uploadKey })
    expect(await account(task).usage('free')).toMatchObject({ tasks_completed: 0, storage_used: 1000 })
    await record(task).remove()
    expect(await account(task).usage('free')).toMatchObject({ tasks_completed: 1, storage_used: 0 })
  })

  it('is removed once, however many ask at the same time', async () => {
    const { task } = await completed()
    const answers = await Promise.all(Array.from({ length: 8 }, () => record(task).remove()))
    expect(answers.filter((answer) => answer !== undefined)).toEqual([{ freedBytes: 400 }])
  })

  it('takes no result while it is being removed', async () => {
    const { task } = await started()
    const removal = record(task).remove()
    expect(await record(task).complete(1, { ...RESULT, key: `results/${task.taskId}/1` })).toBe(false)
    expect(await removal).toEqual({ freedBytes: 1000 })
  })

  it('stores nothing again when it is removed while its callback is under way', async () => {
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

  it('rings again when the sweep finds its alarm in the past, as a kill leaves it', async () => {
    const { task } = await started()
    await runInDurableObject(env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub, async (instance, { storage }) => {
      const calls = Object.getPrototypeOf(storage) as DurableObjectStorage
      const setAlarm = vi.spyOn(calls, 'setAlarm')
      const getAlarm = vi.spyOn(calls, 'getAlarm').mockResolvedValue(Date.now() - 1000)
      const names = () => (instance as unknown as TaskRecordFace).names()
      await names()
      expect(setAlarm).not.toHaveBeenCalled()
      getAlarm.mockResolvedValue(Date.now() - 3_600_000)
      await names()
      expect(setAlarm).toHaveBeenCalled()
    })
  })

  it('removes itself when its retention is over', async () => {
    const { task, key } = await completed({ retentionMs: 1000 })
    at(Date.now() + 2000)
    await alarm(task)
    expect(await record(task).read()).toBeUndefined()
    expect(await env.BLOBS.head(key)).toBeNull()
  })

  it('keeps a password encrypted, gives it to the worker, and erases it with the job', async () => {
    const password = 'Пароль 密码'
    const { task, claim } = await started({ password })
    expect(claim.password).toBe(password)
    expect(JSON.stringify(await record(task).read())).not.toContain(password)
    await record(task).complete(claim.attempt, { ...RESULT, key: 'results/x' })
  })

  it('tries a broken attempt again, later each time', async () => {
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

  it('is done when every part is, whatever comes twice or breaks on the way', { timeout: 120_000 }, async () => {
    const task = await split()
    const face = record(task)
    expect(await face.claim(1, 'whole'), 'a late copy of the first message').toEqual({ kind: 'forget' })
    let last = 0
    for (let part = 0; part < PARTS; part++) {
      const claim = await face.claim(2, 'part', part)
      if (claim.kind !== 'claimed') throw new Error(`part ${part} was not given`)
      expect(claim.parts).toMatchObject([{ index: part, plan: { index: part } }])
      const withPictures = Math.ceil(part / 2)
      expect(claim.soFar, 'sums over every second part').toEqual({ bytes: 6 * withPictures, replaces: 9 * withPictures })
      expect(await face.claim(2, 'part', part), 'a duplicate while it runs').toEqual({ kind: 'forget' })
      let { attempt } = claim
      if (part % 7 === 3) {
        await face.release(attempt, 'it broke', part)
        const again = await face.claim(2, 'part', part)
        if (again.kind !== 'claimed') throw new Error('a broken part was not given again')
        attempt = again.attempt
      }
      expect(await face.beat(attempt, 0.5, part)).toBe('go on')
      const key = `parts/${task.taskId}/2/${part}/${attempt}`
      const receipt = { bytes: 6, ...(part % 2 ? {} : { replaces: 9 }), facts: { frames: 240 } }
      await env.BLOBS.put(key, `part ${part}`)
      expect(await face.completePart(attempt, part, receipt, key, 6)).toBe(true)
      expect(await face.completePart(attempt, part, receipt, 'parts/twice', 6), 'done twice').toBe(false)
      expect(await face.claim(2, 'part', part), 'a duplicate afterwards').toEqual({ kind: 'forget' })
      const progress = (await face.read())?.progress ?? 0
      expect(progress).toBeGreaterThanOrEqual(last)
      last = progress
    }
    const join = await face.claim(2, 'join')
    if (join.kind !== 'claimed') throw new Error('the join was not given')
    expect(join.parts.map((part) => part.index)).toEqual(Array.from({ length: PARTS }, (_, index) => index))
    expect(await face.complete(join.attempt, { ...RESULT, key: `results/${task.taskId}/1`, output: 'mp4' })).toBe(true)
    expect((await env.BLOBS.list({ prefix: `parts/${task.taskId}/` })).objects).toEqual([])
  })

  it('fails when one part fails three times, and cleans up', async () => {
    const task = await split()
    const face = record(task)
    await env.BLOBS.put(`parts/${task.taskId}/2/0/1`, 'x')
    const first = await face.claim(2, 'part', 0)
    expect(first.kind).toBe('claimed')
    await face.completePart(1, 0, { bytes: 1, facts: {} }, `parts/${task.taskId}/2/0/1`, 1)
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(await face.claim(2, 'part', 9)).toMatchObject({ kind: 'claimed', attempt })
      await face.release(attempt, 'it broke', 9)
    }
    expect(await face.read()).toMatchObject({ status: 'failed' })
    expect(await face.claim(2, 'part', 10)).toEqual({ kind: 'forget' })
    expect((await env.BLOBS.list({ prefix: `parts/${task.taskId}/` })).objects).toEqual([])
  })

  it('is over_budget as a whole when one part takes three workers along', async () => {
    const start = Date.now()
    at(start)
    const task = await split()
    const face = record(task)
    for (let attempt = 1; attempt <= 3; attempt++) {
      at(start + attempt * LEASE_MS * 10)
      expect(await face.claim(2, 'part', 9)).toMatchObject({ kind: 'claimed', attempt, alone: attempt > 1 })
      at(start + attempt * LEASE_MS * 10 + LEASE_MS * 2)
      await alarm(task)
    }
    expect(await face.claim(2, 'part', 10)).toEqual({ kind: 'forget' })
    const last = await face.claim(3, 'whole')
    if (last.kind !== 'claimed') throw new Error('not claimed')
    expect(last.overBudget).toContain('lost its worker')
    expect(await face.completePart(1, 9, { bytes: 1, facts: {} }, 'parts/late', 1)).toBe(false)
    expect(
      await face.complete(last.attempt, { ...RESULT, key: last.uploadKey, outcome: { kind: 'unchanged', reason: 'over_budget' } }),
    ).toBe(true)
  })

  it('stops everywhere when it is removed', async () => {
    const task = await split()
    const face = record(task)
    await face.claim(2, 'part', 4)
    await face.remove()
    expect(await face.beat(1, 0.1, 4)).toBe('stop')
    expect(await face.completePart(1, 4, { bytes: 1, facts: {} }, 'parts/late', 1)).toBe(false)
    expect(await face.claim(2, 'part', 5)).toEqual({ kind: 'forget' })
  })
})
