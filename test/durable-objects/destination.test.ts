/** Tests of tasks that send their result to an address: what is sent, retries, restarts, redelivery, removal. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import { SendPlaces } from '../../durable-objects/task/send-places.ts'
import type { TaskRecord } from '../../durable-objects/task-record.ts'
import { message } from '../../src/core/i18n/message.ts'
import { type NewTask, toTaskView } from '../../src/service/store/task.ts'
import { MAX_SENDS, pauseAfter, TAKE_MS } from '../../src/service/tasks/send-result.ts'
import { account, newTask, RESULT, record } from './fixtures.ts'

const DESTINATION = {
  url: 'https://bucket.shop.com/notes.zst?signature=secret',
  headers: { 'x-amz-meta-a': 'hidden', 'content-type': 'text/x' },
}
const BYTES = 'the quick brown result '.repeat(200)
const WAIT = { timeout: 20_000, interval: 20 }

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const stub = (task: NewTask) => env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub<TaskRecord>

interface Sent {
  url: string
  init: RequestInit
  body: string
}

/** Receives every outgoing request whole, and answers with the next of `statuses`, then with the last one. 0: breaks off. */
function receive(...statuses: number[]): Sent[] {
  const sent: Sent[] = []
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (url, init) => {
    const body = await new Response(init!.body).text()
    sent.push({ url: String(url), init: init!, body })
    const status = statuses[Math.min(sent.length, statuses.length) - 1]!
    if (status === 0) throw new Error('Network connection lost.')
    return new Response(status === 204 ? null : 'thanks', { status })
  })
  return sent
}

/** Creates a task and completes it with a stored result. */
async function completed(change: Partial<NewTask> = {}) {
  const task = newTask({ destination: DESTINATION, ...change })
  await record(task).create(task)
  const key = `results-1d/${task.taskId}/1`
  await env.BLOBS.put(key, BYTES)
  const claim = await record(task).claim(1, 'whole')
  await record(task).complete(claim.kind === 'claimed' ? claim.attempt : 0, { ...RESULT, key, size: BYTES.length })
  return task
}

/** Waits until the delivery has this state. */
const delivery = (task: NewTask, expected: object) =>
  vi.waitFor(async () => expect((await record(task).read())?.delivery).toMatchObject(expected), WAIT)

/** Makes the next request due now, and sends it. */
async function sendNow(task: NewTask): Promise<void> {
  // In one event: between two, what still runs could write the row back.
  await runInDurableObject(stub(task), async (_, state) => {
    const row = state.storage.kv.get<{ beside: object }>('task')!
    state.storage.kv.put('task', { ...row, beside: { ...row.beside, sendAt: 1 } })
    await state.storage.sync()
    state.abort('a restart')
  }).catch(() => undefined)
  await runDurableObjectAlarm(stub(task))
}

it('sends the whole result once, with the headers that describe it and those of the client', async () => {
  const sent = receive(201)
  const task = await completed()
  await delivery(task, { status: 'delivered', attempts: 1, lastStatus: 201 })
  expect(sent.map(({ url, body }) => ({ url, body }))).toEqual([{ url: DESTINATION.url, body: BYTES }])
  expect(sent[0]!.init).toMatchObject({ method: 'PUT', redirect: 'manual' })
  expect(sent[0]!.init.headers).toMatchObject({
    'content-type': 'text/x',
    'content-disposition': expect.stringContaining('filename="notes.txt.zst"') as string,
    'x-amz-meta-a': 'hidden',
  })
  expect(await env.BLOBS.head((await record(task).read())!.result!.key)).not.toBeNull()
  expect(await account(task).deliveries(10)).toMatchObject([{ kind: 'destination', taskId: task.taskId, status: 201, answer: 'thanks' }])
})

it('shows the address without its query, and stores secrets only encrypted', async () => {
  receive(200)
  const task = await completed()
  await delivery(task, { status: 'delivered' })
  expect(toTaskView((await record(task).read())!, 'http://127.0.0.1')).toMatchObject({
    destination: { url: 'https://bucket.shop.com/notes.zst' },
    delivery: { status: 'delivered', attempts: 1, last_status: 200 },
  })
  await runInDurableObject(stub(task), (_, { storage }) => {
    const kept = new TextDecoder('latin1').decode(new Uint8Array([...storage.kv.list()].flatMap(([, value]) => bytesOf(value))))
    expect(kept).not.toContain('secret')
    expect(kept).not.toContain('hidden')
  })
})

const bytesOf = (value: unknown) => [...(value instanceof Uint8Array ? value : new TextEncoder().encode(JSON.stringify(value)))]

it('a destination that fails is tried five times, and the result stays', async () => {
  const sent = receive(503, 0, 307, 403, 500)
  const task = await completed()
  await delivery(task, { status: 'pending', attempts: 1, lastStatus: 503 })
  await sendNow(task)
  await delivery(task, { status: 'pending', attempts: 2, lastStatus: null })
  for (const lastStatus of [307, 403]) {
    await sendNow(task)
    await delivery(task, { status: 'pending', lastStatus })
  }
  await sendNow(task)
  await delivery(task, { status: 'failed', attempts: MAX_SENDS, lastStatus: 500 })
  await sendNow(task)
  expect(sent).toHaveLength(5)
  expect(await record(task).read()).toMatchObject({ status: 'completed' })
})

