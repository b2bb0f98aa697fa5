/** Syncs between two buckets, which doubles of S3 hold. */
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { OBJECT_RETRY } from '../../../durable-objects/sync/trouble-judge.ts'
import type { toSyncView } from '../../../src/service/store/syncs.ts'
import { utf8 } from '../../support/bucket-double.ts'
import { HARD_KEYS } from '../../support/bucket-suite.ts'
import { S3Double } from '../../support/s3-double.ts'
import { blobs, call, errorOf, type Member, member, TEXT } from './client.ts'
import { all, reading } from './event-reader.ts'
import { nested } from './nested.ts'

type Sync = ReturnType<typeof toSyncView>

let source: S3Double
let destination: S3Double
let who: Member

async function connect(name: string, double: S3Double): Promise<void> {
  const { type, endpoint, region, bucket, accessKeyId, secretAccessKey } = double.settings
  const keys = { access_key_id: accessKeyId, secret_access_key: secretAccessKey }
  const fields = { type, endpoint, region, bucket, ...keys }
  const headers = { 'content-type': 'application/json' }
  const answer = await call(who, `/v1/connections/${name}`, { method: 'PUT', headers, body: JSON.stringify(fields) })
  expect([answer.status, await answer.text()]).toEqual([200, expect.anything()])
  double.requests.length = 0
}

beforeEach(async () => {
  source = new S3Double({ endpoint: 'https://s3.one.com' })
  destination = new S3Double({ endpoint: 'https://s3.two.com', bucket: 'small' })
  who = await member()
  const send = globalThis.fetch
  vi.spyOn(globalThis, 'fetch').mockImplementation((input, init) => {
    const url = String(input)
    if (url.startsWith(source.settings.endpoint)) return source.fetch(url, init as RequestInit)
    if (url.startsWith(destination.settings.endpoint)) return destination.fetch(url, init as RequestInit)
    return send(input, init)
  })
  await connect('one', source)
  await connect('two', destination)
})
const { pauseMs } = OBJECT_RETRY
afterEach(() => {
  vi.restoreAllMocks()
  OBJECT_RETRY.pauseMs = pauseMs
})

const ORDER = { source: { connection: 'one', prefix: 'in/' }, destination: { connection: 'two', prefix: 'out/' } }

const post = (path: string, body?: object) =>
  call(who, path, { method: 'POST', ...(body ? { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } } : {}) })

async function start(fields: object = {}): Promise<Sync> {
  const answer = await post('/v1/syncs', { ...ORDER, ...fields })
  const sync = (await answer.json()) as Sync
  expect([answer.status, sync.sync_id], JSON.stringify(sync)).toEqual([200, expect.stringMatching(/^syn_/)])
  return sync
}

const read = async (id: string) => (await (await call(who, `/v1/syncs/${id}`)).json()) as Sync

/** Resolves when the sync has one of these states. */
async function reaches(id: string, ...states: Sync['status'][]): Promise<Sync> {
  return vi.waitUntil(
    async () => {
      const sync = await read(id)
      return states.includes(sync.status) && sync
    },
    { timeout: 30_000, interval: 20 },
  )
}

const puts = () => destination.requests.filter((request) => request.startsWith('PUT ')).sort()
const textAt = (key: string) => new TextDecoder().decode(destination.objects.get(key)?.bytes)

it('compresses each object once, copies what it cannot compress, and counts everything', async () => {
  const texts = HARD_KEYS.filter((key) => key.length < 300)
  for (const key of texts) await source.put(`in/${key}`, `${key}\n${TEXT}`)
  await source.put('in/empty.txt', '')
  await source.put('in/noise.bin', utf8('\u0000\u0001\u0002not a known file'), { 'content-type': 'image/x-own' })
  await source.put('elsewhere.txt', TEXT)
  const { sync_id } = await start({ quality: 'high' })
  const done = await reaches(sync_id, 'completed', 'failed')
  const all = texts.length + 2
  expect(done).toMatchObject({
    status: 'completed',
    found: all,
    skipped: 0,
    failed: 0,
    unchanged: 2,
  })
  expect(done.compressed + done.unchanged).toBe(all)
  expect(done.errors).toEqual([])
  const written = [...destination.objects.keys()]
  expect(written).toHaveLength(all)
  expect(written.every((key) => key.startsWith('out/'))).toBe(true)
  expect(puts()).toEqual([...new Set(puts())])
  expect(done.compressed_size).toBe([...destination.objects.values()].reduce((sum, { bytes }) => sum + bytes.length, 0))
  expect(destination.objects.get('out/noise.bin')?.headers['content-type']).toBe('image/x-own')
  expect(textAt('out/noise.bin')).toBe('\u0000\u0001\u0002not a known file')
  await vi.waitUntil(async () => (await blobs()).length === 0, { timeout: 30_000 })
  expect(await (await call(who, '/v1/tasks')).json()).toMatchObject({ tasks: [] })
})

