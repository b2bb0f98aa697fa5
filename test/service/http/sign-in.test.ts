/** Tests of passkeys against callers without an account, replayed requests and disabled accounts. */

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { newAuthenticator } from './authenticator.ts'
import { Browser, newAccount, signedIn } from './browser.ts'
import { errorOf } from './client.ts'

const FIVE_MINUTES_MS = 5 * 60_000

const outcome = async (answer: Response) => {
  const { error, error_detail } = await errorOf(answer)
  return [answer.status, error_detail.type, error.message]
}
const OVER = [401, 'invalid_key', 'The sign-in took too long or was sent twice. Try again.']
const NOT_VERIFIED = [401, 'invalid_key', 'The passkey could not be verified. Try again.']

afterEach(() => void vi.useRealTimers())

describe('signing in', () => {
  it('accepts an answer once: a copy of cookie and body is refused, also after sign-out', async () => {
    const { authenticator, browser: first } = await signedIn('pro')
    const browser = new Browser()
    const { options } = await browser.json<{ options: { challenge: string } }>('POST', '/login/options')
    const copy = new Browser()
    for (const [name, value] of browser.cookies) copy.cookies.set(name, value)
    const credential = await authenticator.signIn(options)
    const late = new Map(copy.cookies)
    expect((await browser.ask('POST', '/login', { credential })).status).toBe(200)
    expect(await outcome(await copy.ask('POST', '/login', { credential }))).toEqual(OVER)
    expect((await browser.ask('POST', '/logout')).status).toBe(200)
    for (const [name, value] of late) copy.cookies.set(name, value)
    expect(await outcome(await copy.ask('POST', '/login', { credential }))).toEqual(OVER)
    expect((await copy.ask('GET', '/me')).status).toBe(401)
    expect((await first.ask('GET', '/me')).status, 'other sessions go on').toBe(200)
  })

  it('expires after five minutes, even with a longer cookie', async () => {
    const { authenticator } = await signedIn('pro')
    vi.useFakeTimers({ toFake: ['Date'] })
    for (const [waitedMs, status] of [
      [FIVE_MINUTES_MS - 1000, 200],
      [FIVE_MINUTES_MS, 401],
    ] as const) {
      const browser = new Browser()
      const { options } = await browser.json<{ options: { challenge: string } }>('POST', '/login/options')
      vi.setSystemTime(Date.now() + waitedMs)
      expect((await browser.ask('POST', '/login', { credential: await authenticator.signIn(options) })).status).toBe(status)
    }
  })

  it('fails after a wrong answer, and with an unknown ticket', async () => {
    const { authenticator } = await signedIn('pro')
    const browser = new Browser()
    const { options } = await browser.json<{ options: { challenge: string } }>('POST', '/login/options')
    const tickets = new Map(browser.cookies)
    const good = await authenticator.signIn(options)
    const bad = { ...good, response: { ...good.response, signature: good.response['signature']!.replace(/^.{20}/, 'A'.repeat(20)) } }
    expect(await outcome(await browser.ask('POST', '/login', { credential: bad }))).toEqual(NOT_VERIFIED)
    for (const [name, value] of tickets) browser.cookies.set(name, value)
    expect(await outcome(await browser.ask('POST', '/login', { credential: good }))).toEqual(OVER)
    for (const made of ['', 'x'.repeat(32), '../../x']) {
      browser.cookies.set('whittle_challenge', made)
      expect(await outcome(await browser.ask('POST', '/login', { credential: good })), made).toEqual(OVER)
    }
  })

  it('reveals no internal errors', async () => {
    const { authenticator } = await signedIn('pro')
    for (const missing of ['signature', 'authenticatorData', 'clientDataJSON']) {
      const browser = new Browser()
      const { options } = await browser.json<{ options: { challenge: string } }>('POST', '/login/options')
      const credential = await authenticator.signIn(options)
      delete credential.response[missing]
      expect(await outcome(await browser.ask('POST', '/login', { credential })), missing).toEqual(NOT_VERIFIED)
    }
  })

  it('is refused for a disabled account, and so are its invitations', async () => {
    const { account, authenticator } = await signedIn('pro')
    const invitation = await account.people.invite('Bob')
    const [bob, key] = [new Browser(), await newAuthenticator()]
    const { options } = await bob.json<{ options: { challenge: string; user: { id: string } } }>('POST', '/register/options', {
      invitation,
    })
    await account.update({ state: 'disabled' })
    const browser = new Browser()
    const disabled = [401, 'disabled_key', 'This account is disabled. Ask the operator of the service to enable it.']
    expect(await outcome(await browser.signIn(authenticator))).toEqual(disabled)
    expect(browser.cookies.has('whittle_session')).toBe(false)
    expect(await outcome(await bob.ask('POST', '/register/options', { invitation }))).toEqual(disabled)
    expect(await outcome(await bob.ask('POST', '/register', { invitation, credential: await key.register(options) }))).toEqual(disabled)
    await account.update({ state: 'active' })
    expect((await bob.register(invitation, key)).status, 'the invitation is still good').toBe(200)
    expect((await browser.signIn(authenticator)).status).toBe(200)
  })
})

describe('an invitation', () => {
  it('stays valid if the passkey is already registered, and creates no person', async () => {
    const { account } = await newAccount('pro')
    const id = crypto.getRandomValues(new Uint8Array(32))
    expect((await new Browser().register(await account.people.invite('Ada'), await newAuthenticator(id))).status).toBe(200)
    const invitation = await account.people.invite('Bob')
    const known = await new Browser().register(invitation, await newAuthenticator(id))
    expect(await outcome(known)).toEqual([401, 'invalid_key', 'This passkey is already registered. Create another one.'])
    const bob = new Browser()
    expect((await bob.register(invitation, await newAuthenticator())).status).toBe(200)
    expect(await bob.json('GET', '/me')).toMatchObject({ name: 'Bob' })
    expect((await bob.ask('POST', '/register/options', { invitation })).status).toBe(401)
  })

  it('accepts one answer to a challenge within five minutes', async () => {
    const { account } = await newAccount('pro')
    const invitation = await account.people.invite('Ada')
    const [browser, authenticator] = [new Browser(), await newAuthenticator()]
    type Options = { options: { challenge: string; user: { id: string } } }
    const { options } = await browser.json<Options>('POST', '/register/options', { invitation })
    const wrong = await authenticator.register({ ...options, challenge: 'AAAA' })
    const right = await authenticator.register(options)
    expect(await outcome(await browser.ask('POST', '/register', { invitation, credential: wrong }))).toEqual(NOT_VERIFIED)
    expect(await outcome(await browser.ask('POST', '/register', { invitation, credential: right }))).toEqual(OVER)
    vi.useFakeTimers({ toFake: ['Date'] })
    const { options: later } = await browser.json<Options>('POST', '/register/options', { invitation })
    vi.setSystemTime(Date.now() + FIVE_MINUTES_MS)
    expect(await outcome(await browser.ask('POST', '/register', { invitation, credential: await authenticator.register(later) }))).toEqual(
      OVER,
    )
    expect((await browser.register(invitation, authenticator)).status).toBe(200)
  })

  it('of an older version is still valid', async () => {
    const { account, accountId } = await newAccount('pro')
    const stub = env.ACCOUNTS.getByName(accountId) as unknown as DurableObjectStub
    await runInDurableObject(stub, (_, state) => {
      state.storage.sql.exec('ALTER TABLE invitations ADD COLUMN challenge TEXT')
    })
    const browser = new Browser()
    expect((await browser.register(await account.people.invite('Ada'), await newAuthenticator())).status).toBe(200)
  })
})
