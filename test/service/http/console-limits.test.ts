/** Tests that the console cannot exceed the limits of the plan and the operator. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { hashKey } from '../../../src/service/store/key-format.ts'
import { SCOPES } from '../../../src/service/store/keys.ts'
import { newAuthenticator } from './authenticator.ts'
import { Browser, newAccount, signedIn } from './browser.ts'
import { call, errorOf, form, TEXT } from './client.ts'

interface Key {
  key: string
  key_id: string
}

const type = async (answer: Response) => [answer.status, (await errorOf(answer)).error_detail.type]
const useKey = (key: string, path = '/v1/usage') => call({ accountId: '', key }, path)
const limitOf = async (key: string) => (await useKey(key)).headers.get('X-RateLimit-Limit')

async function application(browser: Browser) {
  const { application_id } = await browser.json<{ application_id: string }>('POST', '/applications', { name: 'Shop', environment: 'test' })
  return application_id
}
const newKey = async (browser: Browser, application_id: string, more = {}) =>
  browser.json<Key>('POST', '/keys', { application_id, ...more })

const operator = (accountId: string, path: string, method: string, body: unknown) =>
  call(undefined, `/admin/accounts/${accountId}${path}`, {
    method,
    headers: { Authorization: `Bearer ${env.ADMIN_TOKEN}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('a session', () => {
  it('obeys the rate limit of the plan, and its uploads count as requests (free-plan-without-limit)', async () => {
    const { browser, account } = await signedIn('free')
    const send = () => browser.ask('POST', '/v1/compress', form({}, [['file', TEXT, 'a.txt']]))
    const statuses = (await Promise.all(Array.from({ length: 14 }, send))).map((answer) => answer.status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    expect(statuses.filter((status) => status === 429)).toHaveLength(4)
    const refused = await send()
    expect((await errorOf(refused)).error_detail).toMatchObject({ type: 'rate_limited', limit: 10, plan: 'free' })
    expect(refused.headers.get('X-RateLimit-Remaining')).toBe('0')
    expect((await browser.ask('DELETE', '/v1/tasks/tsk_none')).status).toBe(429)
    for (let i = 0; i < 20; i++) expect((await browser.ask('GET', '/v1/tasks')).status).toBe(200)
    expect(await account.usage('free')).toMatchObject({ api_calls: 10, by_day: [{ api_calls: 10 }] })
  })

  it('shares one rate limit with all people of the account', async () => {
    const { browser, account, accountId } = await signedIn('free')
    const bob = new Browser()
    expect((await bob.register(await account.people.invite('Bob'), await newAuthenticator())).status).toBe(200)
    for (let i = 0; i < 5; i++) {
      for (const person of [browser, bob]) expect((await person.ask('DELETE', `/v1/tasks/${accountId}`)).status).toBe(404)
    }
    expect((await bob.ask('DELETE', '/v1/tasks/x')).status).toBe(429)
  })

  it('counts test callbacks and replays like requests of a key (console-floods-callbacks)', async () => {
    const { browser } = await signedIn('free')
    for (let i = 0; i < 5; i++) {
      expect((await browser.ask('POST', '/callbacks/test', { url: 'https://hooks.example.com/' })).status).toBe(403)
      expect((await browser.ask('POST', '/callbacks/replay', { task_id: `tsk_${'0'.repeat(24)}` })).status).toBe(403)
    }
    expect((await browser.ask('POST', '/callbacks/test', { url: 'https://hooks.example.com/' })).status).toBe(429)
    expect((await browser.ask('POST', '/callbacks/replay', { task_id: `tsk_${'0'.repeat(24)}` })).status).toBe(429)
  })

  it('has no callbacks if the plan does not include them', async () => {
    const { browser } = await signedIn('free')
    expect(await type(await browser.ask('POST', '/callbacks/test', { url: 'https://hooks.example.com/' }))).toEqual([
      403,
      'plan_not_allowed',
    ])
    const replay = await browser.ask('POST', '/callbacks/replay', { task_id: `tsk_${'0'.repeat(24)}` })
    expect(await type(replay)).toEqual([403, 'plan_not_allowed'])
  })
})

describe('keys that people make', () => {
  it('never exceed the number in the plan, even with parallel requests', async () => {
    const { browser } = await signedIn('free')
    const application_id = await application(browser)
    const answers = await Promise.all(Array.from({ length: 8 }, () => browser.ask('POST', '/keys', { application_id })))
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(2)
    const refused = answers.find((answer) => answer.status !== 200)!
    expect((await errorOf(refused)).error_detail).toMatchObject({ type: 'plan_not_allowed', plan: 'free', limit: 2 })
  })

  it('free a place when they are disabled, but not with a new rate limit at once', async () => {
    const { browser } = await signedIn('free')
    const application_id = await application(browser)
    const [used, idle] = [await newKey(browser, application_id), await newKey(browser, application_id)]
    expect((await useKey(used.key)).status).toBe(200)
    await browser.json('PATCH', `/keys/${used.key_id}`, { state: 'disabled' })
    expect(await type(await browser.ask('POST', '/keys', { application_id }))).toEqual([403, 'plan_not_allowed'])
    await browser.json('PATCH', `/keys/${idle.key_id}`, { state: 'disabled' })
    await newKey(browser, application_id)
    expect(await type(await browser.ask('PATCH', `/keys/${idle.key_id}`, { state: 'active' }))).toEqual([403, 'plan_not_allowed'])
  })

  it('never exceed the rate limit set by the operator, in any application', async () => {
    const { browser, accountId } = await signedIn('enterprise')
    const first = await newKey(browser, await application(browser))
    expect(await limitOf(first.key)).toBe('unlimited')
    const set = (requests_per_minute: number | null) => operator(accountId, `/keys/${first.key_id}`, 'PATCH', { requests_per_minute })
    expect((await set(2)).status).toBe(200)
    const second = await newKey(browser, await application(browser))
    expect(await limitOf(second.key)).toBe('2')
    const sent = await browser.ask('DELETE', '/v1/tasks/x')
    expect(sent.headers.get('X-RateLimit-Limit')).toBe('2')
    await set(7)
    expect([await limitOf(first.key), await limitOf(second.key)]).toEqual(['7', '7'])
    const { key } = await browser.json<Key>('POST', `/keys/${second.key_id}/reset`, { grace_seconds: 0 })
    expect(await limitOf(key)).toBe('7')
    await set(null)
    expect([await limitOf(first.key), await limitOf(key)]).toEqual(['unlimited', 'unlimited'])
  })

  it('stay disabled after a reset if the operator disabled them', async () => {
    const { browser, accountId } = await signedIn('pro')
    const { key, key_id } = await newKey(browser, await application(browser))
    await operator(accountId, `/keys/${key_id}`, 'PATCH', { state: 'disabled' })
    expect((await browser.ask('PATCH', `/keys/${key_id}`, { state: 'disabled' })).status).toBe(200)
    expect(await type(await browser.ask('PATCH', `/keys/${key_id}`, { state: 'active' }))).toEqual([403, 'missing_scope'])
    expect(await type(await browser.ask('POST', `/keys/${key_id}/reset`, { grace_seconds: 0 }))).toEqual([403, 'missing_scope'])
    expect((await useKey(key)).status).toBe(401)
    const listed = await browser.json<{ applications: { keys: unknown[] }[] }>('GET', '/applications')
    expect(listed.applications[0]!.keys[0]).toMatchObject({ state: 'disabled', disabled_by: 'operator' })
    await operator(accountId, `/keys/${key_id}`, 'PATCH', { state: 'active' })
    expect((await useKey(key)).status).toBe(200)
    await browser.json('PATCH', `/keys/${key_id}`, { state: 'disabled' })
    await browser.json('PATCH', `/keys/${key_id}`, { state: 'active' })
    expect((await useKey(key)).status).toBe(200)
  })

  it('disabled by older versions can only be enabled by the operator', async () => {
    const { browser, accountId } = await signedIn('pro')
    const { key, key_id } = await newKey(browser, await application(browser))
    const gate = env.KEY_GATES.getByName(await hashKey(key))
    const { record } = (await gate.get())!
    await gate.put({ ...record, state: 'disabled' })
    expect(await type(await browser.ask('PATCH', `/keys/${key_id}`, { state: 'active' }))).toEqual([403, 'missing_scope'])
    expect((await operator(accountId, `/keys/${key_id}`, 'PATCH', { state: 'active' })).status).toBe(200)
    expect((await useKey(key)).status).toBe(200)
  })

  it("keep the operator's limits in accounts stored by older versions (old-state)", async () => {
    const { accountId, account, browser } = await signedIn('pro')
    const { applicationId } = await account.createApplication('Old', 'test')
    await account.createKey(applicationId, { plan: 'pro', scopes: SCOPES, requestsPerMinute: 3 })
    const stub = env.ACCOUNTS.getByName(accountId) as unknown as DurableObjectStub
    await runInDurableObject(stub, (_, state) => {
      const { lowestLimit, ...old } = state.storage.kv.get<Record<string, unknown>>('account')!
      expect(lowestLimit).toBe(3)
      state.storage.kv.put('account', old)
    })
    expect(await limitOf((await newKey(browser, applicationId)).key)).toBe('3')
    expect((await browser.ask('DELETE', '/v1/tasks/x')).headers.get('X-RateLimit-Limit')).toBe('3')
  })

  it('keep scopes, expiry and rate limit after a reset', async () => {
    const { browser } = await signedIn('free')
    const application_id = await application(browser)
    const expires_at = new Date(Date.now() + 86_400_000).toISOString()
    const old = await newKey(browser, application_id, { expires_at, scopes: ['usage:read'] })
    for (let i = 0; i < 4; i++) await useKey(old.key)
    const fresh = await browser.json<Key>('POST', `/keys/${old.key_id}/reset`, { grace_seconds: 0 })
    expect((await useKey(fresh.key)).headers.get('X-RateLimit-Remaining'), 'a reset is no way to a fresh window').toBe('5')
    expect((await useKey(old.key)).status).toBe(401)
    const listed = await browser.json<{ applications: { keys: { key_id: string }[] }[] }>('GET', '/applications')
    const view = listed.applications[0]!.keys.find((key) => key.key_id === fresh.key_id)
    expect(view).toMatchObject({ expires_at, scopes: ['usage:read'], plan: 'free', state: 'active' })
    await browser.json('PATCH', `/keys/${fresh.key_id}`, { expires_at: '2020-01-01T00:00:00Z' })
    expect(await type(await browser.ask('POST', `/keys/${fresh.key_id}/reset`, { grace_seconds: 0 }))).toEqual([400, 'invalid_parameter'])
  })

  it('stay valid for a day after a reset by default', async () => {
    const { browser, accountId } = await signedIn('pro')
    const old = await newKey(browser, await application(browser), { name: 'Till' })
    const fresh = await browser.json<Key>('POST', `/keys/${old.key_id}/reset`, {})
    expect((await useKey(old.key)).status).toBe(200)
    const { record } = (await env.KEY_GATES.getByName(await hashKey(old.key)).get())!
    expect(record.accountId).toBe(accountId)
    expect(Math.abs(record.expiresAt! - Date.now() - 86_400_000)).toBeLessThan(60_000)
    const listed = await browser.json<{ applications: { keys: { key_id: string }[] }[] }>('GET', '/applications')
    const view = listed.applications[0]!.keys.find((key) => key.key_id === fresh.key_id)
    expect(view, 'the name goes along').toMatchObject({ name: 'Till' })
  })

  it('have names, can be deleted after they are disabled, and keep their usage figures', async () => {
    const { browser } = await signedIn('pro')
    const application_id = await application(browser)
    const { key, key_id } = await newKey(browser, application_id, { name: 'Checkout' })
    expect((await useKey(key)).status).toBe(200)
    expect(await type(await browser.ask('DELETE', `/keys/${key_id}`)), 'it works').toEqual([400, 'invalid_parameter'])
    await browser.json('PATCH', `/keys/${key_id}`, { state: 'disabled', name: 'Old checkout' })
    expect(await type(await browser.ask('DELETE', `/keys/${key_id}`)), 'it did in the last minute').toEqual([400, 'invalid_parameter'])
    expect(await type(await browser.ask('DELETE', `/applications/${application_id}`))).toEqual([400, 'invalid_parameter'])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    try {
      expect((await browser.ask('DELETE', `/keys/${key_id}`)).status).toBe(200)
    } finally {
      vi.useRealTimers()
    }
    expect(await type(await useKey(key))).toEqual([401, 'invalid_key'])
    expect((await browser.ask('PATCH', `/keys/${key_id}`, { state: 'active' })).status, 'it is gone for good').toBe(404)
    const calls = { keys: [{ key_id, name: 'Old checkout', application: 'Shop', api_calls: 1 }] }
    expect(await browser.json('GET', '/usage/keys')).toMatchObject(calls)
    expect(await browser.json('GET', '/usage/keys?month=2020-01')).toEqual({ month: '2020-01', keys: [] })
    expect((await browser.ask('DELETE', `/applications/${application_id}`)).status).toBe(200)
    expect(await browser.json('GET', '/applications')).toMatchObject({ applications: [] })
  })

  it('with a limit of the operator cannot be deleted by others, because the limit would be lost', async () => {
    const { browser, accountId } = await signedIn('pro')
    const { key_id } = await newKey(browser, await application(browser))
    await operator(accountId, `/keys/${key_id}`, 'PATCH', { requests_per_minute: 2 })
    await browser.json('PATCH', `/keys/${key_id}`, { state: 'disabled' })
    expect(await type(await browser.ask('DELETE', `/keys/${key_id}`))).toEqual([403, 'missing_scope'])
  })

  it('are reset with a grace period only if the plan allows both keys', async () => {
    const { browser } = await signedIn('free')
    const application_id = await application(browser)
    const first = await newKey(browser, application_id)
    const second = await browser.json<Key>('POST', `/keys/${first.key_id}/reset`, { grace_seconds: 3600 })
    expect([(await useKey(first.key)).status, (await useKey(second.key)).status]).toEqual([200, 200])
    const third = await browser.ask('POST', `/keys/${second.key_id}/reset`, { grace_seconds: 3600 })
    expect(await type(third)).toEqual([403, 'plan_not_allowed'])
    expect((await browser.ask('POST', `/keys/${second.key_id}/reset`, { grace_seconds: 0 })).status).toBe(200)
  })
})

it('a key created while the account is disabled works only after the account is enabled', async () => {
  const { accountId, account } = await newAccount('pro')
  const { applicationId } = await account.createApplication('Shop', 'test')
  await operator(accountId, '', 'PATCH', { state: 'disabled' })
  const made = await operator(accountId, '/keys', 'POST', { application_id: applicationId })
  const { key } = (await made.json()) as Key
  expect(await type(await useKey(key))).toEqual([401, 'disabled_key'])
  await operator(accountId, '', 'PATCH', { state: 'active' })
  expect((await useKey(key)).status).toBe(200)
})