it('skips what an earlier sync has written, unless the source, the result or the options changed', async () => {
  for (const name of ['a', 'b', 'c']) await source.put(`in/${name}.txt`, `${name}\n${TEXT}`)
  await reaches((await start()).sync_id, 'completed')
  const first = [...destination.objects.keys()].find((key) => key.startsWith('out/a.txt')) ?? ''
  expect(puts()).toHaveLength(3)
  expect(await reaches((await start()).sync_id, 'completed')).toMatchObject({ found: 3, skipped: 3, compressed: 0 })
  expect(puts()).toHaveLength(3)
  await source.put('in/b.txt', `another\n${TEXT}`)
  destination.objects.delete(first)
  expect(await reaches((await start()).sync_id, 'completed')).toMatchObject({ found: 3, skipped: 1, compressed: 2 })
  expect(await reaches((await start({ format: 'gz' })).sync_id, 'completed')).toMatchObject({ found: 3, skipped: 0, compressed: 3 })
  const list = (await (await call(who, '/v1/syncs?limit=3')).json()) as { syncs: Sync[]; next_cursor: string }
  expect(list.syncs.map(({ skipped }) => skipped)).toEqual([0, 1, 3])
  expect(await (await call(who, `/v1/syncs?cursor=${list.next_cursor}`)).json()).toMatchObject({
    syncs: [{ skipped: 0 }],
    next_cursor: null,
  })
})

it('estimates without making anything', async () => {
  for (const name of ['a.txt', 'b.txt', 'c.jpg', 'd']) await source.put(`in/${name}`, TEXT)
  const done = await reaches((await start({ dry_run: true })).sync_id, 'completed')
  expect(done).toMatchObject({ dry_run: true, found: 4, skipped: 0, compressed: 0, unchanged: 0, compressed_size: 0 })
  expect(done.estimates.map(({ format, objects, basis }) => [format, objects, basis])).toEqual([
    ['text', 2, 'typical'],
    ['jpg', 1, 'typical'],
    ['unknown', 1, 'typical'],
  ])
  expect(done.estimated_size).toBeLessThan(4 * TEXT.length)
  expect(done.estimated_cpu_seconds).toBeGreaterThanOrEqual(0)
  expect([destination.requests, source.requests]).toEqual([[], ['GET']])
})

it('waits while a bucket is busy, and does not write twice what has arrived', async () => {
  OBJECT_RETRY.pauseMs = 50
  for (const name of ['a', 'b']) await source.put(`in/${name}.txt`, `${name}\n${TEXT}`)
  destination.trouble = (request) => (request.method === 'PUT' ? new Response(null, { status: 503 }) : undefined)
  const { sync_id } = await start()
  const paused = await reaches(sync_id, 'paused')
  expect(paused).toMatchObject({ reason: { type: 'busy' }, found: 2, compressed: 0, next_try_at: expect.any(String) })
  // The first object arrives, but its answer does not.
  const arrived: string[] = []
  const lose = async (request: Request, key: string) => {
    await destination.put(key, new Uint8Array(await request.arrayBuffer()))
    throw new TypeError('The connection was lost.')
  }
  destination.trouble = (request, key) => {
    if (request.method !== 'PUT') return undefined
    return arrived.push(key) === 1 ? lose(request, key) : undefined
  }
  const resume = () => post(`/v1/syncs/${sync_id}/resume`)
  expect((await resume()).status).toBe(200)
  await vi.waitUntil(async () => arrived.length > 0 && (await read(sync_id)).status !== 'running', { timeout: 30_000, interval: 20 })
  await resume()
  expect(await reaches(sync_id, 'completed')).toMatchObject({ found: 2, compressed: 2, failed: 0 })
  expect(arrived.sort()).toEqual(['out/a.txt.zst', 'out/b.txt.zst'])
})

