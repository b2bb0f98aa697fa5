/** Places of an account's tasks in Cloudflare's queues, and its CPU quota. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { Account } from '../../durable-objects/account.ts'
import { TaskRecord } from '../../durable-objects/task-record.ts'
import type { Env } from '../../src/service/env.ts'
import type { AccountApi } from '../../src/service/store/accounts.ts'
import type { JobMessage, TaskRecordApi } from '../../src/service/store/tasks.ts'
import { newTask, RESULT, record } from './fixtures.ts'

afterEach(() => void vi.useRealTimers())

const HOUR_MS = 3_600_000
const created = (taskId: string) => ({ kind: 'created', taskId, createdAt: Date.now(), format: 'text', size: 10 }) as const
const failed = (taskId: string, cpuMs = 0) =>
  ({ kind: 'failed', taskId, at: Date.now(), format: 'text', cpu: { ms: cpuMs, estimated: false } }) as const

/** Runs `work` on an account of the free plan, as on Cloudflare. `called`: ids of the tasks that the account has sent to the queue. */
async function onCloudflare(work: (account: AccountApi, called: string[]) => Promise<void>): Promise<void> {
  const accountId = `acc_${crypto.randomUUID()}`
  await runInDurableObject(env.ACCOUNTS.getByName(accountId) as unknown as DurableObjectStub, async (_, ctx) => {
    const called: string[] = []
    const tasks = { getByName: (taskId: string) => ({ toQueue: async () => void called.push(taskId) }) }
    const account = new Account(ctx, { ...(env as unknown as Env), TASKS: tasks as unknown as Env['TASKS'], ENVIRONMENT: '' })
    await account.put({ accountId, name: 'Test', plan: 'free', createdAt: 0, state: 'active' })
    await work(account, called)
  })
}
const granted = async (account: AccountApi, taskId: string) => (await account.queuePlace(taskId)).granted

describe('places in the queues', () => {
  it('are limited by the plan, and pass to the task that waits longest when one ends', async () => {
    await onCloudflare(async (account, called) => {
      for (let at = 0; at < 7; at++) await account.tell(created(`t${at}`))
      const answers = []
      for (let at = 0; at < 7; at++) answers.push(await granted(account, `t${at}`))
      expect(answers).toEqual([true, true, true, true, false, false, false])
      expect(await granted(account, 't2'), 'a task keeps its place').toBe(true)
      await account.tell(failed('t1'))
      expect(called).toEqual(['t4'])
      expect([await granted(account, 't4'), await granted(account, 't5')]).toEqual([true, false])
      await account.tell([{ kind: 'removed', taskId: 't0' }, failed('t5'), failed('t1')])
      expect(called).toEqual(['t4', 't6'])
    })
  })

  it('are not needed by tasks that do not ask, and are granted to tasks that the account does not know', async () => {
    await onCloudflare(async (account, called) => {
      for (let at = 0; at < 20; at++) await account.tell(created(`quick${at}`))
      await account.tell(created('slow'))
      expect(await granted(account, 'slow')).toBe(true)
      for (let at = 0; at < 10; at++) expect(await granted(account, `unknown${at}`)).toBe(true)
      await account.tell(failed('quick0'))
      expect(called).toEqual([])
    })
  })

  it('no longer count after an hour, so that lost tasks cannot block the account', async () => {
    await onCloudflare(async (account, called) => {
      for (let at = 0; at < 6; at++) await account.tell(created(`t${at}`))
      for (let at = 0; at < 5; at++) await granted(account, `t${at}`)
      vi.useFakeTimers({ toFake: ['Date'] })
      vi.setSystemTime(Date.now() + HOUR_MS + 1)
      expect(await granted(account, 't5')).toBe(true)
      expect(await granted(account, 't4'), 'a waiting task asks again by itself').toBe(true)
      expect(called).toEqual([])
    })
  })

  it('are all free on one machine, whose pool takes turns itself', async () => {
    const accountId = `acc_${crypto.randomUUID()}`
    const account = env.ACCOUNTS.getByName(accountId)
    for (let at = 0; at < 50; at++) await account.tell(created(`t${at}`))
    for (let at = 0; at < 50; at++) expect(await granted(account, `t${at}`)).toBe(true)
  })
})

describe('a CPU quota', () => {
  it('leaves an account above it one place, and marks its tasks', async () => {
    await onCloudflare(async (account) => {
      for (let at = 0; at < 3; at++) await account.tell(created(`t${at}`))
      expect(await account.queuePlace('t0')).toEqual({ granted: true, low: false })
      await account.tell([created('long'), failed('long', HOUR_MS)])
      expect(await account.queuePlace('t1')).toEqual({ granted: false, low: true })
      await account.tell(failed('t0'))
      expect(await account.queuePlace('t1')).toEqual({ granted: true, low: true })
      expect(await account.usage('free')).toMatchObject({ cpu_seconds: 3600, cpu_seconds_estimated: 0, cpu_seconds_quota: 3600 })
    })
  })

  it('counts the time of a task once, also of a task that is deleted while it runs', async () => {
    await onCloudflare(async (account) => {
      await account.tell([created('t0'), created('t1')])
      const cpu = { ms: 1500, estimated: true }
      for (let times = 0; times < 2; times++) {
        await account.tell({ ...failed('t0'), cpu })
        await account.tell({ kind: 'removed', taskId: 't0', cpu: { ...cpu, at: Date.now(), format: 'text' } })
        await account.tell({ kind: 'removed', taskId: 't1', cpu: { ms: 500, estimated: false, at: Date.now(), format: 'text' } })
      }
      expect(await account.usage('free')).toMatchObject({ cpu_seconds: 2, cpu_seconds_estimated: 1.5, tasks_failed: 1 })
    })
  })
})

