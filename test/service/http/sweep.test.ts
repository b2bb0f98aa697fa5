/** Tests of the sweep with more blobs than one Worker call can process, and of tasks with lost alarms. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import type { Env } from '../../../src/service/env.ts'
import type { TaskResult } from '../../../src/service/store/task.ts'
import { taskIdOfUpload } from '../../../src/service/store/upload-records.ts'
import { recoverTasks } from '../../../src/service/tasks/recover-tasks.ts'
import { sweep } from '../../../src/service/tasks/sweep.ts'
import { blobs, call, done, form, member, TEXT } from './client.ts'
import { started } from './started-task.ts'
import { Tus } from './tus.ts'

const DAY_MS = 86_400_000
const BYTES = Uint8Array.from(new TextEncoder().encode(TEXT))
const UNCHANGED: Omit<TaskResult, 'key'> = {
  size: 4,
  sha256: 'a'.repeat(64),
  output: 'mp4',
  outputName: 'film.mp4',
  contentType: 'video/mp4',
  outcome: { kind: 'unchanged', reason: 'no_gain' },
  encrypted: false,
}

it('continues where it stopped, through every folder, and starts over at the end', async () => {
  const who = await member()
  const kept = [await done(who), await done(who)].map(({ task_id }) => `results-30d/${task_id}/1`).sort()
  const orphans = [
    'parts/tsk_a/1/0/1',
    'parts/tsk_b/1/0/1',
    'results-1d/tsk_0/1',
    'results/tsk_zz/1',
    'results/tsk_zz/2',
    'uploads-3d/tsk_c',
  ]
  for (const key of orphans) await env.BLOBS.put(key, 'x')
  expect((await blobs()).sort()).toEqual([...kept, ...orphans].sort())
  const later = Date.now() + 3_600_001
  const swept = () => sweep(env as unknown as Env, later, undefined, 3)
  expect(await sweep(env as unknown as Env, Date.now()), 'nothing is old enough').toEqual({
    looked: 0,
    removed: 0,
    failed: 0,
    overdue: 0,
    ended: true,
  })
  const found = [await swept(), await swept(), await swept()]
  expect(found.map(({ looked, ended }) => [looked, ended])).toEqual([
    [3, false],
    [3, false],
    [2, true],
  ])
  expect(found.reduce((sum, { removed }) => sum + removed, 0)).toBe(orphans.length)
  expect((await blobs()).sort()).toEqual(kept)
  expect(await swept()).toEqual({ looked: 2, removed: 0, failed: 0, overdue: 0, ended: true })
})

describe('a blob past its expiry date', () => {
  const away = { getByName: () => ({ names: () => Promise.reject(new Error('away')) }) }
  const sweepIn = (days: number, TASKS: object = away) => sweep({ ...env, TASKS } as unknown as Env, Date.now() + days * DAY_MS)

  it.each([
    ['results-1d/tsk_a/1', 3],
    ['uploads-1d/tsk_a', 5],
    ['results-3d/tsk_a/1', 5],
    ['uploads-7d/tsk_a', 11],
    ['results-30d/tsk_a/1', 32],
    ['parts/tsk_a/1/0/1', 3],
    ['results/tsk_a/1', 33],
  ])('goes though its task cannot be asked, a day later: %s after %i days', async (key, days) => {
    await env.BLOBS.delete(await blobs())
    await env.BLOBS.put(key, 'x')
    expect(await sweepIn(days - 0.01)).toMatchObject({ failed: 1, removed: 0, overdue: 0 })
    expect(await env.BLOBS.head(key)).not.toBeNull()
    expect(await sweepIn(days + 0.01)).toMatchObject({ failed: 1, removed: 1, overdue: 1 })
    expect(await env.BLOBS.head(key)).toBeNull()
  })

  it('is deleted by age if it has no task: exports and dead letters', async () => {
    const keys = ['exports/2026-11-22/acc_a.json', 'dead-letters/1/tsk_a/whole']
    await env.BLOBS.delete(await blobs())
    for (const key of keys) await env.BLOBS.put(key, 'x')
    expect(await sweepIn(32)).toMatchObject({ looked: 0, removed: 0 })
    expect(await sweepIn(33.01)).toMatchObject({ removed: 2, overdue: 2, failed: 0 })
    for (const key of keys) expect(await env.BLOBS.head(key)).toBeNull()
  })

  it('is kept while its task waits, and deleted after the task has expired', async () => {
    const taskId = `tsk_late${crypto.randomUUID().slice(0, 8)}`
    const uploadKey = `uploads-1d/${taskId}`
    await started({ taskId, uploadKey, retentionMs: DAY_MS })
    const record = env.TASKS.getByName(taskId)
    await sweepIn(6, env.TASKS)
    expect(await env.BLOBS.head(uploadKey)).not.toBeNull()
    const claim = await record.claim(1, 'whole')
    if (claim.kind !== 'claimed') throw new Error('not claimed')
    expect(claim.uploadKey).toBe(uploadKey)
    expect(await record.complete(claim.attempt, { ...UNCHANGED, key: uploadKey })).toBe(true)
    await sweepIn(0.1, env.TASKS)
    expect(await env.BLOBS.head(uploadKey)).not.toBeNull()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + DAY_MS + 1 })
    try {
      await sweepIn(0.1, env.TASKS)
    } finally {
      vi.useRealTimers()
    }
    expect(await env.BLOBS.head(uploadKey)).toBeNull()
  })
})

describe('a blob of a task', () => {
  it.each([
    ['free', 1],
    ['basic', 3],
    ['pro', 7],
    ['enterprise', 30],
  ] as const)('lies where the bucket keeps it as long as the plan %s says: %i days', async (plan, days) => {
    const who = await member({ plan })
    const { task_id } = await done(who)
    const { uploadKey, result, retentionMs } = (await env.TASKS.getByName(task_id).read())!
    expect([uploadKey, result?.key]).toEqual([`uploads-${days}d/${task_id}`, `results-${days}d/${task_id}/1`])
    expect(retentionMs).toBe(days * DAY_MS)
    const tus = new Tus(who)
    const id = await tus.whole(BYTES)
    await call(who, '/v1/compress', { method: 'POST', body: form({ upload: id }, []) })
    const other = (await env.TASKS.getByName(taskIdOfUpload(id)).read())!
    expect([other.uploadKey, other.retentionMs]).toEqual([`uploads-${days}d/${other.taskId}`, retentionMs])
    for (const each of [task_id, other.taskId]) expect((await call(who, `/v1/tasks/${each}`, { method: 'DELETE' })).status).toBe(200)
    expect((await blobs()).filter((key) => key.includes(task_id) || key.includes(other.taskId))).toEqual([])
  })

  it('expires with its upload, even if the plan became larger meanwhile', async () => {
    const who = await member({ plan: 'free' })
    const id = await new Tus(who).whole(BYTES)
    await env.ACCOUNTS.getByName(who.accountId).update({ plan: 'pro' })
    await call(who, '/v1/compress', { method: 'POST', body: form({ upload: id }, []) })
    expect((await env.TASKS.getByName(taskIdOfUpload(id)).read())?.retentionMs).toBe(DAY_MS)
    const { task_id } = await done(who)
    expect((await env.TASKS.getByName(task_id).read())?.retentionMs).toBe(7 * DAY_MS)
  })
})

/** Simulates a bucket with many results, listed by pages, and tasks for every second one. */
class FakeBucket {
  readonly removed = new Set<string>()
  place: string | undefined
  readonly #count: number
  readonly #keyOf = (i: number) => `results/tsk_${String(i).padStart(9, '0')}/1`

