/** Tests of `source`, `sources[]` and `destination`: files that come from buckets, and results that go there. */
import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { TaskRecord } from '../../../durable-objects/task-record.ts'
import { nameMarks } from '../../../src/core/model/zip-names.ts'
import type { Env } from '../../../src/service/env.ts'
import { destinationKey } from '../../../src/service/store/destinations.ts'
import type { TaskView } from '../../../src/service/store/task.ts'
import { newTaskId } from '../../../src/service/tasks/ingest.ts'
import { newTask, record } from '../../durable-objects/fixtures.ts'
import { utf8 } from '../../support/bucket-double.ts'
import { HARD_KEYS, RARE_KEYS } from '../../support/bucket-suite.ts'
import { S3Double } from '../../support/s3-double.ts'
import { blobs, call, compress, errorOf, form, type Member, member, TEXT } from './client.ts'

const WAIT = { timeout: 20_000, interval: 20 }
const SOURCE = { connection: 'shop', key: 'in/notes.txt' }

afterEach(() => {
  vi.restoreAllMocks()
})

interface Shop {
  readonly who: Member
  readonly double: S3Double
}

/** An account with a connection to a bucket that has one text. */
async function shop(): Promise<Shop> {
  const double = new S3Double()
  vi.spyOn(globalThis, 'fetch').mockImplementation((url, init) => double.fetch(String(url), init ?? {}))
  const who = await member()
  const { type, endpoint, region, bucket, accessKeyId, secretAccessKey } = double.settings
  const fields = { type, endpoint, region, bucket, access_key_id: accessKeyId, secret_access_key: secretAccessKey }
  expect((await sendJson(who, 'PUT', '/v1/connections/shop', fields)).status).toBe(200)
  await double.put(SOURCE.key, TEXT)
  double.requests.length = 0
  return { who, double }
}

const sendJson = (who: Member, method: string, path: string, body: unknown) =>
  call(who, path, { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } })
const send = (who: Member, body: object) => sendJson(who, 'POST', '/v1/compress', body)
const sent = async (who: Member, body: object) => (await (await send(who, body)).json()) as TaskView
const detail = async (answer: Response) => (await errorOf(answer)).error_detail
const read = async (who: Member, id: string) => (await (await call(who, `/v1/tasks/${id}`)).json()) as TaskView
const stub = (id: string) => env.TASKS.getByName(id) as unknown as DurableObjectStub<TaskRecord>

/** Runs the alarm until the task has what is expected. */
const until = (who: Member, id: string, expected: object, options = WAIT) =>
  vi.waitFor(async () => {
    await runDurableObjectAlarm(stub(id))
    const task = await read(who, id)
    expect(task).toMatchObject(expected)
    return task
  }, options)

/** Fetches the file of a task and compresses it. */
async function compressed(who: Member, id: string): Promise<TaskView> {
  await vi.waitFor(async () => {
    await runDurableObjectAlarm(stub(id))
    expect((await read(who, id)).format).not.toBe('unknown')
  }, WAIT)
  await (env as unknown as Env).PRESS.run(id, TEXT.length, crypto.randomUUID())
  return until(who, id, { status: 'completed' })
}