it('requests are 0, 5 s, 1, 5 and 30 minutes after the first one, or up to 20 % later', () => {
  const at = (random: number) => [1, 2, 3, 4].map((attempts) => pauseAfter(attempts, () => random)!)
  expect(at(0).map((_, i, all) => all.slice(0, i + 1).reduce((sum, ms) => sum + ms) / 1000)).toEqual([5, 60, 300, 1800])
  expect(at(1).map((ms, i) => ms / at(0)[i]!)).toEqual([1.2, 1.2, 1.2, 1.2])
  expect(pauseAfter(MAX_SENDS)).toBeUndefined()
})

it('a request that a restart cut off is sent again', async () => {
  const hanging = vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise(() => undefined))
  const task = await completed()
  await delivery(task, { status: 'pending', attempts: 1 })
  // The attempt is stored before its request is sent, which must not meet the next receiver.
  await vi.waitFor(() => expect(hanging).toHaveBeenCalled(), WAIT)
  const sent = receive(200)
  await sendNow(task)
  await delivery(task, { status: 'delivered', attempts: 2 })
  expect(sent).toHaveLength(1)
})

it('a last request that a restart cut off makes the delivery failed', async () => {
  receive(500)
  const task = await completed()
  await delivery(task, { attempts: 1 })
  await runInDurableObject(stub(task), async (_, { storage }) => {
    const row = storage.kv.get<{ delivery: object }>('task')!
    storage.kv.put('task', { ...row, delivery: { ...row.delivery, attempts: MAX_SENDS } })
    await storage.sync()
  })
  await sendNow(task)
  await delivery(task, { status: 'failed', attempts: MAX_SENDS })
})

it('a receiver that takes nothing is given up', async () => {
  const task = await completed({})
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let asked = () => {}
  const wasAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  vi.spyOn(globalThis, 'fetch').mockImplementation((_, init) => {
    asked()
    return new Promise((__, reject) => init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason as Error)))
  })
  const alarm = runDurableObjectAlarm(stub(task))
  await wasAsked
  for (let waitedMs = 0; waitedMs <= TAKE_MS; waitedMs += 5000) await vi.advanceTimersByTimeAsync(5000)
  await alarm
  vi.useRealTimers()
  await delivery(task, { status: 'pending', attempts: 1, lastStatus: null })
  expect(await account(task).deliveries(1)).toMatchObject([{ status: 0, error: expect.stringContaining('took no bytes') }])
})

it('is sent again from the start on request, also to another address, and ends what runs', async () => {
  const hanging = vi
    .spyOn(globalThis, 'fetch')
    .mockImplementation(
      (_, init) => new Promise((__, reject) => init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason as Error))),
    )
  const task = await completed()
  await vi.waitFor(() => expect(hanging).toHaveBeenCalled(), WAIT)
  const sent = receive(204)
  const other = { url: 'https://other.shop.com/a?b', headers: {} }
  expect(await record(task).redeliver(other)).toMatchObject({
    destinationUrl: 'https://other.shop.com/a',
    delivery: { status: 'pending', attempts: 0 },
  })
  await delivery(task, { status: 'delivered', attempts: 1, lastStatus: 204 })
  await record(task).redeliver()
  await vi.waitFor(() => expect(sent.map(({ url }) => url)).toEqual([other.url, other.url]), WAIT)
})

it('a task without a destination, or without a result, has nothing to deliver', async () => {
  const sent = receive(200)
  const { destination: _, ...plain } = newTask()
  await record(plain).create(plain)
  expect(await record(plain).redeliver()).toBeUndefined()
  expect(await record(plain).redeliver(DESTINATION)).toBeUndefined()
  const failing = newTask({ destination: DESTINATION })
  await record(failing).create(failing)
  const claim = await record(failing).claim(1, 'whole')
  const error = { code: 400, type: 'unsupported_format', message: message('job_lost_worker', { times: 1 }), requestId: 'req_test' }
  await record(failing).fail(claim.kind === 'claimed' ? claim.attempt : 0, error as never)
  expect(await record(failing).read()).toMatchObject({ status: 'failed', delivery: { status: 'failed', attempts: 0, lastStatus: null } })
  expect(sent).toEqual([])
})

it('removal ends a running request, and nothing is sent afterwards', async () => {
  const aborted = vi.fn()
  vi.spyOn(globalThis, 'fetch').mockImplementation(
    (_, init) =>
      new Promise((__, reject) =>
        init!.signal!.addEventListener('abort', () => {
          aborted()
          reject(init!.signal!.reason as Error)
        }),
      ),
  )
  const task = await completed()
  await delivery(task, { attempts: 1 })
  expect(await record(task).remove()).toEqual({ freedBytes: BYTES.length })
  expect(aborted).toHaveBeenCalled()
  expect(await record(task).read()).toBeUndefined()
})

it('one account takes only some of the places, and gives them back', () => {
  const places = new SendPlaces()
  const own = Array.from({ length: 5 }, () => places.take('acc_a'))
  expect(own.map((place) => place !== undefined)).toEqual([true, true, true, true, false])
  const second = [places.take('acc_b'), places.take('acc_b'), places.take('acc_b'), places.take('acc_b'), places.take('acc_c')]
  expect(second.every((place) => place !== undefined)).toBe(true)
  expect(places.take('acc_c'), 'a second place of an account, from the reserve').toBeUndefined()
  const others = Array.from({ length: 8 }, (_, i) => places.take(`acc_${i}`))
  expect(others.filter((place) => place !== undefined)).toHaveLength(7)
  own[0]![Symbol.dispose]()
  expect(places.take('acc_new')).toBeDefined()
})
