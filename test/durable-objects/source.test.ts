/** Tests of tasks that fetch their file from an address: what is stored, restarts, removal, limits. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, it, vi } from 'vitest'
import type { TaskRecord } from '../../durable-objects/task-record.ts'
import type { NewTask } from '../../src/service/store/task.ts'
import { toTaskView } from '../../src/service/store/task.ts'
import { SILENCE_MS } from '../../src/service/tasks/source-trouble.ts'
import { account, newTask, record } from './fixtures.ts'

const TEXT = 'the quick brown fox jumps over the lazy dog, again and again\n'.repeat(300)
const ADDRESS = 'https://files.shop.com/notes.txt?signature=secret'
const UNKNOWN = { format: 'unknown', output: 'unknown', originalSize: 0, originalSha256: '' } as const

const WAIT = { timeout: 20_000, interval: 20 }

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

const withSource = (options: NonNullable<NewTask['source']>['options'] = {}, change: Partial<NewTask> = {}) => {
  const task = newTask({
    ...UNKNOWN,
    ...change,
    source: { url: ADDRESS, planId: 'free', options },
    sourceUrl: 'https://files.shop.com/notes.txt',
  })
  return { ...task, uploadKey: `uploads-1d/${task.taskId}` }
}

/** Lets every outgoing request be answered by `answer`, and counts the requests. */
const answerWith = (answer: (signal: AbortSignal) => Response | Promise<Response>) =>
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => answer(init!.signal!))

const stub = (task: NewTask) => env.TASKS.getByName(task.taskId) as unknown as DurableObjectStub<TaskRecord>

/** Runs the alarm, unless it is running already, and returns the task when its fetch has ended. */
async function ring(task: NewTask) {
  await runDurableObjectAlarm(stub(task))
  return vi.waitFor(async () => {
    const now = await record(task).read()
    if (now?.status === 'pending' && now.format === 'unknown') throw new Error('The fetch still runs.')
    return now
  }, WAIT)
}

const stored = async (task: NewTask) => (await env.BLOBS.list({ prefix: task.uploadKey! })).objects.length

async function fetched(options: NonNullable<NewTask['source']>['options'] = {}, change: Partial<NewTask> = {}) {
  const task = withSource(options, change)
  await record(task).create(task)
  return { task, now: (await ring(task))! }
}

it('stores the file and becomes the task of an upload', async () => {
  answerWith(() => named('letter.txt', TEXT))
  const { task, now } = await fetched({ quality: 'low', format: 'gz', metadata: 'keep' })
  expect(now).toMatchObject({
    ...{ status: 'pending', fileName: 'letter.txt', format: 'text', output: 'gz', quality: 'low', lane: 'slow', originalSize: TEXT.length },
  })
  expect(await (await env.BLOBS.get(task.uploadKey))!.text()).toBe(TEXT)
  expect((await account(task).usage('free')).storage_used).toBe(TEXT.length)
  expect(await record(task).claim(1, 'whole')).toMatchObject({ kind: 'claimed', uploadKey: task.uploadKey })
})

it('shows the address without its query, and forgets the query when the file is there', async () => {
  answerWith(() => new Response(TEXT))
  const { task, now } = await fetched()
  expect(toTaskView(now, 'http://127.0.0.1').source).toEqual({ url: 'https://files.shop.com/notes.txt' })
  await runInDurableObject(stub(task), (_, state) => {
    expect(JSON.stringify([...state.storage.kv.list()])).not.toContain('secret')
  })
})

it('no worker can claim it before its file is there', async () => {
  const task = await hanging()
  expect(await record(task).claim(1, 'whole')).toEqual({ kind: 'forget' })
  expect(await record(task).names()).toEqual([task.uploadKey])
  await record(task).remove()
})

it.each<[string, () => Response, object]>([
  [
    'that answers 404',
    () => new Response('no', { status: 404 }),
    { type: 'source_unreachable', facts: { status: 404, reason: 'http_status' } },
  ],
  ['without a byte', () => new Response(''), { type: 'empty_file' }],
  ['of an unknown type', () => named('a.psd', `8BPS${'\0'.repeat(5000)}`), { type: 'unsupported_format' }],
  ['that announces more than the plan allows', () => announced('x', 20_000_001), { type: 'file_too_large' }],
  ['that sends more than the plan allows', () => new Response(endless()), { type: 'file_too_large' }],
  ['that ends before its length', () => announced(TEXT, TEXT.length + 1), { type: 'source_unreachable', facts: { reason: 'cut_off' } }],
  ['that breaks off', () => new Response(broken()), { type: 'source_unreachable', facts: { reason: 'cut_off' } }],
])('a source %s fails the task, and nothing stays stored', async (_, answer, error) => {
  const asked = answerWith(answer)
  const { task, now } = await fetched()
  expect(now).toMatchObject({ status: 'failed', error })
  expect(await stored(task)).toBe(0)
  expect((await account(task).usage('free')).storage_used).toBe(0)
  await runDurableObjectAlarm(stub(task))
  expect(asked).toHaveBeenCalledTimes(1)
})