it('stops when the credentials are revoked, and goes on with new ones', async () => {
  for (const name of ['a', 'b', 'c']) await source.put(`in/${name}.txt`, `${name}\n${TEXT}`)
  destination.trouble = (request) => {
    if (request.method === 'PUT') destination.isAuthorised = false
    return undefined
  }
  const { sync_id } = await start()
  const failed = await reaches(sync_id, 'failed')
  expect(failed).toMatchObject({ reason: { type: 'unauthorised', message: expect.stringContaining("'two'") }, failed: 0 })
  expect(await (await post(`/v1/syncs/${sync_id}/resume`)).json()).toMatchObject({ status: 'running' })
  await reaches(sync_id, 'failed')
  destination.trouble = undefined
  destination.isAuthorised = true
  await post(`/v1/syncs/${sync_id}/resume`)
  expect(await reaches(sync_id, 'completed', 'failed')).toMatchObject({ status: 'completed', found: 3, compressed: 3 })
  expect(await errorOf(await post(`/v1/syncs/${sync_id}/resume`))).toMatchObject({ error_detail: { type: 'not_resumable' } })
})

it('goes on past objects that are too large, closed, gone or of a name that is taken', async () => {
  who = await member({ plan: 'free' })
  await connect('one', source)
  await connect('two', destination)
  await source.put('in/a.txt', TEXT)
  await source.put('in/a.txt.gz', 'a copy would get the key of the result')
  await source.put('in/closed.txt', TEXT)
  await source.put('in/gone.txt', TEXT)
  await source.put('in/large.txt', new Uint8Array(20_000_001))
  source.trouble = (request, key) => {
    if (request.method === 'GET' && key === 'in/closed.txt')
      return new Response('<Error><Code>InvalidObjectState</Code></Error>', { status: 403 })
    return request.method === 'GET' && key === 'in/gone.txt' ? new Response(null, { status: 404 }) : undefined
  }
  const done = await reaches((await start({ format: 'gz' })).sync_id, 'completed')
  expect(done).toMatchObject({ found: 5, failed: 4 })
  expect(done.compressed + done.unchanged).toBe(1)
  expect(Object.fromEntries(done.errors.map(({ key, type }) => [key, type]))).toEqual({
    [textAt('out/a.txt.gz').startsWith('a copy') ? 'in/a.txt' : 'in/a.txt.gz']: 'target_taken',
    'in/closed.txt': 'unauthorised',
    'in/gone.txt': 'missing_object',
    'in/large.txt': 'file_too_large',
  })
})

it('cancels, and leaves no task behind', async () => {
  for (let i = 0; i < 5; i++) await source.put(`in/${i}.txt`, `${i}\n${TEXT}`)
  destination.trouble = (request) => (request.method === 'PUT' ? new Response(null, { status: 503 }) : undefined)
  const { sync_id } = await start()
  expect(await errorOf(await post('/v1/syncs', ORDER))).toMatchObject({ error_detail: { type: 'sync_running', sync_id } })
  await reaches(sync_id, 'paused')
  expect(await (await call(who, `/v1/syncs/${sync_id}`, { method: 'DELETE' })).json()).toMatchObject({ status: 'cancelled' })
  await vi.waitUntil(async () => ((await (await call(who, '/v1/tasks')).json()) as { tasks: unknown[] }).tasks.length === 0, {
    timeout: 30_000,
  })
  await vi.waitUntil(async () => (await blobs()).length === 0, { timeout: 30_000 })
  destination.trouble = undefined
  expect(await reaches((await start()).sync_id, 'completed')).toMatchObject({ found: 5, compressed: 5 })
})

const listen = (id: string, lastEventId = '') => call(who, `/v1/syncs/${id}/events`, { headers: { 'Last-Event-ID': lastEventId } })