describe('a source in a bucket', () => {
  it('is fetched and compressed, and its result goes to the bucket under the name of the download', async () => {
    const { who, double } = await shop()
    const made = await sent(who, { source: SOURCE, destination: { connection: 'shop', prefix: 'small/' } })
    const places = { source: SOURCE, destination: { connection: 'shop', prefix: 'small/' } }
    expect(made).toMatchObject({ status: 'pending', file_name: 'notes.txt', ...places, delivery: { status: 'pending', attempts: 0 } })
    await compressed(who, made.task_id)
    const task = await until(who, made.task_id, { delivery: { status: 'delivered', attempts: 1, last_status: 200 } })
    expect(task).toMatchObject({ ...places, original_size: TEXT.length, output_name: 'notes.txt.zst' })
    expect(task.destination).toEqual({ connection: 'shop', prefix: 'small/', key: 'small/notes.txt.zst' })
    const download = await (await call(who, `/v1/tasks/${made.task_id}/download`)).arrayBuffer()
    const stored = double.objects.get('small/notes.txt.zst')!
    expect(Buffer.from(stored.bytes).equals(Buffer.from(download))).toBe(true)
    expect(stored.headers['content-disposition']).toContain('filename="notes.txt.zst"')
    expect(double.requests).toEqual([`GET ${SOURCE.key}`, 'PUT small/notes.txt.zst'])
  })

  it('works in a form, as JSON text', async () => {
    const { who } = await shop()
    const body = form({ source: JSON.stringify(SOURCE), destination: '{"connection":"shop","key":"a"}' }, [])
    const answer = await call(who, '/v1/compress', { method: 'POST', body })
    expect(await answer.json()).toMatchObject({ status: 'pending', source: SOURCE, destination: { connection: 'shop', key: 'a' } })
  })

  it('may have any key', async () => {
    const { who, double } = await shop()
    const keys = [...HARD_KEYS, ...RARE_KEYS]
    for (const key of keys) await double.put(key, TEXT)
    const sources = keys.map((key) => ({ connection: 'shop', key }))
    const answer = await sendJson(who, 'POST', '/v1/batch/compress', { 'sources[]': sources })
    const { tasks } = (await answer.json()) as { tasks: TaskView[] }
    expect(tasks.map(({ source }) => source)).toEqual(sources)
    await Promise.all(tasks.map(({ task_id: id }) => until(who, id, { format: 'text', original_size: TEXT.length })))
    expect([...double.requests].sort()).toEqual(keys.map((key) => `GET ${key}`).sort())
  })

  it('continues after a broken connection', async () => {
    const { who, double } = await shop()
    breakOff(double, 100)
    const { task_id: id } = await sent(who, { source: SOURCE })
    const task = await compressed(who, id)
    expect(task).toMatchObject({ original_size: TEXT.length, result: { outcome: 'compressed' } })
    expect(double.requests).toEqual([`GET ${SOURCE.key}`, `GET ${SOURCE.key}`])
  })

  it.each<[string, object, (double: S3Double) => unknown]>([
    ['missing_object', { status: 404, bucket_error: 'NoSuchKey' }, (double) => double.objects.clear()],
    ['unauthorised', { status: 403 }, (double) => Object.assign(double, { isAuthorised: false })],
    ['encoded', { status: 200 }, (double) => double.put(SOURCE.key, TEXT, { 'content-encoding': 'gzip' })],
    [
      'changed',
      { status: 412 },
      (double) => {
        breakOff(double, 100)
        const { trouble } = double
        double.trouble = async (request, key) => {
          const answer = await trouble?.(request, key)
          await double.put(SOURCE.key, `${TEXT}!`)
          return answer
        }
      },
    ],
    ['cut_off', { status: null }, (double) => breakOff(double, 0, Number.POSITIVE_INFINITY)],
  ])('that is %s fails the task, and nothing stays stored', async (reason, facts, change) => {
    const { who, double } = await shop()
    await change(double)
    const { task_id: id } = await sent(who, { source: SOURCE })
    const task = await until(who, id, { status: 'failed' })
    expect(task.error_detail).toMatchObject({ type: 'source_unreachable', reason, ...facts })
    expect((await blobs()).filter((name) => name.includes(id))).toEqual([])
    expect(await (await call(who, '/v1/usage')).json()).toMatchObject({ storage_used: 0 })
    expect(double.requests.length).toBeLessThanOrEqual(4)
    await runDurableObjectAlarm(stub(id))
    expect(double.requests.length).toBeLessThanOrEqual(4)
  })

  it('fails the task if its connection is gone', async () => {
    const who = await member()
    const unknown = { format: 'unknown', output: 'unknown', originalSize: 0, originalSha256: '', accountId: who.accountId } as const
    const task = newTask({
      ...unknown,
      taskId: newTaskId(who.accountId),
      source: { object: SOURCE, planId: 'free', options: {} },
      sourceObject: SOURCE,
    })
    await record(task).create(task)
    const { error_detail: error } = await until(who, task.taskId, { status: 'failed', source: SOURCE })
    expect(error).toMatchObject({ type: 'source_unreachable', reason: 'missing_connection', status: null })
  })

  it('whose server is overloaded for an hour is asked again, a bounded number of times', async () => {
    const { who, double } = await shop()
    shortenPauses()
    double.trouble = () => new Response('', { status: 503 })
    const { task_id: id } = await sent(who, { source: SOURCE })
    await vi.waitFor(async () => {
      await runDurableObjectAlarm(stub(id))
      expect(await sourceOf(id)).toMatchObject({ attempts: 1, nextAt: expect.any(Number) as number })
      expect(double.requests).toHaveLength(4)
    }, WAIT)
    expect((await read(who, id)).status).toBe('pending')
    await startNow(id, 4)
    expect((await until(who, id, { status: 'failed' })).error_detail).toMatchObject({ reason: 'busy', status: 503 })
    expect(double.requests).toHaveLength(8)
  })
})

/** Ends the pauses between tries of a bucket at once. Time limits, which are longer, stay. */
function shortenPauses(): void {
  const real = globalThis.setTimeout
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms = 0) =>
    real(work, ms < 10_000 ? 1 : ms)) as typeof setTimeout)
}

