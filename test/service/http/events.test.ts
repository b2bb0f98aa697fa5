/** Event streams of tasks and batches: progress, ends, coming again, limits. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { eventStream, wantsEvents } from '../../../src/service/http/event-stream.ts'
import { randomBase62 } from '../../../src/service/store/key-format.ts'
import type { TaskView } from '../../../src/service/store/task.ts'
import { MAX_STREAMS_PER_KEY } from '../../../src/service/store/waiting.ts'
import { call, done, errorOf, form, type Member, member, TEXT } from './client.ts'
import { all, reading } from './event-reader.ts'
import { started } from './started-task.ts'

const listen = (who: Member, path: string, headers: Record<string, string> = {}) =>
  call(who, path, { headers: { Accept: 'text/event-stream', ...headers } })
const openTask = (who: Member) => started({ taskId: `tsk_${randomBase62(24)}`, accountId: who.accountId })

describe('Accept', () => {
  it.each([
    ['text/event-stream', true],
    ['text/event-stream, */*;q=0.5', true],
    ['application/json, text/event-stream;q=0.1', false],
    ['text/event-stream;q=0', false],
    ['text/event-stream;q=x', false],
    ['application/json', false],
    ['*/*', false],
    [undefined, false],
  ])('%s asks for events: %s', (accept, expected) => expect(wantsEvents(accept)).toBe(expected))
})

describe('events of a task', () => {
  it('are its end alone if it has ended, and nothing if the client knows that', async () => {
    const who = await member()
    const task = await done(who)
    const answer = await listen(who, `/v1/tasks/${task.task_id}`)
    expect(answer.headers.get('Content-Type')).toBe('text/event-stream; charset=utf-8')
    const events = await all(answer)
    expect(events).toMatchObject([{ name: 'completed', data: task }])
    const again = await listen(who, `/v1/tasks/${task.task_id}`, { 'Last-Event-ID': events[0]!.id })
    expect(again.status).toBe(204)
  })

  it('tell each change of progress, then the end', async () => {
    const who = await member()
    const { taskId } = await openTask(who)
    const record = env.TASKS.getByName(taskId)
    const { next } = reading(await listen(who, `/v1/tasks/${taskId}`))
    expect(await next()).toMatchObject({ name: 'progress', data: { progress: 0, eta_seconds: null, queue_position: null } })
    const claim = await record.claim(null, 'whole')
    if (claim.kind !== 'claimed') throw new Error(claim.kind)
    await record.beat(claim.attempt, 0.25)
    for (let event = await next(); event?.data['progress'] !== 0.25; event = await next())
      expect(event).toMatchObject({ name: 'progress', data: { progress: 0, queue_position: 0 } })
    await record.fail(claim.attempt, { code: 500, type: 'internal', message: 'broken', requestId: 'req_1' })
    let last = await next()
    while (last?.name === 'progress') last = await next()
    expect(last).toMatchObject({ name: 'failed', data: { task_id: taskId, status: 'failed' } })
    expect(await next()).toBeUndefined()
  })

  it('end if the task is deleted', async () => {
    const who = await member()
    const { taskId } = await openTask(who)
    const { next } = reading(await listen(who, `/v1/tasks/${taskId}`))
    await next()
    await env.TASKS.getByName(taskId).remove()
    expect(await next()).toBeUndefined()
  })

  it.each(['', '-1', 'x'.repeat(300), '1.', `1.${'f'.repeat(65)}`, '1.0 ', 'é'])('ignore the unknown Last-Event-ID %j', async (id) => {
    const who = await member()
    const task = await done(who)
    const answer = await listen(who, `/v1/tasks/${task.task_id}`, { 'Last-Event-ID': id })
    expect((await all(answer)).map(({ name }) => name)).toEqual(['completed'])
  })

  it('are refused like the task itself', async () => {
    const who = await member()
    const { task_id } = await done(who)
    expect((await listen(await member(), `/v1/tasks/${task_id}`)).status).toBe(403)
    expect((await listen(who, '/v1/tasks/none')).status).toBe(404)
  })

  it('have no body in an answer to HEAD', async () => {
    const who = await member()
    const { taskId } = await openTask(who)
    const head = await call(who, `/v1/tasks/${taskId}`, { method: 'HEAD', headers: { Accept: 'text/event-stream' } })
    expect([head.status, head.body, head.headers.get('Content-Type')]).toEqual([200, null, 'text/event-stream; charset=utf-8'])
  })
})

