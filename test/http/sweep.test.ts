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
  expect(await sweep(env as unknown as Env, Date.now()), 'nothing is old enough').toEqual({ looked: 0, removed: 0, ended: true })
  const found = [await swept(), await swept(), await swept()]
  expect(found.map(({ looked, ended }) => [looked, ended])).toEqual([
    [3, false],
    [3, false],
    [2, true],
  ])
  expect(found.reduce((sum, { removed }) => sum + removed, 0)).toBe(orphans.length)
  expect((await blobs()).sort()).toEqual(kept)
  expect(await swept()).toEqual({ looked: 2, removed: 0, ended: true })
})
