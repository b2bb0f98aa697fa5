/** Cookies of the console: a session after sign-in, and a ticket during sign-in. HttpOnly, SameSite=Strict, path /console. */

import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import { apiMessage } from '../../i18n/message.ts'
import { accountExists, addToAccountIndex } from '../../store/account-index.ts'
import type { AccountRecord } from '../../store/accounts.ts'
import { randomBase62 } from '../../store/key-format.ts'
import { consoleGateName, consoleReadsGateName, type KeyRecord, SCOPES } from '../../store/keys.ts'
import { isAtLeast, type Role } from '../../store/people.ts'
import { testAccountOf, testPlanOf } from '../../store/test-accounts.ts'
import { ApiError } from '../../tasks/api-error.ts'
import { rateLimited } from '../authenticate.ts'
import type { AppContext } from '../context.ts'

const SESSION = 'whittle_session'
const CHALLENGE = 'whittle_challenge'
/** Path prefix of the same routes for data of test keys. */
export const TEST_PATH = '/console/api/test/'
const SESSION_SECONDS = 12 * 3600
const CHALLENGE_SECONDS = 300
const READS_PER_MINUTE = 1200
const TICKET_LENGTH = 32
const TICKET = /^[0-9A-Za-z]{32}$/

/** A session token contains its account id: `acc_….<random>`. */
const TOKEN = /^(acc_\w{20})\.[\w-]{43}$/

/** Account of a session token. `undefined`: the token is not valid. */
export async function accountOfToken(c: AppContext, token: string): Promise<string | undefined> {
  const accountId = TOKEN.exec(token)?.[1]
  return accountId !== undefined && (await accountExists(c.env.BLOBS, accountId)) ? accountId : undefined
}

const cookie = (c: AppContext): CookieOptions => ({
  path: '/console',
  httpOnly: true,
  sameSite: 'Strict',
  secure: c.get('url').protocol === 'https:',
})

/**
 * Authenticates a signed-in person for the routes of the API, with every scope and without a key.
 * A form on another site can send neither the cookie (SameSite) nor the required header.
 */
export async function authenticateSession(c: AppContext, access: 'session' | 'session:counted'): Promise<void> {
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD' && !c.req.header('X-Whittle-Console')) {
    throw new ApiError('invalid_key', 'console_header_missing')
  }
  const token = sessionToken(c)
  const accountId = await accountOfToken(c, token)
  const account = accountId ? c.env.ACCOUNTS.getByName(accountId) : undefined
  const [person, record] = account ? await Promise.all([account.people.session(token), account.get()]) : []
  if (!accountId || !person || !record || record.state === 'disabled') throw new ApiError('missing_key', 'sign_in_first')
  const used = c.get('url').pathname.startsWith(TEST_PATH) ? await testAccount(c, record) : record
  const limit = used.lowestLimit ?? undefined
  const common = {
    keyId: 'console',
    accountId: used.accountId,
    applicationId: 'console',
    plan: used.plan,
    scopes: SCOPES,
    state: 'active',
  } as const
  const key: KeyRecord = { ...common, ...(limit === undefined ? {} : { requestsPerMinute: limit }) }
  c.set('key', key)
  c.set('home', accountId)
  c.set('person', person)
  await count(c, key, access)
}

/** Account of the test keys, in its current state. It is created on first access. */
async function testAccount(c: AppContext, { accountId, name, plan, createdAt, lowestLimit = null }: AccountRecord): Promise<AccountRecord> {
  const twin = c.env.ACCOUNTS.getByName(testAccountOf(accountId))
  const wanted = testPlanOf(plan)
  const known = await twin.get()
  // If only the test account is disabled, the operator disabled it, and only the operator can enable it.
  if (known?.state === 'disabled') throw new ApiError('disabled_key', 'test_keys_disabled')
  if (known?.plan === wanted) return known
  if (known) await twin.update({ plan: wanted })
  else {
    const test = { accountId: testAccountOf(accountId), name: `${name} (test)`, plan: wanted, createdAt, state: 'active' } as const
    await twin.put({ ...test, limitAbove: lowestLimit })
    await addToAccountIndex(c.env.BLOBS, testAccountOf(accountId))
  }
  return (await twin.get())!
}

/** @throws ApiError if the person has no permission for this request */
export function requireRole(c: AppContext, role: Role): void {
  const person = c.get('person')
  if (isAtLeast(person.role, role)) return
  throw new ApiError('missing_scope', apiMessage('role_needed', { role, own: person.role }), { scope: role })
}

/** Rate limit of a session: changes count like requests of a key. Reads have a separate, much larger limit. */
async function count(c: AppContext, key: KeyRecord, access: 'session' | 'session:counted'): Promise<void> {
  const counted = access === 'session:counted'
  const gate = c.env.KEY_GATES.getByName(counted ? consoleGateName(key.accountId) : consoleReadsGateName(key.accountId))
  const entry = await gate.enterAs(counted ? key : { ...key, requestsPerMinute: READS_PER_MINUTE })
  if (counted && 'rate' in entry) c.set('rate', entry.rate)
  if (entry.kind === 'limited') throw rateLimited(key.plan, entry.rate)
}

export const openSession = (c: AppContext, token: string) => setCookie(c, SESSION, token, { ...cookie(c), maxAge: SESSION_SECONDS })

/** Session cookie as the browser sent it, not validated. */
export const sessionToken = (c: AppContext) => getCookie(c, SESSION) ?? ''

export async function closeSession(c: AppContext): Promise<void> {
  const token = sessionToken(c)
  const accountId = await accountOfToken(c, token)
  if (accountId) await c.env.ACCOUNTS.getByName(accountId).people.closeSession(token)
  deleteCookie(c, SESSION, cookie(c))
}

/** Creates a sign-in challenge for this browser. One of 62 reserved accounts stores it; a cookie holds the ticket. */
export async function issueChallenge(c: AppContext): Promise<string> {
  const ticket = randomBase62(TICKET_LENGTH)
  const challenge = await challenges(c, ticket).issue(ticket)
  setCookie(c, CHALLENGE, ticket, { ...cookie(c), maxAge: CHALLENGE_SECONDS })
  return challenge
}

/** Takes the sign-in challenge of this browser. It can be used once, even if the attempt fails. */
export async function takeChallenge(c: AppContext): Promise<string | undefined> {
  const ticket = getCookie(c, CHALLENGE) ?? ''
  deleteCookie(c, CHALLENGE, cookie(c))
  return TICKET.test(ticket) ? challenges(c, ticket).take(ticket) : undefined
}

const challenges = (c: AppContext, ticket: string) => c.env.ACCOUNTS.getByName(`sign-in/${ticket[0]}`).challenges
