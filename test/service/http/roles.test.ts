/** Tests of the permissions of each role, and of the audit log. */
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import type { Role } from '../../../src/service/store/people.ts'
import { newAuthenticator } from './authenticator.ts'
import { Browser, signedIn } from './browser.ts'
import { call, errorOf, form, TEXT } from './client.ts'

interface Listed {
  people: { user_id: string; name: string; role: Role }[]
  invitations: { invitation_id: string; role: Role }[]
}
interface Logged {
  actions: { action: string; by: { kind: string; name?: string }; to?: string; called?: string; asked?: object; request_id: string }[]
  next_cursor: string | null
}
type Account = Awaited<ReturnType<typeof signedIn>>['account']

async function join(account: Account, name: string, role: Role): Promise<Browser> {
  const browser = new Browser()
  expect((await browser.register(await account.people.invite(name, role), await newAuthenticator())).status).toBe(200)
  return browser
}
const idOf = async (browser: Browser, name: string) =>
  (await browser.json<Listed>('GET', '/people')).people.find((person) => person.name === name)!.user_id
const status = async (browser: Browser, method: string, path: string, body?: unknown) => (await browser.ask(method, path, body)).status

describe('a role', () => {
  it('lets a viewer view, a member compress files, and an admin manage keys', async () => {
    const { account } = await signedIn('pro')
    const attempts = async (role: Role) => {
      const browser = await join(account, role, role)
      return [
        await status(browser, 'GET', '/v1/usage'),
        await status(browser, 'POST', '/v1/compress', form({}, [['file', TEXT, 'a.txt']])),
        await status(browser, 'POST', '/applications', { name: 'Shop', environment: 'test' }),
        await status(browser, 'DELETE', '/v1/connections/none'),
        await status(browser, 'GET', '/audit'),
        'webhook_secret' in (await browser.json<object>('GET', '/callbacks')),
        (await browser.json<{ role: Role }>('GET', '/me')).role,
      ]
    }
    expect(await attempts('viewer')).toEqual([200, 403, 403, 403, 403, false, 'viewer'])
    expect(await attempts('member')).toEqual([200, 200, 403, 403, 403, false, 'member'])
    expect(await attempts('admin')).toEqual([200, 200, 200, 404, 200, true, 'admin'])
  })

  it('is named in the error', async () => {
    const { account } = await signedIn('pro')
    const member = await join(account, 'Mo', 'member')
    const refused = await errorOf(await member.ask('POST', '/callbacks/rotate', {}))
    expect([refused.error.message, refused.error_detail.type]).toEqual([
      "This request needs the role 'admin'; your role is 'member'.",
      'missing_scope',
    ])
  })

  it('prevents escalation: admins cannot create or remove owners, and everybody can leave', async () => {
    const { account, browser: ada } = await signedIn('pro')
    const [admin, member] = [await join(account, 'Abe', 'admin'), await join(account, 'Mo', 'member')]
    const [adasId, abesId, mosId] = [await idOf(ada, 'Ada'), await idOf(ada, 'Abe'), await idOf(ada, 'Mo')]
    expect(await status(admin, 'PATCH', `/people/${abesId}`, { role: 'owner' })).toBe(403)
    expect(await status(admin, 'PATCH', `/people/${adasId}`, { role: 'viewer' })).toBe(403)
    expect(await status(admin, 'DELETE', `/people/${adasId}`)).toBe(403)
    expect(await status(admin, 'POST', '/invitations', { name: 'Eve', role: 'owner' })).toBe(403)
    expect(await status(member, 'DELETE', `/people/${abesId}`)).toBe(403)
    expect(await status(admin, 'PATCH', `/people/${mosId}`, { role: 'admin' })).toBe(200)
    expect(await status(member, 'GET', '/audit'), 'at once').toBe(200)
    expect(await status(member, 'DELETE', `/people/${mosId}`)).toBe(200)
    expect(await status(member, 'GET', '/me')).toBe(401)
  })

  it('cannot be changed for the only owner', async () => {
    const { account, browser: ada } = await signedIn('pro')
    const bob = await join(account, 'Bob', 'admin')
    const [adasId, bobsId] = [await idOf(ada, 'Ada'), await idOf(ada, 'Bob')]
    expect(await status(ada, 'PATCH', `/people/${adasId}`, { role: 'admin' })).toBe(400)
    expect(await status(ada, 'DELETE', `/people/${adasId}`)).toBe(400)
    expect(await status(ada, 'PATCH', `/people/${bobsId}`, { role: 'owner' })).toBe(200)
    expect(await status(bob, 'DELETE', `/people/${adasId}`)).toBe(200)
  })

  it('is assigned by an invitation', async () => {
    const { browser: ada } = await signedIn('pro')
    const { invitation_url } = await ada.json<{ invitation_url: string }>('POST', '/invitations', { name: 'Vi', role: 'viewer' })
    expect((await ada.json<Listed>('GET', '/people')).invitations).toMatchObject([{ role: 'viewer' }])
    const vi = new Browser()
    expect((await vi.register(invitation_url.split('#invitation=')[1]!, await newAuthenticator())).status).toBe(200)
    expect(await vi.json('GET', '/me')).toMatchObject({ name: 'Vi', role: 'viewer' })
  })
})

