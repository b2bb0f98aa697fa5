/** Tests of the operator's API. */
import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it, vi } from 'vitest'
import { createApp } from '../../../src/service/http/app.ts'
import { ROUTES } from '../../../src/service/http/routes/index.ts'
import type { AccountApi } from '../../../src/service/store/accounts.ts'
import { hashKey } from '../../../src/service/store/key-format.ts'
import { BASE, call, errorOf } from './client.ts'

const operator = (path: string, method = 'GET', body?: unknown, token = env.ADMIN_TOKEN) =>
  call(undefined, path, {
    method,
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const made = async <T>(path: string, body: unknown) => {
  const answer = await operator(path, 'POST', body)
  expect(answer.status).toBe(200)
  return (await answer.json()) as T
}

describe('the operator', () => {
  it('creates accounts, applications and keys, and shows a key only once', async () => {
    const { account_id } = await made<{ account_id: string }>('/admin/accounts', { name: 'Ada', plan: 'pro' })
    const base = `/admin/accounts/${account_id}`
    const { application_id } = await made<{ application_id: string }>(`${base}/applications`, { name: 'Shop' })
    const { key, key_id } = await made<{ key: string; key_id: string }>(`${base}/keys`, { application_id })
    expect((await call({ accountId: account_id, key }, '/v1/usage')).headers.get('X-RateLimit-Limit')).toBe('300')
    const listed = await (await operator(`${base}/applications`)).text()
    expect(listed).toContain(key_id)
    expect(listed).not.toContain(key)
    const { accounts } = (await (await operator('/admin/accounts')).json()) as { accounts: { account_id: string }[] }
    expect(accounts.map((account) => account.account_id)).toContain(account_id)
    expect(((await (await operator(`${base}/webhook-secret`)).json()) as { webhook_secret: string }).webhook_secret).toMatch(/^whsec_/)
  })

  it('disables, enables and limits keys with immediate effect', async () => {
    const { account_id } = await made<{ account_id: string }>('/admin/accounts', { name: 'Ada', plan: 'enterprise' })
    const base = `/admin/accounts/${account_id}`
    const { application_id } = await made<{ application_id: string }>(`${base}/applications`, { name: 'Shop' })
    const { key, key_id } = await made<{ key: string; key_id: string }>(`${base}/keys`, { application_id })
    const who = { accountId: account_id, key }
    const change = async (body: unknown) => expect((await operator(`${base}/keys/${key_id}`, 'PATCH', body)).status).toBe(200)
    await change({ state: 'disabled' })
    expect((await errorOf(await call(who, '/v1/usage'))).error_detail.type).toBe('disabled_key')
    await change({ state: 'active', requests_per_minute: 7 })
    expect((await call(who, '/v1/usage')).headers.get('X-RateLimit-Limit')).toBe('7')
    await change({ expires_at: '2020-01-01T00:00:00Z' })
    expect((await errorOf(await call(who, '/v1/usage'))).error_detail.type).toBe('expired_key')
  })

  it('receives an error that names the invalid value', async () => {
    expect((await operator('/admin/accounts', 'POST', { name: '', plan: 'pro' })).status).toBe(400)
    expect((await operator('/admin/accounts', 'POST', { name: 'x', plan: 'gold' })).status).toBe(400)
    expect((await operator('/admin/accounts', 'POST', { name: 'x', plan: 'pro', admin: true })).status).toBe(400)
    expect((await operator('/admin/accounts/acc_none')).status).toBe(404)
    const { account_id } = await made<{ account_id: string }>('/admin/accounts', { name: 'Ada', plan: 'pro' })
    expect((await operator(`/admin/accounts/${account_id}/keys`, 'POST', { application_id: 'none' })).status).toBe(404)
    expect((await operator(`/admin/accounts/${account_id}/keys/none`, 'PATCH', { state: 'disabled' })).status).toBe(404)
  })

  it('needs the operator token, and has no routes if no token is configured', async () => {
    expect((await operator('/admin/accounts', 'GET', undefined, 'wrong')).status).toBe(401)
    expect((await call(undefined, '/admin/accounts')).status).toBe(401)
    const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} } as unknown as ExecutionContext
    const { ADMIN_TOKEN: _, ...closed } = env
    const request = new Request(`${BASE}/admin/accounts`, { headers: { Authorization: 'Bearer undefined' } })
    expect((await createApp(ROUTES).fetch(request, closed, context)).status).toBe(404)
  })
})