describe('events of a batch', () => {
  it('tell one end for each task, and only those that a client has not received', async () => {
    const who = await member()
    const files: [string, string | Uint8Array, string][] = [
      ['files[]', TEXT, 'a.txt'],
      ['files[]', new Uint8Array(500).fill(255), 'bad.bin'],
      ['files[]', `${TEXT}b`, 'b.txt'],
    ]
    const made = (await (await call(who, '/v1/batch/compress', { method: 'POST', body: form({}, files) })).json()) as {
      batch_id: string
      tasks: TaskView[]
    }
    const path = `/v1/batches/${made.batch_id}`
    const ends = (await all(await listen(who, path))).filter(({ name }) => name !== 'progress')
    expect(new Map(ends.map(({ name, data }) => [data['task_id'], name]))).toEqual(
      new Map(made.tasks.map(({ task_id, file_name }) => [task_id, file_name === 'bad.bin' ? 'failed' : 'completed'])),
    )
    const again = await all(await listen(who, path, { 'Last-Event-ID': ends[0]!.id }))
    expect(again.map(({ data }) => data['task_id']).sort()).toEqual(
      ends
        .slice(1)
        .map(({ data }) => data['task_id'])
        .sort(),
    )
    expect((await listen(who, path, { 'Last-Event-ID': ends.at(-1)!.id })).status).toBe(204)
  })
})

describe('limits', () => {
  it('refuses more streams of a key than it may have, until one ends', async () => {
    const who = await member()
    const { taskId } = await openTask(who)
    const path = `/v1/tasks/${taskId}`
    const streams = await Promise.all(Array.from({ length: MAX_STREAMS_PER_KEY }, () => listen(who, path)))
    const more = await listen(who, path)
    expect([more.status, (await errorOf(more)).error_detail]).toMatchObject([429, { type: 'too_many_streams', limit: MAX_STREAMS_PER_KEY }])
    expect((await call(who, path)).status).toBe(200)
    await env.TASKS.getByName(taskId).remove()
    for (const stream of streams) await all(stream)
    await expect.poll(async () => (await listen(who, `/v1/tasks/${(await done(who)).task_id}`)).status).toBe(200)
  })

  it('ends a stream after its time, also if its client does not read', async () => {
    const ended = Promise.withResolvers<void>()
    const answer = eventStream(
      {
        run: async (events, signal) => {
          for (let count = 0; !signal.aborted; count++) await events.send({ name: 'progress', id: String(count), data: 'x'.repeat(10_000) })
        },
        ended: async () => ended.resolve(),
      },
      () => undefined,
      { maxMs: 50, graceMs: 50 },
    )
    await ended.promise
    await expect(answer.text()).rejects.toThrow()
  })
})

it('shows eta_seconds and queue_position on open tasks only', async () => {
  const who = await member()
  const { taskId } = await openTask(who)
  const shown = async () => (await (await call(who, `/v1/tasks/${taskId}`)).json()) as TaskView
  expect(await shown()).toMatchObject({ status: 'pending', eta_seconds: null, queue_position: null })
  await env.TASKS.getByName(taskId).claim(null, 'whole')
  expect(await shown()).toMatchObject({ status: 'processing', eta_seconds: expect.any(Number), queue_position: 0 })
  expect(await done(who)).not.toHaveProperty('eta_seconds')
})
