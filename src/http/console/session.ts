/** The console's cookies: a session after sign-in, a challenge during it. HttpOnly, SameSite=Strict, below /console only. */
import { deleteCookie, getCookie, getSignedCookie, setCookie, setSignedCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import { SCOPES } from '../../store/keys.ts'
import { ApiError } from '../../tasks/api-error.ts'
import type { AppContext } from '../context.ts'

const SESSION = 'whittle_session'
const CHALLENGE = 'whittle_challenge'
const SESSION_SECONDS = 12 * 3600
const CHALLENGE_SECONDS = 300

/** A token names its account: `acc_….<random>`. */
const TOKEN = /^(acc_[0-9A-Za-z]{20})\.[\w-]{43}$/

/** The account a token belongs to; undefined: it is no token of ours. */
export const accountOfToken = (token: string) => TOKEN.exec(token)?.[1]

const cookie = (c: AppContext): CookieOptions => ({
  path: '/console',
  httpOnly: true,
  sameSite: 'Strict',
  secure: c.get('url').protocol === 'https:',
})

/**
 * Lets a signed-in person use the routes of the API with every scope and without a key. A form on another site can send
 * neither the cookie (SameSite) nor the header.
 */
export async function authenticateSession(c: AppContext): Promise<void> {
  if (c.req.method !== 'GET' && c.req.method !== 'HEAD' && !c.req.header('X-Whittle-Console')) {
    throw new ApiError('invalid_key', 'The header X-Whittle-Console is missing.')
  }
  const token = getCookie(c, SESSION) ?? ''
  const accountId = accountOfToken(token)
  const account = accountId ? c.env.ACCOUNTS.getByName(accountId) : undefined
  const [person, record] = account ? await Promise.all([account.people.session(token), account.get()]) : []
  if (!accountId || !person || !record || record.state === 'disabled') throw new ApiError('missing_key', 'Sign in first.')
  c.set('key', { keyId: 'console', accountId, applicationId: 'console', plan: record.plan, scopes: SCOPES, state: 'active' })
  c.set('person', person)
}

export const openSession = (c: AppContext, token: string) => setCookie(c, SESSION, token, { ...cookie(c), maxAge: SESSION_SECONDS })

export async function closeSession(c: AppContext): Promise<void> {
  const token = getCookie(c, SESSION) ?? ''
  const accountId = accountOfToken(token)
  if (accountId) await c.env.ACCOUNTS.getByName(accountId).people.closeSession(token)
  deleteCookie(c, SESSION, cookie(c))
}

export const keepChallenge = (c: AppContext, challenge: string) =>
  setSignedCookie(c, CHALLENGE, challenge, secret(c), { ...cookie(c), maxAge: CHALLENGE_SECONDS })

/** The challenge that this browser was given; it is used once. */
export async function takeChallenge(c: AppContext): Promise<string | undefined> {
  const challenge = await getSignedCookie(c, secret(c), CHALLENGE)
  deleteCookie(c, CHALLENGE, cookie(c))
  return challenge || undefined
}

function secret(c: AppContext): string {
  if (!c.env.SECRET_KEY) throw new ApiError('maintenance', 'The console needs the secret SECRET_KEY, which is not set.')
  return c.env.SECRET_KEY
}