describe('backups', () => {
  const shop = async () => {
    const { account_id } = await made<{ account_id: string }>('/admin/accounts', { name: 'Ada', plan: 'pro' })
    const base = `/admin/accounts/${account_id}`
    const { application_id } = await made<{ application_id: string }>(`${base}/applications`, { name: 'Shop' })
    const limits = { application_id, requests_per_minute: 77, scopes: ['usage:read'] }
    const { key } = await made<{ key: string }>(`${base}/keys`, limits)
    return { account_id, base, key }
  }

  it('restores a lost account from its export, with working keys', async () => {
    const { account_id, base, key } = await shop()
    const account = env.ACCOUNTS.getByName(account_id)
    const at = Date.now()
    const task = { taskId: `tsk_${account_id}`, format: 'text' }
    await account.tell([
      { kind: 'created', ...task, createdAt: at, size: 10 },
      { kind: 'completed', ...task, at, originalSize: 10, compressedSize: 4 },
    ])
    const before = await (await call({ accountId: account_id, key }, '/v1/usage')).json()
    expect(await made('/admin/export', {})).toMatchObject({ failed: 0 })
    const day = new Date(at).toISOString().slice(0, 10)
    expect((await operator(`${base}/import`, 'POST', { day })).status).toBe(412)
    for (const name of ['ACCOUNTS', 'KEY_GATES'] as const) {
      const id = name === 'ACCOUNTS' ? account_id : await hashKey(key)
      const stub = env[name].getByName(id) as unknown as DurableObjectStub
      await runInDurableObject(stub, async (_, state) => {
        await state.storage.deleteAll()
        state.abort('lost')
      }).catch(() => undefined)
    }
    expect((await call({ accountId: account_id, key }, '/v1/usage')).status).toBe(401)
    expect(await made(`${base}/import`, { day })).toMatchObject({ account_id, name: 'Ada', plan: 'pro', state: 'active' })
    const after = await call({ accountId: account_id, key }, '/v1/usage')
    expect(after.headers.get('X-RateLimit-Limit')).toBe('77')
    // Files and request counts were in Durable Objects that are lost.
    const lost = { api_calls: 1, storage_used: 0, by_day: expect.anything() }
    expect(await after.json()).toEqual({ ...(before as object), ...lost })
    expect((await call({ accountId: account_id, key }, '/v1/tasks')).status).toBe(403)
  })

  it('restores the state of a time or bookmark if the platform stores one', async () => {
    const { account_id, base } = await shop()
    const refused = await operator(`${base}/restore`, 'POST', { at: '2026-11-22T10:00:00Z' })
    expect(await errorOf(refused)).toMatchObject({ error: { message: expect.stringContaining('cannot restore earlier states') } })
    const never = await operator(`/admin/accounts/acc_${'x'.repeat(20)}/restore`, 'POST', { at: '2026-11-22T10:00:00Z' })
    expect(await errorOf(never)).toMatchObject({ error: { message: expect.stringContaining('never been') } })
    const done: unknown[] = []
    const account = env.ACCOUNTS.getByName(account_id) as unknown as DurableObjectStub
    await runInDurableObject(account, async (instance, state) => {
      const storage = {
        getBookmarkForTime: async (at: number) => `bookmark of ${at}`,
        onNextSessionRestoreBookmark: async (bookmark: string) => `${done.push(bookmark)} before`,
      }
      Reflect.set(instance, 'ctx', { storage, abort: (why: string) => done.push(why) })
      const own = instance as unknown as AccountApi
      expect(await own.restore({ at: 1_800_000_000_000 })).toBe('1 before')
      expect(await own.restore({ bookmark: '1 before' })).toBe('2 before')
      await vi.waitFor(() => expect(done).toHaveLength(4), { timeout: 30_000 })
      Reflect.set(instance, 'ctx', state)
    })
    const ended = 'the account is restored'
    expect(done).toEqual(['bookmark of 1800000000000', '1 before', ended, ended])
  })
})