interface Place {
  granted: boolean
  low: boolean
}

/** Runs `work` on a task whose account answers with `place`. `sent`: its queue messages. `told`: the events that its account gets. */
async function taskWith(
  place: Place,
  work: (task: TaskRecord, sent: JobMessage[], told: unknown[]) => Promise<void>,
  change: Parameters<typeof newTask>[0] = {},
): Promise<void> {
  const task = newTask(change)
  await runInDurableObject(record(task) as unknown as DurableObjectStub, async (_, ctx) => {
    const [sent, told]: [JobMessage[], unknown[]] = [[], []]
    const queue = { sendBatch: async (messages: { body: JobMessage }[]) => void sent.push(...messages.map(({ body }) => body)) }
    const account = {
      queuePlace: async () => ({ ...place }),
      tell: async (events: unknown[]) => void told.push(...events),
    }
    const accounts = { getByName: () => account }
    const object = new TaskRecord(ctx, { ...env, PRESS_JOBS: queue, ACCOUNTS: accounts, LEASE_MS: '30000' } as unknown as Env)
    await object.create(task)
    await work(object, sent, told)
  })
}

describe('a task', () => {
  it('sends its message when its account calls it', async () => {
    const place = { granted: false, low: false }
    await taskWith(place, async (task, sent) => {
      expect(sent).toEqual([])
      place.granted = true
      await task.toQueue()
      expect(sent).toMatchObject([{ generation: 1, step: 'whole' }])
    })
  })

  it('asks again by its own alarm, so that a lost call of its account does not stop it', async () => {
    const place = { granted: false, low: false }
    await taskWith(place, async (task, sent) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      place.granted = true
      await task.alarm()
      expect(sent).toEqual([])
      vi.setSystemTime(Date.now() + 61_000)
      await task.alarm()
      expect(sent).toHaveLength(1)
    })
  })

  it('keeps its place when its worker is lost, and repeats its message without asking', async () => {
    const place = { granted: true, low: true }
    await taskWith(place, async (task, sent) => {
      expect(sent).toMatchObject([{ low: true }])
      await task.claim(1, 'whole')
      place.granted = false
      vi.useFakeTimers({ toFake: ['Date'] })
      vi.setSystemTime(Date.now() + 30_001)
      await task.alarm()
      vi.setSystemTime(Date.now() + 60_000)
      await task.alarm()
      expect(sent).toHaveLength(2)
    })
  })

  const cpuOf = (told: unknown[], kind: string) => (told as { kind: string; cpu?: unknown }[]).find((event) => event.kind === kind)?.cpu

  it('reports the CPU time that its workers measured, of lost attempts, too', async () => {
    await taskWith({ granted: true, low: false }, async (task, _, told) => {
      const claim = await task.claim(1, 'whole')
      if (claim.kind !== 'claimed') throw new Error(claim.kind)
      await task.beat(claim.attempt, 0.1, undefined, 400)
      await task.beat(claim.attempt + 7, 0.1, undefined, 50)
      await task.beat(claim.attempt, 0.2, undefined, 100)
      await task.complete(claim.attempt, { ...RESULT, key: 'results/a' })
      expect(cpuOf(told, 'completed')).toEqual({ ms: 550, estimated: false })
      await (task as TaskRecordApi).remove()
      expect(cpuOf(told, 'removed')).toBeUndefined()
    })
  })

  it('reports the CPU time so far when it is deleted', async () => {
    await taskWith({ granted: true, low: false }, async (task, _, told) => {
      const claim = await task.claim(1, 'whole')
      if (claim.kind !== 'claimed') throw new Error(claim.kind)
      await task.beat(claim.attempt, 0.1, undefined, 400)
      await task.remove()
      expect(cpuOf(told, 'removed')).toMatchObject({ ms: 400, estimated: false, format: 'text' })
    })
  })

  it('reports an estimate if an isolate ran it, and nothing if none did', async () => {
    const pdf = { format: 'pdf', output: 'pdf', originalSize: 2_000_000 } as const
    await taskWith(
      { granted: true, low: false },
      async (task, _, told) => {
        await task.claim(1, 'whole')
        await task.fail(1, { code: 500, type: 'internal', message: 'broken', requestId: 'req_1' })
        expect(cpuOf(told, 'failed')).toEqual({ ms: 12_000, estimated: true })
      },
      pdf,
    )
    await taskWith({ granted: true, low: false }, async (task, _, told) => {
      await task.remove()
      expect(cpuOf(told, 'removed')).toMatchObject({ ms: 0 })
    })
  })
})
