/** The sweep over more blobs than one call of a Worker may look at. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { Env } from '../../src/env.ts'
import { sweep } from '../../src/tasks/sweep.ts'
import { blobs, done, member } from './client.ts'

it('goes on where it stopped, through every folder, and begins again', async () => {
  const who = await member()
  const kept = [await done(who), await done(who)].map(({ task_id }) => `results/${task_id}/1`).sort()
  const orphans = ['parts/tsk_a/1/0/1', 'parts/tsk_b/1/0/1', 'results/tsk_0/1', 'results/tsk_zz/1', 'results/tsk_zz/2', 'uploads/tsk_c']
  for (const key of orphans) await env.BLOBS.put(key, 'x')
  expect((await blobs()).sort()).toEqual([...kept, ...orphans].sort())
  const later = Date.now() + 3_600_001
  const swept = () => sweep(env as unknown as Env, later, undefined, 3)
  expect(await sweep(env as unknown as Env, Date.now()), 'nothing is old enough').toEqual({ looked: 0, removed: 0, failed: 0, ended: true })
  const found = [await swept(), await swept(), await swept()]
  expect(found.map(({ looked, ended }) => [looked, ended])).toEqual([
    [3, false],
    [3, false],
    [2, true],
  ])
  expect(found.reduce((sum, { removed }) => sum + removed, 0)).toBe(orphans.length)
  expect((await blobs()).sort()).toEqual(kept)
  expect(await swept()).toEqual({ looked: 2, removed: 0, failed: 0, ended: true })
})

/** A bucket of so many results, listed by pages; and the tasks of every other one. */
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
    const objects = Array.from({ length: to - from }, (_, i) => ({ key: this.#keyOf(from + i), uploaded: new Date(0) }))
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

it('comes to the end of very many blobs, though some tasks cannot be asked', { timeout: 120_000 }, async () => {
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
