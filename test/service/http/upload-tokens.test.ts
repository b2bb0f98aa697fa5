/** Tests of browser tokens: what they allow, where from, how long and how often. */
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { hashKey } from '../../../src/service/store/key-format.ts'
import type { TaskView } from '../../../src/service/store/task.ts'
import { gateOfToken } from '../../../src/service/store/token-format.ts'
import { call, compress, done, errorOf, form, type Member, member, TEXT } from './client.ts'
import { idOf, Tus } from './tus.ts'

const ORIGIN = 'https://app.example.com'
const BYTES = new Uint8Array(new TextEncoder().encode(TEXT))

const send = (who: Member, body: unknown, headers: Record<string, string> = {}) =>
  call(who, '/v1/upload-tokens', {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'Content-Type': 'application/json', ...headers },
  })

async function token(who: Member, fields: Record<string, unknown> = {}): Promise<string> {
  const answer = await send(who, { origin: ORIGIN, ...fields })
  if (answer.status !== 200) throw new Error(await answer.text())
  return ((await answer.json()) as { token: string }).token
}

/** Someone who has a token instead of the key. */
const holder = async (who: Member, fields: Record<string, unknown> = {}): Promise<Member> => ({ ...who, key: await token(who, fields) })

/** Sends a request as a page of `origin`. */
const page = (who: Member, path: string, init: RequestInit = {}, origin = ORIGIN) =>
  call(who, path, { ...init, headers: { Origin: origin, ...(init.headers as Record<string, string>) } })

const put = (who: Member, content: string | Uint8Array = TEXT, fileName = 'a.txt', fields: Record<string, string> = {}) =>
  compress(who, content, fileName, fields, { Origin: ORIGIN })

const refusal = async (answer: Response) => {
  const { type, reason } = (await errorOf(answer)).error_detail
  return [answer.status, type, reason]
}
const NOT = (reason: string) => [403, 'token_not_allowed', reason]

class PageTus extends Tus {
  override request(method: string, path: string, headers: Record<string, string>, body?: BodyInit) {
    return super.request(method, path, { Origin: ORIGIN, ...headers }, body)
  }
}

describe('a browser token', () => {
  it('compresses a file, and reads its task, result, events and receipt', async () => {
    const who = await member()
    const mine = await holder(who)
    const answer = await put(mine)
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe(ORIGIN)
    expect(answer.headers.get('Vary')).toContain('Origin')
    const task = (await answer.json()) as TaskView
    expect(task.status).toBe('completed')
    const path = `/v1/tasks/${task.task_id}`
    for (const part of ['', '/download', '/receipt']) expect((await page(mine, path + part)).status, part).toBe(200)
    const events = await page(mine, path, { headers: { Accept: 'text/event-stream' } })
    expect(await events.text()).toContain('event: completed')
    expect((await call(who, path)).status, 'the key sees the task').toBe(200)
  })

  it('is shown once and stored as a hash', async () => {
    const text = await token(await member())
    expect(text).toMatch(/^wut_[\w-]{43}\.[0-9A-Za-z]{30}$/)
    const gate = env.KEY_GATES.getByName(gateOfToken(text)!)
    expect(await gate.enterWithToken(text, { origin: ORIGIN, purpose: 'own' })).toEqual({ kind: 'unknown' })
  })

  it.each([
    ['another origin', 'https://evil.example.com'],
    ['http', 'http://app.example.com'],
    ['a longer host', 'https://app.example.com.evil.test'],
    ['another port', 'https://app.example.com:8443'],
    ['the origin null', 'null'],
  ])('is refused from %s, and that page cannot read the answer', async (_, origin) => {
    const answer = await page(
      await holder(await member()),
      '/v1/compress',
      { method: 'POST', body: form({}, [['file', TEXT, 'a.txt']]) },
      origin,
    )
    expect(answer.headers.has('Access-Control-Allow-Origin')).toBe(false)
    expect(await refusal(answer)).toEqual(NOT('origin'))
  })

  it('is refused without an origin, unless the browser says that the page is of this service', async () => {
    const who = await member()
    const mine = await holder(who)
    expect(await refusal(await compress(mine))).toEqual(NOT('origin'))
    const own = await holder(who, { origin: 'http://127.0.0.1' })
    const task = (await (await compress(own, TEXT, 'a.txt', {}, { Origin: 'http://127.0.0.1' })).json()) as TaskView
    const read = (site: string) => call(own, `/v1/tasks/${task.task_id}`, { headers: { 'Sec-Fetch-Site': site } })
    expect((await read('same-origin')).status).toBe(200)
    expect((await read('cross-site')).status).toBe(403)
  })

  it('allows no other request', async () => {
    const who = await member()
    const other = await done(who)
    const mine = await holder(who)
    const json = { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }
    const requests: [string, RequestInit?][] = [
      ['/v1/tasks'],
      ['/v1/usage'],
      ['/v1/formats'],
      ['/v1/presets/web'],
      [`/v1/tasks/${other.task_id}`, { method: 'DELETE' }],
      [`/v1/tasks/${other.task_id}/links`, json],
      ['/v1/upload-tokens', json],
      ['/v1/batch/compress', { method: 'POST', body: form({}, [['files[]', TEXT, 'a.txt']]) }],
      ['/v1/nothing'],
    ]
    for (const [path, init] of requests) expect(await refusal(await page(mine, path, init)), path).toEqual(NOT('request'))
    for (const part of ['', '/download', '/receipt'])
      expect(await refusal(await page(mine, `/v1/tasks/${other.task_id}${part}`)), part).toEqual(NOT('task'))
  })

  it.each([
    ['url', 'https://files.example.com/a.txt'],
    ['callback_url', 'https://hooks.example.com/x'],
    ['destination_url', 'https://bucket.example.com/x'],
    ['source', '{"connection":"shop","key":"a"}'],
    ['destination', '{"connection":"shop","key":"a"}'],
  ])('does not let a page choose %s', async (name, value) => {
    const files: [string, string, string][] = name === 'url' || name === 'source' ? [] : [['file', TEXT, 'a.txt']]
    const answer = await page(await holder(await member()), '/v1/compress', { method: 'POST', body: form({ [name]: value }, files) })
    expect(await refusal(answer)).toEqual(NOT('field'))
  })
})