/** Ends the next answers of the double after some bytes. */
function breakOff(double: S3Double, after: number, times = 1): void {
  let left = times
  double.trouble = (request, key) => {
    const stored = double.objects.get(key)
    if (request.method !== 'GET' || !stored || left-- <= 0) return undefined
    const offset = Number(/\d+/.exec(request.headers.get('range') ?? '0')?.[0])
    const body = new ReadableStream({
      start: (controller) => {
        if (after > 0) controller.enqueue(stored.bytes.slice(offset, offset + after))
        controller.close()
      },
    })
    const headers = { etag: `"${stored.etag}"`, 'last-modified': stored.modified.toUTCString() }
    const { length } = stored.bytes
    const whole = { ...headers, 'content-length': String(length) }
    if (!request.headers.has('range')) return new Response(body, { headers: whole })
    return new Response(body, { status: 206, headers: { ...headers, 'content-range': `bytes ${offset}-${length - 1}/${length}` } })
  }
}

interface Row {
  readonly beside: { readonly source?: { readonly attempts: number } }
}

const sourceOf = (id: string) => runInDurableObject(stub(id), (_, { storage }) => storage.kv.get<Row>('task')?.beside.source)

/** Makes the next start of a fetch due now, as if `attempts` were made before. */
async function startNow(id: string, attempts: number): Promise<void> {
  await runInDurableObject(stub(id), async (_, { storage }) => {
    const row = storage.kv.get<Row>('task')!
    storage.kv.put('task', { ...row, beside: { ...row.beside, source: { ...row.beside.source, attempts, nextAt: 1 } } })
    await storage.sync()
  })
  await runInDurableObject(stub(id), (_, state) => state.abort('a restart')).catch(() => undefined)
}

describe('a destination in a bucket', () => {
  const DESTINATION = { connection: 'shop', key: 'out/result' }
  const made = async (who: Member, fields: Record<string, string> = {}) =>
    (await (await compress(who, TEXT, 'a.txt', { destination: JSON.stringify(DESTINATION), ...fields })).json()) as TaskView

  it('gets the result under its whole key', async () => {
    const { who, double } = await shop()
    const { task_id: id } = await made(who)
    const task = await until(who, id, { delivery: { status: 'delivered', attempts: 1 } })
    expect(task.destination).toEqual(DESTINATION)
    expect(double.objects.get('out/result')!.bytes).toHaveLength(task.compressed_size!)
    await runDurableObjectAlarm(stub(id))
    expect(double.requests).toEqual(['PUT out/result'])
  })

  it('that refuses the credentials is a failed try, and a redelivery uses the credentials of then', async () => {
    const { who, double } = await shop()
    double.isAuthorised = false
    const logged = vi.spyOn(console, 'warn')
    const { task_id: id } = await made(who)
    await until(who, id, { status: 'completed', delivery: { status: 'pending', attempts: 1, last_status: 403 } })
    expect((await call(who, `/v1/tasks/${id}/download`)).status).toBe(200)
    expect(JSON.stringify(logged.mock.calls)).not.toContain(double.settings.secretAccessKey)
    expect([...double.objects.keys()]).toEqual([SOURCE.key])
    double.isAuthorised = true
    expect((await sendJson(who, 'POST', `/v1/tasks/${id}/deliveries`, {})).status).toBe(200)
    await until(who, id, { delivery: { status: 'delivered', attempts: 1, last_status: 200 } })
  })

  it('without its connection is a failed try', async () => {
    const { who } = await shop()
    const { task_id: id } = await made(who)
    await call(who, '/v1/connections/shop', { method: 'DELETE' })
    await sendJson(who, 'POST', `/v1/tasks/${id}/deliveries`, {})
    await until(who, id, { status: 'completed', delivery: { status: 'pending', attempts: 1, last_status: null } })
  })

  it('can replace the destination of a task', async () => {
    const { who, double } = await shop()
    const { task_id: id } = await made(who)
    const other = { connection: 'shop', prefix: '📷/' }
    const answer = await sendJson(who, 'POST', `/v1/tasks/${id}/deliveries`, { destination: other })
    expect(await answer.json()).toMatchObject({ destination: { ...other, key: '📷/a.txt.zst' }, delivery: { attempts: 0 } })
    await until(who, id, { delivery: { status: 'delivered' } })
    expect(double.objects.has('📷/a.txt.zst')).toBe(true)
  })

  it('of a batch gets results of equal names under distinct keys', async () => {
    const { who, double } = await shop()
    for (const key of ['a/n.txt', 'b/n.txt']) await double.put(key, TEXT)
    const sources = ['a/n.txt', 'b/n.txt'].map((key) => ({ connection: 'shop', key }))
    const destination = { connection: 'shop', prefix: 'out/' }
    const answer = await sendJson(who, 'POST', '/v1/batch/compress', {
      'sources[]': [...sources, { connection: 'none', key: 'a' }],
      destination,
    })
    const { tasks } = (await answer.json()) as { tasks: TaskView[] }
    expect(tasks).toMatchObject([
      { source: sources[0] },
      { source: sources[1] },
      { status: 'failed', error_detail: { type: 'unknown_connection' } },
    ])
    for (const { task_id: id } of tasks.slice(0, 2)) {
      await compressed(who, id)
      await until(who, id, { delivery: { status: 'delivered' } })
    }
    const stored = [...double.objects.keys()].filter((key) => key.startsWith('out/'))
    expect(stored.sort()).toEqual(['out/n-2.txt.zst', 'out/n.txt.zst'])
  })
})