it('an option that the format does not have fails the task, and nothing stays stored', async () => {
  answerWith(() => new Response(TEXT))
  const { task, now } = await fetched({ format: 'webp' })
  expect(now).toMatchObject({ status: 'failed', error: { type: 'unsupported_output' } })
  expect(await stored(task)).toBe(0)
})

it('a silent source is given up', async () => {
  const task = withSource()
  await record(task).create(task)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  let asked = () => {}
  const wasAsked = new Promise<void>((resolve) => {
    asked = resolve
  })
  answerWith((signal) => {
    asked()
    return new Response(silentAfter('a', signal))
  })
  const alarm = runDurableObjectAlarm(stub(task))
  await wasAsked
  for (let waitedMs = 0; waitedMs <= SILENCE_MS; waitedMs += 5000) await vi.advanceTimersByTimeAsync(5000)
  await alarm
  vi.useRealTimers()
  expect(await ring(task)).toMatchObject({ status: 'failed', error: { facts: { reason: 'stalled' } } })
})

it('a fetch that a restart cut off begins again, and its multipart upload is removed', async () => {
  const task = await hanging()
  const left = await env.BLOBS.createMultipartUpload(task.uploadKey)
  answerWith(() => new Response(TEXT))
  await restart(task, { multipartId: left.uploadId })
  expect(await ring(task)).toMatchObject({ format: 'text', originalSize: TEXT.length })
  await expect(left.uploadPart(1, 'x')).rejects.toThrow()
})

it('is given up after five starts that restarts cut off', async () => {
  const task = await hanging()
  await restart(task, { attempts: 5 })
  expect(await ring(task)).toMatchObject({ status: 'failed', error: { facts: { reason: 'interrupted' } } })
})

it('stores nothing when it is removed during the fetch', async () => {
  const task = withSource()
  await record(task).create(task)
  let removed: Promise<unknown> | undefined
  answerWith((signal) => {
    removed = record(task).remove()
    return new Response(silentAfter(TEXT, signal))
  })
  await ring(task)
  expect(await removed).toEqual({ freedBytes: 0 })
  expect(await record(task).read()).toBeUndefined()
  expect(await stored(task)).toBe(0)
})

const named = (name: string, content: string) =>
  new Response(content, { headers: { 'Content-Disposition': `attachment; filename="${name}"` } })

/** Creates a task whose source does not answer. */
async function hanging() {
  const task = withSource()
  const asked = answerWith((signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))))
  await record(task).create(task)
  await vi.waitFor(() => expect(asked).toHaveBeenCalled(), WAIT)
  return task
}

/** Restarts the object of a task, after its stored source was changed. */
async function restart(task: NewTask, change: object): Promise<void> {
  await runInDurableObject(stub(task), async (_, { storage }) => {
    const row = storage.kv.get<{ beside: { source: object } }>('task')!
    storage.kv.put('task', { ...row, beside: { ...row.beside, source: { ...row.beside.source, ...change } } })
    await storage.sync()
  })
  await runInDurableObject(stub(task), (_, state) => state.abort('a restart')).catch(() => undefined)
}

/** Body of a source that announces another length than it sends. */
const announced = (text: string, length: number) => {
  const answer = new Response(new Blob([text]).stream())
  return new Response(answer.body, { headers: { 'Content-Length': String(length) } })
}

function endless(): ReadableStream<Uint8Array> {
  const chunk = new TextEncoder().encode('endless words '.repeat(20_000))
  return new ReadableStream({ pull: (controller) => controller.enqueue(chunk.slice()) })
}

const broken = () =>
  new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(TEXT)),
    pull: (controller) => controller.error(new Error('Network connection lost.')),
  })

/** A body that sends `text` and then nothing until its request is aborted. */
function silentAfter(text: string, signal: AbortSignal): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text))
      signal.addEventListener('abort', () => controller.error(signal.reason))
    },
  })
}