describe('files of a browser token', () => {
  it('that are refused do not use it up', async () => {
    const mine = await holder(await member(), { max_bytes: BYTES.length, formats: ['text', 'png'], quality: 'low' })
    expect(await refusal(await put(mine, `${TEXT}!`))).toEqual(NOT('max_bytes'))
    expect(await refusal(await put(mine, '<svg xmlns="http://www.w3.org/2000/svg"/>', 'a.png'))).toEqual(NOT('formats'))
    expect(await refusal(await put(mine, TEXT, 'a.txt', { quality: 'high' }))).toEqual(NOT('quality'))
    expect(await refusal(await put(mine, TEXT, 'a.txt', { target_size: '100' }))).toEqual(NOT('quality'))
    expect((await put(mine, '')).status).toBe(400)
    expect((await put(mine, TEXT, 'a.txt', { format: 'mp4' })).status).toBe(400)
    const answer = await put(mine)
    expect([answer.status, ((await answer.json()) as TaskView).quality]).toEqual([200, 'low'])
    expect(await refusal(await put(mine))).toEqual(NOT('max_files'))
  })

  it('are never more than it allows when they arrive at the same time', async () => {
    const who = await member()
    const mine = await holder(who, { max_files: 2 })
    const answers = await Promise.all(Array.from({ length: 6 }, () => put(mine)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 403, 403, 403, 403])
    expect(await (await call(who, '/v1/usage')).json()).toMatchObject({ tasks_completed: 2, api_calls: 8 })
  })

  it('are counted once if a request is repeated with its Idempotency-Key, which other callers do not share', async () => {
    const who = await member()
    const key = { 'Idempotency-Key': 'same' }
    const own = (await (await compress(who, TEXT, 'a.txt', {}, key)).json()) as TaskView
    const mine = await holder(who, { max_files: 2 })
    const repeated = () => compress(mine, TEXT, 'a.txt', {}, { ...key, Origin: ORIGIN }).then((answer) => answer.json<TaskView>())
    const first = await repeated()
    expect(first.task_id).not.toBe(own.task_id)
    expect((await repeated()).task_id).toBe(first.task_id)
    expect((await put(mine)).status).toBe(200)
    expect(await refusal(await put(mine))).toEqual(NOT('max_files'))
  })

  it('whose request was interrupted before the task existed are given back after a minute', async () => {
    const who = await member()
    const mine = await holder(who)
    const gate = env.KEY_GATES.getByName(gateOfToken(mine.key)!)
    const id = await hashKey(mine.key)
    expect(await gate.claimTokenFile(id, 'tsk_000000000000000000000001')).toBe(true)
    expect(await gate.claimTokenFile(id, 'tsk_000000000000000000000001'), 'a repeated claim').toBe(true)
    expect(await refusal(await put(mine))).toEqual(NOT('max_files'))
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      vi.setSystemTime(Date.now() + 61_000)
      expect((await put(mine)).status).toBe(200)
      expect(await refusal(await put(mine))).toEqual(NOT('max_files'))
    } finally {
      vi.useRealTimers()
    }
  })

  it('whose request was interrupted after the task existed stay counted', async () => {
    const who = await member()
    const { task_id } = await done(who)
    const mine = await holder(who)
    expect(await env.KEY_GATES.getByName(gateOfToken(mine.key)!).claimTokenFile(await hashKey(mine.key), task_id)).toBe(true)
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      vi.setSystemTime(Date.now() + 61_000)
      expect(await refusal(await put(mine))).toEqual(NOT('max_files'))
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('resumable uploads with a browser token', () => {
  it('become a task that the token reads, and count as one file', async () => {
    const who = await member()
    const mine = await holder(who, { max_bytes: BYTES.length, quality: 'low' })
    const tus = new PageTus(mine)
    expect(await refusal(await tus.create(BYTES.length + 1, { filename: 'a.txt' }))).toEqual(NOT('max_bytes'))
    expect(await refusal(await tus.create(BYTES.length, { filename: 'a.txt', quality: 'high' }))).toEqual(NOT('quality'))
    const id = await tus.begun(BYTES.length, { filename: 'a.txt', compress: '' })
    expect(await refusal(await tus.create(1, { filename: 'b.txt' }))).toEqual(NOT('max_files'))
    expect(await tus.offset(id)).toBe(0)
    const last = await tus.patch(id, 0, BYTES)
    const taskId = last.headers.get('Whittle-Task')!
    expect(last.status).toBe(204)
    expect(await (await page(mine, `/v1/tasks/${taskId}`)).json()).toMatchObject({ task_id: taskId, quality: 'low' })
    expect(await refusal(await put(mine))).toEqual(NOT('max_files'))
  })

  it('can be compressed by name', async () => {
    const mine = await holder(await member())
    const id = await new PageTus(mine).whole(BYTES)
    const body = JSON.stringify({ upload: id })
    const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json' } }
    expect((await page(mine, '/v1/compress', init)).status).toBe(200)
    expect(await refusal(await page(mine, '/v1/compress', init))).toEqual(NOT('max_files'))
  })

  it('give their file back when they are cancelled or refused', async () => {
    const mine = await holder(await member(), { formats: ['png'] })
    const tus = new PageTus(mine)
    expect((await tus.remove(await tus.begun(BYTES.length))).status).toBe(204)
    const id = await tus.begun(BYTES.length, { filename: 'a.txt', compress: '' })
    const taskId = (await tus.patch(id, 0, BYTES)).headers.get('Whittle-Task')
    expect(await (await page(mine, `/v1/tasks/${taskId}`)).json()).toMatchObject({ status: 'failed', error_detail: { reason: 'formats' } })
    expect((await tus.create(10, { filename: 'b.png' })).status).toBe(201)
  })

  it('of the key and of other tokens cannot be seen, continued, used or cancelled', async () => {
    const who = await member()
    const other = await new Tus(who).begun(BYTES.length)
    const mine = await holder(who)
    const tus = new PageTus(mine)
    for (const answer of [await tus.head(other), await tus.patch(other, 0, BYTES), await tus.remove(other)]) expect(answer.status).toBe(404)
    const body = JSON.stringify({ upload: other })
    const used = await page(mine, '/v1/compress', { method: 'POST', body, headers: { 'Content-Type': 'application/json' } })
    expect((await errorOf(used)).error_detail.type).toBe('unknown_upload')
    expect((await new Tus(who).patch(other, 0, BYTES)).status, 'the key continues').toBe(204)
  })

  it('of a token are used by the key', async () => {
    const who = await member()
    const id = idOf(await new PageTus(await holder(who)).create(BYTES.length, { filename: 'a.txt' }))
    expect((await new Tus(who).patch(id, 0, BYTES)).status).toBe(204)
  })
})

describe('a browser token ends', () => {
  it('after its time', async () => {
    const mine = await holder(await member(), { expires_in: 60 })
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      vi.setSystemTime(Date.now() + 60_000)
      expect(await refusal(await put(mine))).toEqual([401, 'expired_key', undefined])
    } finally {
      vi.useRealTimers()
    }
  })

  it('when its key is disabled or loses the scope', async () => {
    const who = await member()
    const mine = await holder(who)
    const account = env.ACCOUNTS.getByName(who.accountId)
    const [{ keys } = { keys: [] }] = await account.applications()
    const { keyId } = keys[0]!.summary
    await account.updateKey(keyId, { scopes: ['compress'] })
    expect(await refusal(await put(mine))).toEqual([403, 'missing_scope', undefined])
    await account.updateKey(keyId, { scopes: ['tokens'], state: 'disabled' })
    expect(await refusal(await put(mine))).toEqual([401, 'disabled_key', undefined])
    await account.updateKey(keyId, { state: 'active' })
    expect((await put(mine)).status).toBe(200)
  })

  it('and shares the rate limit of its key until then', async () => {
    const who = await member({ plan: 'free' })
    const mine = await holder(who, { max_files: 20 })
    for (let i = 0; i < 9; i++) expect((await put(mine)).status).toBe(200)
    const answer = await put(mine)
    expect([answer.status, answer.headers.get('Access-Control-Allow-Origin')]).toEqual([429, ORIGIN])
    expect((await call(who, '/v1/usage')).status).toBe(429)
  })
})

describe('POST /v1/upload-tokens', () => {
  it.each([
    [{ expires_in: 0 }],
    [{ expires_in: 86_401 }],
    [{ expires_in: 'soon' }],
    [{ max_files: 0 }],
    [{ max_files: 1001 }],
    [{ max_bytes: -1 }],
    [{ quality: 'best' }],
    [{ formats: 'jpg' }],
    [{ formats: [] }],
    [{ formats: ['exe'] }],
    [{ origin: 'not an origin' }],
    [{ origin: 'https://app.example.com/' }],
    [{ origin: 'https://app.example.com/path' }],
    [{ origin: 'https://app.example.com:443' }],
    [{ origin: 'https://user@app.example.com' }],
    [{ origin: 'http://app.example.com' }],
    [{ origin: 'null' }],
    [{ origin: '*' }],
    [{ origin: undefined }],
    [{ password: 'secret' }],
  ])('refuses %j', async (fields) => {
    const answer = await send(await member(), { origin: ORIGIN, ...fields })
    expect(await refusal(answer)).toEqual([400, 'invalid_parameter', undefined])
  })

  it('allows pages on the own machine without https', async () => {
    expect((await send(await member(), { origin: 'http://localhost:3000' })).status).toBe(200)
  })

  it('needs the scope `tokens`, and nothing else', async () => {
    const answer = await send(await member({ scopes: ['compress', 'tasks:read'] }), { origin: ORIGIN })
    expect((await errorOf(answer)).error_detail).toMatchObject({ type: 'missing_scope', scope: 'tokens' })
    expect((await put(await holder(await member({ scopes: ['tokens'] })))).status).toBe(200)
  })

  it.each([['wut_'], [`wut_${'A'.repeat(40)}`], [`wut_${'A'.repeat(43)}.${'A'.repeat(30)}`]])('never made %s', async (key) => {
    expect(await refusal(await put({ ...(await member()), key }))).toEqual([401, 'invalid_key', undefined])
  })

  it('makes a token of which no character can be changed', async () => {
    const mine = await holder(await member())
    const last = mine.key.at(-1) === 'a' ? 'b' : 'a'
    expect((await put({ ...mine, key: mine.key.slice(0, -1) + last })).status).toBe(401)
  })

  it('does not exist for a session of the console', async () => {
    expect((await call(undefined, '/console/api/v1/upload-tokens', { method: 'POST', body: '{}' })).status).toBe(404)
  })
})
