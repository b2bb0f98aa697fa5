/** Guests of the front page: tokens without an account, limits by address, and what a guest may do. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import edge from '../../../src/index.ts'
import type { Env } from '../../../src/service/env.ts'
import { GUEST_ACCOUNT, GUEST_FILES, GUEST_LIMITS, GUEST_WINDOW_MS } from '../../../src/service/store/guests.ts'
import { idPattern } from '../../../src/service/store/ids.ts'
import { PLANS } from '../../../src/service/store/plans.ts'
import type { TaskView } from '../../../src/service/store/task.ts'
import { networkOf } from '../../../src/service/tasks/guests.ts'
import { BASE, blobs, call, errorOf, form, compress as put, TEXT } from './client.ts'

const ORIGIN = 'https://whittle.example.com'
const ON: Partial<Env> = { PUBLIC_URL: ORIGIN }
let next = 0
/** Address that no other test uses. */
const newAddress = () => `198.51.${++next >> 8}.${next & 255}`

interface Visitor {
  readonly address: string
  readonly token?: string
}

async function send({ address, token }: Visitor, path: string, init: RequestInit = {}, change = ON): Promise<Response> {
  const headers = new Headers({ Origin: ORIGIN, 'CF-Connecting-IP': address, ...(init.headers as Record<string, string>) })
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
  const request = new Request(`${ORIGIN}${path}`, { ...init, headers }) as Parameters<typeof edge.fetch>[0]
  const context = createExecutionContext()
  const answer = await edge.fetch(request, { ...(env as unknown as Env), ...change }, context)
  await waitOnExecutionContext(context)
  return answer
}

const ask = (address: string, headers: Record<string, string> = {}, change = ON) =>
  send({ address }, '/guests', { method: 'POST', headers }, change)

async function guest(address = newAddress()): Promise<Visitor> {
  const answer = await ask(address)
  if (answer.status !== 200) throw new Error(await answer.text())
  return { address, token: ((await answer.json()) as { token: string }).token }
}

const compress = (who: Visitor, content: string | Uint8Array = TEXT, fileName = 'a.txt', fields: Record<string, string> = {}) =>
  send(who, '/v1/compress', { method: 'POST', body: form(fields, [['file', content, fileName]]), headers: { Prefer: 'wait=30' } })

const typeOf = async (answer: Response) => [answer.status, (await errorOf(answer)).error_detail.type]

afterEach(() => void vi.useRealTimers())

it('is off unless the operator switches it on', async () => {
  const off = { ...ON, GUESTS: '' }
  expect(await (await send({ address: newAddress() }, '/guests', {}, off)).json()).toEqual({ guests: null })
  expect(await typeOf(await ask(newAddress(), {}, off))).toEqual([404, 'unknown_route'])
  const who = await guest()
  const answer = await send(who, '/v1/compress', { method: 'POST', body: form({}, [['file', TEXT, 'a.txt']]) }, off)
  expect(await typeOf(answer), 'a token from before it was switched off').toEqual([401, 'invalid_key'])
})

