/** Tests of access to an account: lists and removal of people, passkeys, sessions and invitations. */
import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { newAuthenticator } from './authenticator.ts'
import { Browser, newAccount, signedIn } from './browser.ts'
import { call, errorOf } from './client.ts'

interface Listed {
  people: {
    user_id: string
    name: string
    you?: boolean
    passkeys: { passkey_id: string; created_at?: string; last_used_at?: string }[]
    sessions: { session_id: string; expires_at: string; current: boolean }[]
  }[]
  invitations: { invitation_id: string; name: string; expires_at: string }[]
}

/** Signs in two people of one account. */
async function adaAndBob() {
  const ada = await signedIn('pro')
  const [bob, bobsKey] = [new Browser(), await newAuthenticator()]
  expect((await bob.register(await ada.account.people.invite('Bob'), bobsKey)).status).toBe(200)
  return { ...ada, bob, bobsKey }
}
const list = (browser: Browser) => browser.json<Listed>('GET', '/people')
const named = (listed: Listed, name: string) => listed.people.find((person) => person.name === name)!
const me = async (browser: Browser) => (await browser.ask('GET', '/me')).status

describe('people of an account', () => {
  it("see each other's passkeys, sessions and invitations without secrets", async () => {
    const { browser, bob, bobsKey, account } = await adaAndBob()
    const invitation = await account.people.invite('Cy')
    await bob.signIn(bobsKey)
    const answer = await browser.ask('GET', '/people')
    const text = await answer.text()
    for (const secret of [invitation.split('.')[1]!, ...[browser, bob].map((one) => one.cookies.get('whittle_session')!.split('.')[1]!)]) {
      expect(text).not.toContain(secret)
    }
    const listed = JSON.parse(text) as Listed
    expect(listed.people.map(({ name, you }) => [name, you])).toEqual([
      ['Ada', true],
      ['Bob', false],
    ])
    expect(named(listed, 'Ada').sessions.map(({ current }) => current)).toEqual([true])
    expect(named(listed, 'Bob').sessions.map(({ current }) => current)).toEqual([false, false])
    expect(named(listed, 'Bob').passkeys).toEqual([
      { passkey_id: bobsKey.credentialId, created_at: expect.any(String), last_used_at: expect.any(String) },
    ])
    expect(listed.invitations.map(({ name }) => name)).toEqual(['Cy'])
  })

  it('can end one session with immediate effect', async () => {
    const { browser, bob, bobsKey } = await adaAndBob()
    const { session_id } = named(await list(browser), 'Bob').sessions[0]!
    const second = new Browser()
    await second.signIn(bobsKey)
    await browser.json('DELETE', `/sessions/${session_id}`)
    expect([await me(bob), await me(second), await me(browser)]).toEqual([401, 200, 200])
    expect((await browser.ask('DELETE', `/sessions/${session_id}`)).status).toBe(404)
  })

  it('can remove a passkey, which ends its sessions and prevents sign-in', async () => {
    const { browser, bob, bobsKey } = await adaAndBob()
    await browser.json('DELETE', `/passkeys/${bobsKey.credentialId}`)
    expect([await me(bob), await me(browser)]).toEqual([401, 200])
    const refused = await new Browser().signIn(bobsKey)
    expect([refused.status, (await errorOf(refused)).error.message]).toEqual([401, 'This passkey is not registered with this service.'])
  })

  it('keep their current session when they remove their own passkey', async () => {
    const { browser, authenticator } = await signedIn('pro')
    const other = new Browser()
    await other.signIn(authenticator)
    await browser.json('DELETE', `/passkeys/${authenticator.credentialId}`)
    expect([await me(browser), await me(other)]).toEqual([200, 401])
  })

  it('can remove a person and an unused invitation', async () => {
    const { browser, bob, bobsKey, account } = await adaAndBob()
    await browser.json('DELETE', `/people/${named(await list(browser), 'Bob').user_id}`)
    expect([await me(bob), (await new Browser().signIn(bobsKey)).status]).toEqual([401, 401])
    const invitation = await account.people.invite('Cy')
    const { invitation_id } = (await list(browser)).invitations[0]!
    await browser.json('DELETE', `/invitations/${invitation_id}`)
    expect((await new Browser().ask('POST', '/register/options', { invitation })).status).toBe(401)
    expect(await list(browser)).toMatchObject({ people: [{ name: 'Ada' }], invitations: [] })
  })

  it('cannot see people of another account', async () => {
    const [ada, eve] = [await adaAndBob(), await signedIn('pro')]
    const { user_id, passkeys, sessions } = named(await list(ada.browser), 'Bob')
    for (const path of [`people/${user_id}`, `passkeys/${passkeys[0]!.passkey_id}`, `sessions/${sessions[0]!.session_id}`]) {
      expect((await eve.browser.ask('DELETE', `/${path}`)).status, path).toBe(404)
    }
    expect(await me(ada.bob)).toBe(200)
  })

  it('with passkeys of older versions are listed without times', async () => {
    const { browser, accountId } = await signedIn('pro')
    const stub = env.ACCOUNTS.getByName(accountId) as unknown as DurableObjectStub
    await runInDurableObject(stub, (_, state) => state.storage.sql.exec('UPDATE passkeys SET made_at = NULL'))
    expect(named(await list(browser), 'Ada').passkeys).toEqual([{ passkey_id: expect.any(String) }])
  })
})

it('the operator can list people and remove a person', async () => {
  const { accountId, bob, browser } = await adaAndBob()
  const operator = (method: string, path = '') =>
    call(undefined, `/admin/accounts/${accountId}/people${path}`, { method, headers: { Authorization: `Bearer ${env.ADMIN_TOKEN}` } })
  const listed = (await (await operator('GET')).json()) as Listed
  expect(listed.people.map(({ name, you }) => [name, you])).toEqual([
    ['Ada', undefined],
    ['Bob', undefined],
  ])
  expect((await operator('DELETE', `/${named(listed, 'Bob').user_id}`)).status).toBe(200)
  expect((await operator('DELETE', `/${named(listed, 'Bob').user_id}`)).status).toBe(404)
  expect([await me(bob), await me(browser)]).toEqual([401, 200])
})

it('a token or passkey of a nonexistent account creates no Durable Object (strangers-make-objects)', async () => {
  const { authenticator } = await signedIn('pro')
  await newAccount('pro')
  const nobody = `acc_${'n'.repeat(20)}`
  const token = `${nobody}.${'x'.repeat(43)}`
  const objects = env.ACCOUNTS as unknown as DurableObjectNamespace
  const stranger = new Browser()
  expect((await stranger.ask('POST', '/register/options', { invitation: token })).status).toBe(401)
  const { options } = await stranger.json<{ options: { challenge: string } }>('POST', '/login/options')
  const credential = await authenticator.signIn(options)
  credential.response['userHandle'] = btoa(`${nobody}/usr_${'0'.repeat(32)}`).replaceAll('=', '')
  expect((await stranger.ask('POST', '/login', { credential })).status).toBe(401)
  stranger.cookies.set('whittle_session', token)
  expect((await stranger.ask('GET', '/me')).status).toBe(401)
  const made = (await listDurableObjectIds(objects)).map(String)
  expect(made).not.toContain(String(objects.idFromName(nobody)))
  await env.ACCOUNTS.getByName(nobody).get()
  expect((await listDurableObjectIds(objects)).map(String), 'asking makes it').toContain(String(objects.idFromName(nobody)))
})