  constructor(count: number) {
    this.#count = count
  }

  async list({ prefix, limit = 500, startAfter, cursor }: R2ListOptions) {
    const from = cursor !== undefined ? Number(cursor) : startAfter ? Number(startAfter.slice(12, 21)) + 1 : 0
    const to = prefix === 'results/' ? Math.min(this.#count, from + limit) : from
    const objects = Array.from({ length: to - from }, (_, i) => ({
      key: this.#keyOf(from + i),
      uploaded: new Date(Date.now() - 7_200_000),
    }))
    return { objects, truncated: prefix === 'results/' && to < this.#count, cursor: String(to) }
  }

  async get() {
    const { place } = this
    return place === undefined ? null : { text: async () => place }
  }

  async put(_: string, place: string) {
    this.place = place
  }

  async delete(keys: string | string[]) {
    if (typeof keys === 'string') this.place = undefined
    else for (const key of keys) this.removed.add(key)
  }
}

it('finishes a very large number of blobs, even if some tasks do not respond', { timeout: 120_000 }, async () => {
  const COUNT = 200_000
  const bucket = new FakeBucket(COUNT)
  const names = async (id: string) => {
    const i = Number(id.slice(4))
    if (i % 1000 === 7) throw new Error('this object is broken')
    return i % 2 === 0 ? [`results/${id}/1`] : undefined
  }
  const edge = { BLOBS: bucket, TASKS: { getByName: (id: string) => ({ names: () => names(id) }) } } as unknown as Env
  const sums = { looked: 0, removed: 0, failed: 0 }
  for (let rounds = 0; ; rounds++) {
    if (rounds > COUNT / 5000 + 1) throw new Error('it never comes to the end')
    const { ended, ...found } = await sweep(edge)
    for (const name of ['looked', 'removed', 'failed'] as const) sums[name] += found[name]
    if (ended) break
  }
  expect(sums.looked).toBe(COUNT)
  expect(sums.failed).toBe(COUNT / 1000)
  expect(sums.removed).toBe(COUNT / 2 - COUNT / 1000)
  expect(bucket.removed.size).toBe(sums.removed)
  expect(bucket.place).toBeUndefined()
})

it('resumes every unfinished task after a kill that lost its alarms, and no finished one', async () => {
  const who = await member()
  await done(who)
  await env.BLOBS.put('uploads-30d/tsk_nobody', 'x')
  const { taskId } = await started()
  const object = env.TASKS.getByName(taskId) as unknown as DurableObjectStub
  const alarmIn = () => runInDurableObject(object, async (_, { storage }) => ((await storage.getAlarm()) ?? 0) - Date.now())
  // Simulates a lost alarm: without the wake-up, the task would wait for an hour.
  await runInDurableObject(object, (_, { storage }) => storage.setAlarm(Date.now() + 3_600_000))
  const answer = await call(undefined, '/admin/wake', {
    method: 'POST',
    headers: { Authorization: `Bearer ${env.ADMIN_TOKEN}` },
    body: '{}',
  })
  expect(await answer.json()).toEqual({ woken: 1 })
  expect(await alarmIn()).toBeLessThan(60_000)
  expect(await recoverTasks(env as unknown as Env)).toBe(1)
})
