/** Authentication: the Durable Object of the API key checks the key or its browser token, its scope and its rate limit in one call. */

import { type ApiMessageOrCode, apiMessage } from '../i18n/message.ts'
import { hashKey, isWellFormedKey, regionOfKey } from '../store/key-format.ts'
import { gateName, type KeyCheckResult, type RateState, type Scope, type TokenCheckResult } from '../store/keys.ts'
import { gateOfToken, isGuestToken, looksLikeToken } from '../store/token-format.ts'
import { grantOf } from '../store/upload-tokens.ts'
import { ApiError } from '../tasks/api-error.ts'
import { guestHourUsed, hasGuests } from '../tasks/guests.ts'
import { tokenRefusal, tokenUsedUp } from '../tasks/token-rules.ts'
import { type AppContext, baseUrl } from './context.ts'
import { secondsUntil } from './headers.ts'
import { isLoopback } from './loopback.ts'
import { contentLength } from './tus.ts'

/** Bearer token in the syntax of RFC 6750. The scheme name is case-insensitive (RFC 9110, 11.1). */
function bearer(c: AppContext): string {
  const header = c.req.header('Authorization')?.trim()
  if (!header) throw unauthorized('missing_key', 'key_needed')
  const token = /^bearer\s+(\S+)$/i.exec(header)?.[1]
  if (!token) throw unauthorized('invalid_key', 'authorization_must_be_bearer')
  return token
}

/** @param purpose what a browser token may do at the route. Default: nothing */
export async function authenticate(c: AppContext, access: 'key' | Scope, purpose: 'file' | 'own' | 'none' = 'none'): Promise<void> {
  refuseConsoleElsewhere(c)
  const token = bearer(c)
  if (looksLikeToken(token)) return authenticateToken(c, token, purpose)
  if (!isWellFormedKey(token)) throw unauthorized('invalid_key', 'no_key_of_ours')
  const entry = await enter(c, token, access === 'key' ? null : access)
  switch (entry.kind) {
    case 'unknown':
      throw unauthorized('invalid_key', 'no_such_api_key')
    case 'expired':
      throw unauthorized('expired_key', 'key_expired')
    case 'disabled':
      throw unauthorized('disabled_key', 'key_disabled')
  }
  c.set('key', entry.key)
  c.set('gate', entry.gate)
  c.set('rate', entry.rate)
  if (entry.kind === 'missing_scope') throw missingScope(access as Scope)
  if (entry.kind === 'limited') throw rateLimited(entry.key.plan, entry.rate)
}

async function authenticateToken(c: AppContext, text: string, purpose: 'file' | 'own' | 'none'): Promise<void> {
  const gate = gateOfToken(text)
  if (gate === undefined || (isGuestToken(text) && !hasGuests(c.env))) throw unauthorized('invalid_key', 'no_such_token')
  const bytes = contentLength(c)
  const use = { origin: originOf(c), purpose, ...(bytes === undefined ? {} : { bytes }) }
  const entry = await c.env.KEY_GATES.getByName(gate).enterWithToken(await hashKey(text), use)
  if (entry.kind === 'hour_used') throw guestHourUsed(entry.until)
  if (!('token' in entry)) throw refusalWithoutToken(c, entry.kind)
  c.set('key', entry.key)
  c.set('rate', entry.rate)
  c.set('token', grantOf(entry.token, gate))
  c.set('readableBy', entry.token.origin)
  switch (entry.kind) {
    case 'missing_scope':
      throw missingScope('tokens')
    case 'none':
      throw tokenRefusal('request', 'token_not_for_request')
    case 'used_up':
      throw tokenUsedUp(entry.token.maxFiles)
    case 'limited':
      throw rateLimited(entry.key.plan, entry.rate)
  }
}

function refusalWithoutToken(c: AppContext, kind: Exclude<TokenCheckResult, { token: unknown } | { until: number }>['kind']): ApiError {
  if (kind === 'token_expired') return unauthorized('expired_key', 'token_expired')
  if (kind === 'expired') return unauthorized('expired_key', 'key_expired')
  if (kind === 'disabled') return unauthorized('disabled_key', 'key_disabled')
  if (kind === 'unknown') return unauthorized('invalid_key', 'no_such_token')
  c.set('readableBy', '')
  return tokenRefusal('origin', 'token_not_for_origin')
}

/** Origin of the page that sent the request. For a GET to their own origin, browsers send only `Sec-Fetch-Site`. `undefined`: unknown. */
const originOf = (c: AppContext): string | undefined =>
  c.req.header('Origin') ?? (c.req.header('Sec-Fetch-Site') === 'same-origin' ? baseUrl(c) : undefined)

/**
 * The console sends its header with a key only if a person has pasted the key into its page. People should not get used to that on a public
 * address, where the page may belong to an attacker. The header gives no right: such a request may do what the key may do.
 */
function refuseConsoleElsewhere(c: AppContext): void {
  if (c.req.header('X-Whittle-Console') && !isLoopback(c.get('url').hostname)) throw unauthorized('invalid_key', 'key_only_on_loopback')
}

/** Durable Object of the key, in the region that the key names. A key without a region can accidentally look like one with a region. */
async function enter(c: AppContext, token: string, scope: Scope | null): Promise<KeyCheckResult & { gate: string }> {
  const hash = await hashKey(token)
  const region = regionOfKey(token)
  const enterAt = async (gate: string) => ({ ...(await c.env.KEY_GATES.getByName(gate).enter(scope)), gate })
  const entry = await enterAt(gateName(hash, region))
  return entry.kind === 'unknown' && region !== undefined ? enterAt(hash) : entry
}

function unauthorized(type: 'missing_key' | 'invalid_key' | 'expired_key' | 'disabled_key', said: ApiMessageOrCode): ApiError {
  const challenge = type === 'missing_key' ? 'Bearer realm="whittle"' : 'Bearer realm="whittle", error="invalid_token"'
  return new ApiError(type, said, {}, { 'WWW-Authenticate': challenge })
}

const missingScope = (scope: Scope) => new ApiError('missing_scope', apiMessage('key_lacks_scope', { scope }), { scope })

export function rateLimited(plan: string, { limit, resetAt = Date.now() }: RateState): ApiError {
  const seconds = Math.max(1, secondsUntil(resetAt, Date.now()))
  const message = apiMessage('too_many_requests', { plan, limit: String(limit), seconds })
  const facts = { limit, plan, window_seconds: 60, retry_after_seconds: seconds }
  return new ApiError('rate_limited', message, facts, { 'Retry-After': String(seconds) })
}

/** Checks the operator's token. Without a configured token, the route does not exist. */
export async function authenticateOperator(c: AppContext): Promise<void> {
  const expected = c.env.ADMIN_TOKEN
  if (!expected) throw new ApiError('unknown_route', apiMessage('nothing_at', { path: c.get('url').pathname }))
  if (!(await equalInConstantTime(bearer(c), expected))) throw unauthorized('invalid_key', 'not_operator_token')
}

/** Compares digests, so that the duration reveals neither the length nor the first difference. */
async function equalInConstantTime(a: string, b: string): Promise<boolean> {
  const [left, right] = await Promise.all([a, b].map((text) => crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
  return crypto.subtle.timingSafeEqual(left!, right!)
}
