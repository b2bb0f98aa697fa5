/** Tests that a client with much work does not keep others waiting. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { TaskRecord } from '../../durable-objects/task-record.ts'
import type { Env } from '../../src/service/env.ts'
import type { JobMessage, TaskRecordApi } from '../../src/service/store/tasks.ts'
import { queueFor } from '../../src/service/tasks/queues.ts'
import { newTask } from './fixtures.ts'

afterEach(() => void vi.useRealTimers())

/** Number of parts of a two-hour film at 10 seconds a part. */
const PARTS = 720
const PART_MS = 35_000
const AUDIO_MS = 2000
const CONSUMERS = 50
/** Interval in milliseconds at which a ten-second WAV file arrives. */
const AUDIO_INTERVAL_MS = 20_000

/** Simulation of one queue with 50 consumers, first come, first served. Only the simulation advances the time. */
class Simulation {
  now = Date.now()
  readonly waits: number[] = []
  partsDone = 0
  mostAtWork = 0
  #line: (JobMessage | 'sound')[] = []
  #atWork: { endsAt: number; message: JobMessage | 'sound'; attempt: number }[] = []
  #arrived: number[] = []

  readonly queue = {
    sendBatch: async (messages: Iterable<{ body: JobMessage }>) => void this.#line.push(...[...messages].map(({ body }) => body)),
  }

  async run(film: TaskRecordApi) {
    let nextSound = this.now
    while (this.partsDone < PARTS) {
      await this.#begin(film)
      const next = Math.min(nextSound, ...this.#atWork.map(({ endsAt }) => endsAt))
      vi.setSystemTime((this.now = next))
      if (next === nextSound) {
        this.#line.push('sound')
        this.#arrived.push(next)
        nextSound += AUDIO_INTERVAL_MS
      }
      await this.#end(film)
    }
  }

  async #begin(film: TaskRecordApi) {
    while (this.#atWork.length < CONSUMERS && this.#line.length > 0) {
      const message = this.#line.shift()!
      if (message === 'sound') {
        this.waits.push(this.now - this.#arrived.shift()!)
        this.#atWork.push({ endsAt: this.now + AUDIO_MS, message, attempt: 0 })
        continue
      }
      const claim = await film.claim(message.generation, message.step, message.part)
      if (claim.kind === 'claimed') this.#atWork.push({ endsAt: this.now + PART_MS, message, attempt: claim.attempt })
    }
    this.mostAtWork = Math.max(this.mostAtWork, this.#atWork.length)
  }

  async #end(film: TaskRecordApi) {
    const ended = this.#atWork.filter(({ endsAt }) => endsAt <= this.now)
    this.#atWork = this.#atWork.filter(({ endsAt }) => endsAt > this.now)
    for (const { message, attempt } of ended) {
      if (message === 'sound' || message.part === undefined) continue
      if (await film.completePart(attempt, message.part, { bytes: 1, facts: {} }, `parts/${message.part}`, 1)) this.partsDone++
    }
  }
}

describe('a film of two hours', () => {
  it('delays a ten-second audio file by at most one part, and completes', { timeout: 120_000 }, async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const task = newTask({ worker: 'media', format: 'mp4', output: 'mp4', retentionMs: 30 * 86_400_000 })
    const { accountId } = task
    await env.ACCOUNTS.getByName(accountId).put({ accountId, name: 'Film', plan: 'enterprise', createdAt: 0, state: 'active' })
    const simulation = new Simulation()
    const jobs = simulation.queue as unknown as Env['MEDIA_JOBS']
    await runInDurableObject(env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub, async (_, ctx) => {
      const film = new TaskRecord(ctx, { ...(env as unknown as Env), MEDIA_JOBS: jobs, LEASE_MS: '90000' })
      await film.create(task)
      const whole = await film.claim(1, 'whole')
      if (whole.kind !== 'claimed') throw new Error('not claimed')
      const plans = Array.from({ length: PARTS }, (_, index) => ({ index, label: `part ${index}`, weight: 1 / PARTS, facts: {} }))
      await film.split(whole.attempt, plans)
      await simulation.run(film)
      expect(await film.claim(2, 'join')).toMatchObject({ kind: 'claimed' })
    })
    expect(simulation.waits.length).toBeGreaterThan(20)
    expect(Math.max(...simulation.waits)).toBeLessThanOrEqual(PART_MS)
    expect(simulation.mostAtWork).toBeGreaterThan(30)
  })
})

describe('an account', () => {
  it('shares its parallel parts between the films in progress', async () => {
    const accountId = `acc_${crypto.randomUUID()}`
    const account = env.ACCOUNTS.getByName(accountId)
    await account.put({ accountId, name: 'Film', plan: 'pro', createdAt: 0, state: 'active' })
    expect(await account.partsAtOnce('a')).toBe(16)
    expect(await account.partsAtOnce('b')).toBe(8)
    for (const other of 'cdefghijklmnopqrstuvwxyz') expect(await account.partsAtOnce(other)).toBeGreaterThanOrEqual(1)
    for (const other of 'cdefghijklmnopqrstuvwxyz') await account.tell({ kind: 'removed', taskId: other })
    expect(await account.partsAtOnce('a')).toBe(8)
    await account.tell({ kind: 'failed', taskId: 'b', at: 0, format: 'mp4' })
    expect(await account.partsAtOnce('a')).toBe(16)
    vi.useFakeTimers({ toFake: ['Date'] })
    await account.partsAtOnce('killed')
    vi.setSystemTime(Date.now() + 15 * 60_000)
    expect(await account.partsAtOnce('a')).toBe(16)
  })
})

describe('tasks in queues', () => {
  const message = (change: Partial<JobMessage> = {}): JobMessage => ({
    taskId: 'tsk_1',
    generation: 1,
    step: 'whole',
    bytes: 10,
    ...change,
  })
  const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, { name }])) as unknown as Env
  const nameOf = (queue: unknown) => (queue as { name: string }).name

  it('share one queue if the deployment has no others', () => {
    const edge = named('PRESS_JOBS', 'MEDIA_JOBS')
    expect(nameOf(queueFor(edge, 'press', message({ bytes: 1e9 })))).toBe('PRESS_JOBS')
    expect(nameOf(queueFor(edge, 'media', message({ step: 'part', part: 7 })))).toBe('MEDIA_JOBS')
  })

  it('separate large files and spread tasks evenly over several queues', () => {
    const edge = named('PRESS_JOBS', 'PRESS_JOBS_1', 'PRESS_JOBS_2', 'PRESS_LARGE_JOBS', 'PRESS_LARGE_JOBS_1', 'MEDIA_JOBS')
    const counts = new Map<string, number>()
    for (let i = 0; i < 3000; i++) {
      const name = nameOf(queueFor(edge, 'press', message({ taskId: `tsk_${i}`, bytes: i % 2 ? 10 : 20e6 })))
      counts.set(name, (counts.get(name) ?? 0) + 1)
    }
    for (const name of ['PRESS_JOBS', 'PRESS_JOBS_1', 'PRESS_JOBS_2']) expect(counts.get(name), name).toBeGreaterThan(400)
    for (const name of ['PRESS_LARGE_JOBS', 'PRESS_LARGE_JOBS_1']) expect(counts.get(name), name).toBeGreaterThan(600)
    expect(nameOf(queueFor(edge, 'press', message()))).toBe(nameOf(queueFor(edge, 'press', message({ generation: 2 }))))
  })
})
