/** The operator's API. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { createApp } from '../../src/http/app.ts'
import { ROUTES } from '../../src/http/routes/index.ts'
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
  it('makes accounts, applications and keys, and shows a key once', async () => {
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

  it('disables, enables and limits keys, at once', async () => {
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

  it('is told what is wrong', async () => {
    expect((await operator('/admin/accounts', 'POST', { name: '', plan: 'pro' })).status).toBe(400)
    expect((await operator('/admin/accounts', 'POST', { name: 'x', plan: 'gold' })).status).toBe(400)
    expect((await operator('/admin/accounts', 'POST', { name: 'x', plan: 'pro', admin: true })).status).toBe(400)
    expect((await operator('/admin/accounts/acc_none')).status).toBe(404)
    const { account_id } = await made<{ account_id: string }>('/admin/accounts', { name: 'Ada', plan: 'pro' })
    expect((await operator(`/admin/accounts/${account_id}/keys`, 'POST', { application_id: 'none' })).status).toBe(404)
    expect((await operator(`/admin/accounts/${account_id}/keys/none`, 'PATCH', { state: 'disabled' })).status).toBe(404)
  })

  it('needs the token, and does not exist without one', async () => {
    expect((await operator('/admin/accounts', 'GET', undefined, 'wrong')).status).toBe(401)
    expect((await call(undefined, '/admin/accounts')).status).toBe(401)
    const context = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} } as unknown as ExecutionContext
    const { ADMIN_TOKEN: _, ...closed } = env
    const request = new Request(`${BASE}/admin/accounts`, { headers: { Authorization: 'Bearer undefined' } })
    expect((await createApp(ROUTES).fetch(request, closed, context)).status).toBe(404)
  })
})