describe('the log of an account', () => {
  it('records who changed which key, application or person, without secrets', async () => {
    const { browser, account, accountId } = await signedIn('pro')
    const { application_id } = await browser.json<{ application_id: string }>('POST', '/applications', {
      name: 'Shop',
      environment: 'test',
    })
    const expires_at = '2999-01-01T00:00:00.000Z'
    const { key, key_id, masked } = await browser.json<Record<string, string>>('POST', '/keys', {
      application_id,
      name: 'Till',
      expires_at,
    })
    await browser.json('PATCH', `/keys/${key_id}`, { state: 'disabled' })
    await browser.ask('PATCH', '/keys/key_none', { state: 'disabled' })
    const headers = { Authorization: `Bearer ${env.ADMIN_TOKEN}`, 'Content-Type': 'application/json' }
    const path = `/admin/accounts/${accountId}`
    await call(undefined, `${path}/keys/${key_id}`, { method: 'PATCH', headers, body: '{"requests_per_minute":5}' })
    await join(account, 'Bob', 'member')
    const answer = await browser.ask('GET', '/audit')
    const text = await answer.text()
    expect(text).not.toContain(key)
    const { actions, next_cursor } = JSON.parse(text) as Logged
    expect(next_cursor).toBeNull()
    expect(actions.map(({ action, by, to }) => [action, by.name ?? by.kind, to])).toEqual([
      ['person.joined', 'Bob', expect.stringMatching(/^usr_/)],
      ['key.changed', 'operator', key_id],
      ['key.changed', 'Ada', key_id],
      ['key.created', 'Ada', key_id],
      ['application.created', 'Ada', application_id],
      ['person.joined', 'Ada', expect.stringMatching(/^usr_/)],
    ])
    expect(actions[3]).toMatchObject({ called: masked, asked: { name: 'Till', expires_at }, request_id: expect.stringMatching(/^req_/) })
    expect(actions[1]).toMatchObject({ asked: { requests_per_minute: 5 } })
    const seen = (await (await call(undefined, `${path}/audit`, { headers })).json()) as Logged
    expect(seen.actions, 'the operator sees the same').toEqual(actions)
  })

  it('is paginated', async () => {
    const { account, browser } = await signedIn('pro')
    const note = (i: number) => ({ at: i, by: { kind: 'operator' as const }, what: 'key.changed' as const, to: `key_${i}`, requestId: 'r' })
    for (let i = 0; i < 150; i++) await account.noteAction(note(i))
    const first = await browser.json<Logged>('GET', '/audit')
    expect([first.actions.length, first.actions[0]!.to]).toEqual([100, 'key_149'])
    const second = await browser.json<Logged>('GET', `/audit?cursor=${first.next_cursor}`)
    expect([second.actions.length, second.actions[0]!.to, second.next_cursor]).toEqual([51, 'key_49', null])
  })
})
