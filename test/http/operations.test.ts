/** What a file costs in billed operations: scripts/cost.ts counts on these numbers. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { TaskView } from '../../src/store/task.ts'
import { call, done, form, member, TEXT } from './client.ts'
import { type Operations, operations } from './operations.ts'

/** What `work` cost. */
async function cost(work: () => Promise<unknown>): Promise<Operations> {
  const before = { ...operations }
  await work()
  // What goes on behind the answer: the account is told, the upload is dropped.
  for (let seen = ''; seen !== JSON.stringify(operations); ) {
    seen = JSON.stringify(operations)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  const { objects, writes, reads, messages } = operations
  return {
    objects: objects - before.objects,
    writes: writes - before.writes,
    reads: reads - before.reads,
    messages: messages - before.messages,
  }
}

it('a quick file, its download and its removal', async () => {
  const who = await member()
  const path = `/v1/tasks/${(await done(who)).task_id}`
  expect(await cost(() => done(who))).toEqual({ objects: 8, writes: 2, reads: 4, messages: 0 })
  expect(await cost(async () => (await call(who, `${path}/download`)).arrayBuffer())).toEqual({
    objects: 2,
    writes: 0,
    reads: 1,
    messages: 0,
  })
  expect(await cost(() => call(who, path, { method: 'DELETE' }))).toEqual({ objects: 4, writes: 2, reads: 0, messages: 0 })
})

it('a queued file, and a look at it', async () => {
  const who = await member()
  const send = async () => {
    const body = form({}, [['files[]', TEXT, 'a.txt']])
    const { tasks } = (await (await call(who, '/v1/batch/compress', { method: 'POST', body })).json()) as { tasks: TaskView[] }
    const id = tasks[0]!.task_id
    // Past the counters: how often anyone looks would depend on how soon the queue delivers.
    while ((await env.TASKS.getByName(id).read())?.status !== 'completed') await new Promise((resolve) => setTimeout(resolve, 20))
    return `/v1/tasks/${id}`
  }
  const path = await send()
  expect(await cost(send)).toEqual({ objects: 7, writes: 2, reads: 4, messages: 1 })
  expect(await cost(() => call(who, path))).toEqual({ objects: 2, writes: 0, reads: 0, messages: 0 })
})