let shared: Promise<Shop> | undefined
const sharedShop = () => (shared ??= shop())

it.each<[string, string, object]>([
  ['compress', 'source', { source: 'text' }],
  ['compress', 'source', { source: { connection: 'shop' } }],
  ['compress', 'source', { source: { connection: 'shop', key: '' } }],
  ['compress', 'source', { source: { connection: 'shop', key: 'x'.repeat(1025) } }],
  ['compress', 'source', { source: { connection: 'shop', key: '\ud800' } }],
  ['compress', 'source', { source: { connection: '../shop', key: 'a' } }],
  ['compress', 'prefix', { source: { ...SOURCE, prefix: 'a' } }],
  ['compress', 'source', { source: [SOURCE] }],
  ['compress', 'url', { source: SOURCE, url: 'https://files.shop.com/a' }],
  ['compress', 'destination', { source: SOURCE, destination: 'shop' }],
  ['compress', 'destination', { source: SOURCE, destination: { connection: 'shop' } }],
  ['compress', 'destination', { source: SOURCE, destination: { connection: 'shop', key: 'a', prefix: 'b' } }],
  [
    'compress',
    'destination',
    { source: SOURCE, destination: { connection: 'shop', key: 'a' }, destination_url: 'https://files.shop.com/a' },
  ],
  ['compress', 'retention', { source: SOURCE, destination: { connection: 'shop', key: 'a' }, retention: 0, response: 'file' }],
  ['batch/compress', 'key', { 'sources[]': [SOURCE], destination: { connection: 'shop', key: 'a' } }],
  ['batch/compress', 'sources[]', { 'sources[]': ['a'] }],
  ['batch/compress', 'source', { source: SOURCE }],
])('%s refuses a wrong %s (%#)', async (path, param, body) => {
  const { who, double } = await sharedShop()
  const answer = await sendJson(who, 'POST', `/v1/${path}`, body)
  expect([answer.status, await detail(answer)]).toMatchObject([400, { type: 'invalid_parameter', param }])
  expect(double.requests).toEqual([])
})

it('an unknown connection is refused, and nothing is reserved', async () => {
  const { who } = await shop()
  const other = { connection: 'other', key: 'a' }
  for (const body of [{ source: other }, { source: SOURCE, destination: other }]) {
    const answer = await send(who, body)
    expect([answer.status, await detail(answer)]).toMatchObject([404, { type: 'unknown_connection' }])
  }
  expect(await (await call(who, '/v1/tasks')).json()).toMatchObject({ tasks: [] })
  expect(await (await call(who, '/v1/usage')).json()).toMatchObject({ storage_used: 0 })
})

it('repeated requests with an Idempotency-Key return one task, for the same object only', async () => {
  const { who } = await shop()
  const ask = (key: string) =>
    call(who, '/v1/compress', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'one' },
      body: JSON.stringify({ source: { connection: 'shop', key } }),
    })
  const first = (await (await ask('a')).json()) as TaskView
  expect(await (await ask('a')).json()).toMatchObject({ task_id: first.task_id })
  expect((await ask('b')).status).toBe(422)
})

it('names of a batch become distinct without regard to case, and alone stay as they are', () => {
  const names = fc.array(fc.constantFrom('a.txt', 'A.txt', 'a-2.txt', 'a.png', 'b', 'a.nii.gz', 'a'), { maxLength: 12 })
  fc.assert(
    fc.property(names, fc.boolean(), (given, sameExtension) => {
      const keys = nameMarks(given, sameExtension).map((mark, i) => {
        const name = sameExtension ? `${given[i]!.replace(/(\.nii)?\.\w+$/, '')}.webp` : given[i]!
        return destinationKey({ connection: 'shop', prefix: '', ...(mark === undefined ? {} : { mark }) }, name)
      })
      expect(new Set(keys.map((key) => key.toUpperCase())).size).toBe(given.length)
      if (given.length === 1) expect(keys).toEqual(sameExtension ? keys : given)
    }),
  )
  expect(utf8(destinationKey({ connection: 'shop', prefix: '', mark: '-2' }, 'x'.repeat(300))).length).toBeLessThanOrEqual(255)
})