describe('a guest', () => {
  it('compresses a file, and reads its result, events and signed receipt', async () => {
    expect(await (await send({ address: newAddress() }, '/guests')).json()).toEqual({
      guests: { max_bytes: 20_000_000, kept_seconds: 3600 },
    })
    const who = await guest()
    const task = (await (await compress(who)).json()) as TaskView
    expect(task.status).toBe('completed')
    expect(Date.parse(task.expires_at!) - Date.parse(task.completed_at!)).toBeLessThanOrEqual(3_600_000)
    for (const part of ['', '/download', '/receipt']) expect((await send(who, `/v1/tasks/${task.task_id}${part}`)).status, part).toBe(200)
  })

  it('gets events of its task', async () => {
    const page = { Origin: BASE }
    const made = await call(undefined, '/guests', { method: 'POST', headers: page })
    const who = { accountId: GUEST_ACCOUNT, key: ((await made.json()) as { token: string }).token }
    const task = (await (await put(who, TEXT, 'a.txt', {}, page)).json()) as TaskView
    const events = await call(who, `/v1/tasks/${task.task_id}`, { headers: { ...page, Accept: 'text/event-stream' } })
    expect(await events.text()).toContain('event: completed')
  })

  it('waits for accounts: its tasks are never quick, and its account is above its CPU time', async () => {
    const who = await guest()
    const answer = await send(who, '/v1/compress', { method: 'POST', body: form({}, [['file', TEXT, 'a.txt']]) })
    const task = (await answer.json()) as TaskView
    expect(task.status, 'a small text of an account would be completed').toBe('pending')
    const stored = await env.TASKS.getByName(task.task_id).read()
    expect(stored).toMatchObject({ accountId: GUEST_ACCOUNT, lane: 'slow' })
    expect(await env.ACCOUNTS.getByName(GUEST_ACCOUNT).queuePlace(task.task_id)).toEqual({ granted: true, low: true })
  })

  it('reads no task of another guest, and of no account', async () => {
    const [one, other] = [await guest(), await guest()]
    const task = (await (await compress(one)).json()) as TaskView
    for (const part of ['', '/download', '/receipt'])
      expect(await typeOf(await send(other, `/v1/tasks/${task.task_id}${part}`)), part).toEqual([403, 'token_not_allowed'])
    for (const path of ['/v1/tasks', '/v1/usage', '/v1/formats']) expect((await send(one, path)).status, path).toBe(403)
  })

  it.each(['url', 'source', 'callback_url', 'destination_url', 'destination'])('may not use %s', async (name) => {
    const body = form({ [name]: 'https://example.com/a' }, [])
    expect(await typeOf(await send(await guest(), '/v1/compress', { method: 'POST', body }))).toEqual([403, 'token_not_allowed'])
  })

  it('keeps results for an hour at most', async () => {
    expect(await typeOf(await compress(await guest(), TEXT, 'a.txt', { retention: '3601' }))).toEqual([400, 'invalid_parameter'])
  })

  it('sends small files only, and no resumable uploads', async () => {
    const before = await blobs()
    const large = new Uint8Array(PLANS.guest.maxFileBytes + 1)
    expect(await typeOf(await compress(await guest(), large, 'a.bin', { format: 'zst' }))).toEqual([400, 'file_too_large'])
    const upload = await send(await guest(), '/v1/uploads', {
      method: 'POST',
      headers: { 'Tus-Resumable': '1.0.0', 'Upload-Length': '10' },
    })
    expect(await typeOf(upload)).toEqual([403, 'token_not_allowed'])
    expect(await blobs()).toEqual(before)
  })

  it('has a few files for each token, and a few tokens for each address and hour', async () => {
    const who = await guest()
    for (let i = 0; i < GUEST_FILES; i++) expect((await compress(who, `${TEXT}${i}`)).status).toBe(200)
    expect(await typeOf(await compress(who))).toEqual([403, 'token_not_allowed'])
    for (let i = 1; i < GUEST_LIMITS.tokens; i++) await guest(who.address)
    const refused = await ask(who.address)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('Retry-After'))).toBeGreaterThan(3500)
    expect((await ask(newAddress())).status, 'another address').toBe(200)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + GUEST_WINDOW_MS })
    expect((await ask(who.address)).status, 'an hour later').toBe(200)
  })

  it('sends a bounded number of bytes, refused files included', async () => {
    const who = await guest()
    const bytes = String(GUEST_LIMITS.bytes / 2)
    const body = () => form({}, [['file', new Uint8Array(100), 'a.bin']])
    const announced = () => send(who, '/v1/compress', { method: 'POST', body: body(), headers: { 'Content-Length': bytes } })
    for (let i = 0; i < 2; i++) expect((await announced()).status).toBe(400)
    expect(await typeOf(await announced())).toEqual([429, 'rate_limited'])
  })
})

it.each([
  ['another origin', { Origin: 'https://evil.example.com' }],
  ['the origin null', { Origin: 'null' }],
  ['a longer host', { Origin: `${ORIGIN}.evil.test` }],
])('makes no token for %s, and its page cannot read the answer', async (_, headers) => {
  const answer = await ask(newAddress(), headers)
  expect(answer.headers.has('Access-Control-Allow-Origin')).toBe(false)
  expect(await typeOf(answer)).toEqual([403, 'token_not_allowed'])
})

it('counts no address without a public URL, where all clients are on this machine', async () => {
  const local = () => call(undefined, '/guests', { method: 'POST', headers: { Origin: BASE } })
  for (let i = 0; i <= GUEST_LIMITS.tokens; i++) expect((await local()).status).toBe(200)
})

it('ends guests when the operator disables their account', async () => {
  await guest()
  const account = env.ACCOUNTS.getByName(GUEST_ACCOUNT)
  await account.update({ state: 'disabled' })
  expect(await typeOf(await ask(newAddress()))).toEqual([404, 'unknown_route'])
  await account.update({ state: 'active' })
  expect((await ask(newAddress())).status).toBe(200)
})

it('has an account id like any other', () => expect(GUEST_ACCOUNT).toMatch(idPattern('acc')))

it.each([
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['2001:0db8::1', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['', ''],
])('counts %s as the network %s', (address, network) => expect(networkOf(address)).toBe(network))
