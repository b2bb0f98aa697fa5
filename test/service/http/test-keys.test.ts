/** Tests of test keys, which have an account separate from the live one. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { TaskView } from '../../../src/service/store/task.ts'
import { isTestAccount, liveAccountOf, testAccountOf } from '../../../src/service/store/test-accounts.ts'
import { type Browser, signedIn } from './browser.ts'
import { call, compress, done, errorOf } from './client.ts'

async function keyOf(browser: Browser, mode: '' | '/test') {
  const { application_id } = await browser.json<{ application_id: string }>('POST', `${mode}/applications`, {
    name: 'Shop',
    environment: 'ci',
  })
  return browser.json<{ key: string; key_id: string; masked: string }>('POST', `${mode}/keys`, { application_id })
}

describe('a test key', () => {
  it('is recognised by its prefix, and cannot access live data', async () => {
    const { accountId, browser } = await signedIn('pro')
    const [live, test] = [await keyOf(browser, ''), await keyOf(browser, '/test')]
    expect([live.key, test.key, test.masked].map((key) => key.slice(0, 9))).toEqual(['whl_live_', 'whl_test_', 'whl_test_'])
    const [real, tester] = [live, test].map(({ key }) => ({ accountId, key })) as [
      typeof live & { accountId: string },
      typeof live & { accountId: string },
    ]
    const [realTask, testTask] = [await done(real), await done(tester)]
    expect([realTask.test, testTask.test]).toEqual([undefined, true])
    for (const [who, task] of [
      [real, testTask],
      [tester, realTask],
    ] as const) {
      expect((await call(who, `/v1/tasks/${task.task_id}`)).status).toBe(403)
      expect((await call(who, `/v1/tasks/${task.task_id}`, { method: 'DELETE' })).status).toBe(403)
      expect(((await (await call(who, '/v1/tasks')).json()) as { tasks: TaskView[] }).tasks).toHaveLength(1)
    }
    type Usage = { plan: string; test?: true; tasks_completed: number; storage_quota: number }
    const usage = async (who: typeof real) => (await (await call(who, '/v1/usage')).json()) as Usage
    expect(await usage(tester)).toMatchObject({ plan: 'basic', test: true, tasks_completed: 1, storage_quota: 1e9 })
    expect(await usage(real)).toMatchObject({ plan: 'pro', tasks_completed: 1, storage_quota: 1e10 })
    expect(await usage(real)).not.toHaveProperty('test')
  })

  it("has separate pages in the console, and its changes are in the account's audit log", async () => {
    const { browser } = await signedIn('pro')
    await keyOf(browser, '/test')
    const listed = async (mode: string) =>
      (await browser.json<{ applications: { keys: { masked: string }[] }[] }>('GET', `${mode}/applications`)).applications.flatMap(
        ({ keys }) => keys,
      )
    expect(await listed('')).toEqual([])
    expect((await listed('/test'))[0]!.masked).toMatch(/^whl_test_/)
    const { actions } = await browser.json<{ actions: { action: string; asked?: object }[] }>('GET', '/audit')
    expect(actions.find(({ action }) => action === 'key.created')).toMatchObject({ asked: { test: true } })
  })

  it('has the limits of a small plan, and no callbacks if the account has none', async () => {
    const { accountId, browser } = await signedIn('free')
    const { key } = await keyOf(browser, '/test')
    const answer = await compress({ accountId, key }, undefined, 'a.txt', { callback_url: 'https://hooks.example.com/' })
    expect((await errorOf(answer)).error_detail).toMatchObject({ type: 'plan_not_allowed', plan: 'free' })
  })

  it('is disabled and enabled with its account', async () => {
    const { accountId, browser } = await signedIn('pro')
    const { key } = await keyOf(browser, '/test')
    const status = async () => (await call({ accountId, key }, '/v1/usage')).status
    const set = async (state: string) => {
      const headers = { Authorization: `Bearer ${env.ADMIN_TOKEN}` }
      const init = { method: 'PATCH', headers, body: JSON.stringify({ state }) }
      expect((await call(undefined, `/admin/accounts/${accountId}`, init)).status).toBe(200)
    }
    expect(await status()).toBe(200)
    await set('disabled')
    expect(await status()).toBe(401)
    await set('active')
    expect(await status()).toBe(200)
  })

  it('stays disabled if the operator disabled only the test account', async () => {
    const { accountId, browser } = await signedIn('pro')
    const { key } = await keyOf(browser, '/test')
    const init = { method: 'PATCH', headers: { Authorization: `Bearer ${env.ADMIN_TOKEN}` }, body: JSON.stringify({ state: 'disabled' }) }
    expect((await call(undefined, `/admin/accounts/${testAccountOf(accountId)}`, init)).status).toBe(200)
    expect((await browser.ask('GET', '/test/applications')).status).toBe(401)
    expect((await call({ accountId, key }, '/v1/usage')).status).toBe(401)
    expect((await browser.ask('GET', '/applications')).status).toBe(200)
  })

  it('obeys the rate limit that the operator set for the account', async () => {
    const { accountId, browser } = await signedIn('pro')
    const live = await keyOf(browser, '')
    const headers = { Authorization: `Bearer ${env.ADMIN_TOKEN}` }
    const change = { method: 'PATCH', headers, body: JSON.stringify({ requests_per_minute: 7 }) }
    expect((await call(undefined, `/admin/accounts/${accountId}/keys/${live.key_id}`, change)).status).toBe(200)
    const { key } = await keyOf(browser, '/test')
    expect((await call({ accountId, key }, '/v1/usage')).headers.get('X-RateLimit-Limit')).toBe('7')
  })

  it('gives no access to a live account with a similar id', () => {
    const id = `acc_${'x'.repeat(16)}test`
    expect([isTestAccount(id), liveAccountOf(id)]).toEqual([false, id])
    expect([isTestAccount(testAccountOf(id)), liveAccountOf(testAccountOf(id))]).toEqual([true, id])
  })
})