it('sends its figures as events until it ends, and its end once', async () => {
  for (let i = 0; i < 3; i++) await source.put(`in/${i}.txt`, `${i}\n${TEXT}`)
  destination.trouble = (request) => (request.method === 'PUT' ? new Response(null, { status: 503 }) : undefined)
  const { sync_id } = await start()
  const answer = await listen(sync_id)
  expect(answer.headers.get('Content-Type')).toBe('text/event-stream; charset=utf-8')
  const { next } = reading(answer)
  let event = await next()
  while (event?.data['status'] !== 'paused') {
    expect(event).toMatchObject({ name: 'progress', id: expect.stringMatching(/^\d+\.0$/), data: { sync_id } })
    event = await next()
  }
  expect(event.data).toMatchObject({ found: 3, compressed: 0, reason: { type: 'busy' } })
  destination.trouble = undefined
  await post(`/v1/syncs/${sync_id}/resume`)
  while (event?.name === 'progress') event = await next()
  expect(event).toMatchObject({ name: 'completed', data: await read(sync_id) })
  expect(await next()).toBeUndefined()
  expect((await listen(sync_id, event?.id)).status).toBe(204)
  expect((await all(await listen(sync_id))).map(({ name }) => name)).toEqual(['completed'])
  const head = await call(who, `/v1/syncs/${sync_id}/events`, { method: 'HEAD' })
  expect([head.status, head.body, head.headers.get('Content-Type')]).toEqual([200, null, 'text/event-stream; charset=utf-8'])
})

it('sends the second end of a sync that was resumed', async () => {
  await source.put('in/a.txt', TEXT)
  destination.isAuthorised = false
  const { sync_id } = await start()
  const [first] = (await all(await listen(sync_id))).slice(-1)
  expect(first).toMatchObject({ name: 'failed', data: { reason: { type: 'unauthorised' } } })
  await post(`/v1/syncs/${sync_id}/resume`)
  const events = await all(await listen(sync_id, first!.id))
  expect(events.at(-1)).toMatchObject({ name: 'failed', data: await read(sync_id) })
  await post(`/v1/syncs/${sync_id}/resume`)
  await call(who, `/v1/syncs/${sync_id}`, { method: 'DELETE' })
  expect((await all(await listen(sync_id))).at(-1)?.name).toMatch(/^(cancelled|failed)$/)
})

const REFUSED: [what: string, fields: object, status: number, type: string][] = [
  ['an unknown connection', { source: { connection: 'three', prefix: '' } }, 404, 'unknown_connection'],
  ['the same place', { destination: ORDER.source }, 400, 'invalid_parameter'],
  ['a place inside the source', { destination: { connection: 'one', prefix: 'in/small/' } }, 400, 'invalid_parameter'],
  ['a place around the source', { destination: { connection: 'one', prefix: '' } }, 400, 'invalid_parameter'],
  ['an unknown field', { delete: true }, 400, 'invalid_parameter'],
  ['an unknown field of a place', { source: { connection: 'one', prefix: '', region: 'x' } }, 400, 'invalid_parameter'],
  ['a field that has no meaning here', { target_size: 10 }, 400, 'invalid_parameter'],
  ['a wrong quality', { quality: 'best' }, 400, 'invalid_parameter'],
  ['no source', { source: undefined }, 400, 'invalid_parameter'],
  ['a prefix that is no text', { source: { connection: 'one', prefix: '\ud800' } }, 400, 'invalid_parameter'],
]

it('refuses unknown connections, overlapping places, and fields that have no meaning here', async () => {
  for (const [what, fields, status, type] of REFUSED) {
    const answer = await post('/v1/syncs', { ...ORDER, ...fields })
    expect([answer.status, (await errorOf(answer)).error_detail.type], what).toEqual([status, type])
  }
})

it('says that the credentials of a connection cannot be read (unreadable-credentials)', async () => {
  const { connections } = nested(env.ACCOUNTS.getByName(who.accountId))
  await connections.put({ ...(await connections.find('one'))!, sealed: new Uint8Array(60) })
  const answer = await post('/v1/syncs', ORDER)
  expect([answer.status, (await errorOf(answer)).error_detail]).toMatchObject([
    400,
    { type: 'connection_failed', reason: 'unreadable_credentials' },
  ])
})

it('shows a sync only to its account', async () => {
  const { sync_id } = await start({ dry_run: true })
  who = await member()
  for (const [path, method] of [
    ['', 'GET'],
    ['', 'DELETE'],
    ['/events', 'GET'],
    ['/resume', 'POST'],
  ] as const)
    expect((await call(who, `/v1/syncs/${sync_id}${path}`, { method })).status).toBe(404)
})
