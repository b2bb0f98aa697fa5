/** Tests of the billed operations per file. tools/deploy/cost.ts uses these numbers. */
import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { TaskView } from '../../../src/service/store/task.ts'
import { QUICK_FILE } from '../../../tools/release/operations.ts'
import { call, done, form, member, TEXT } from './client.ts'
import { type Operations, operations } from './operations.ts'

/** Returns the billed operations of `work`. */
async function cost(work: () => Promise<unknown>): Promise<Operations> {
  const before = structuredClone(operations)
  await work()
  // Waits for work after the answer: the account is updated and the upload is deleted.
  for (let seen = ''; seen !== JSON.stringify(operations); ) {
    seen = JSON.stringify(operations)
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
  const { objects, writes, reads, messages, alarms, rows } = operations
  return {
    rows: Object.fromEntries(
      Object.entries(rows)
        .map(([name, count]) => [name, count - (before.rows[name] ?? 0)] as const)
        .filter(([, count]) => count > 0),
    ),
    objects: objects - before.objects,
    writes: writes - before.writes,
    reads: reads - before.reads,
    messages: messages - before.messages,
    alarms: alarms - before.alarms,
  }
}

const rowsOf = ({ rows }: Operations) => Object.values(rows).reduce((sum, count) => sum + count, 0)
/** Alarms: set at the creation of the task and after the first alarm; once more on a slow machine. */
const ALARMS = 2

it('counts the billed operations of a quick file, its download and its deletion', async () => {
  const who = await member()
  let path = ''
  // The first task of an account writes more rows.
  await cost(async () => {
    path = `/v1/tasks/${(await done(who)).task_id}`
  })
  const upload = await cost(() => done(who))
  // Row writes: created, claimed, completed.
  expect(upload).toMatchObject({ objects: 8, writes: 2, reads: 5, messages: 0, rows: { Account: 7, KeyGate: 1, TaskRecord: 3 } })
  const alarm = await cost(() => runDurableObjectAlarm(env.TASKS.getByName(path.slice(10)) as unknown as DurableObjectStub))
  expect(alarm).toMatchObject({ objects: 0, writes: 0, reads: 0, messages: 0, rows: {} })
  const download = await cost(async () => (await call(who, `${path}/download`)).arrayBuffer())
  expect(download).toMatchObject({ objects: 2, writes: 0, reads: 1, messages: 0, rows: { KeyGate: 1 } })
  const removal = await cost(() => call(who, path, { method: 'DELETE' }))
  expect(removal).toMatchObject({ objects: 4, writes: 2, reads: 0, messages: 0, rows: { Account: 4, KeyGate: 1, TaskRecord: 2 } })
  const all = [upload, alarm, download, removal]
  const sum = (of: (one: Operations) => number) => all.reduce((total, one) => total + of(one), 0)
  expect(sum(({ alarms }) => alarms)).toBeLessThanOrEqual(ALARMS + 1)
  expect({
    objectRequests: sum(({ objects }) => objects) + 1,
    objectRows: sum(rowsOf) + ALARMS,
    bucketWrites: sum(({ writes }) => writes),
    bucketReads: sum(({ reads }) => reads),
  }).toEqual(QUICK_FILE)
})

it('counts the billed operations of a queued file', async () => {
  const who = await member()
  const send = async () => {
    const body = form({}, [['files[]', TEXT, 'a.txt']])
    const { tasks } = (await (await call(who, '/v1/batch/compress', { method: 'POST', body })).json()) as { tasks: TaskView[] }
    const id = tasks[0]!.task_id
    // Polls without the counters, because the number of polls depends on the queue.
    while ((await env.TASKS.getByName(id).read())?.status !== 'completed') await new Promise((resolve) => setTimeout(resolve, 20))
    return `/v1/tasks/${id}`
  }
  let path = ''
  await cost(async () => {
    path = await send()
  })
  // Row writes: created, sent, claimed, completed. One request asks the account for the place of the waiting task.
  const queued = { objects: 9, writes: 2, reads: 5, messages: 1, rows: { Account: 10, KeyGate: 1, TaskRecord: 5 } }
  expect(await cost(send)).toMatchObject(queued)
  expect(await cost(() => call(who, path))).toMatchObject({ objects: 2, writes: 0, reads: 0, messages: 0, rows: { KeyGate: 1 } })
})
