/** Authentication: the Durable Object of the API key checks the key, its scope and its rate limit in one call. */

import { type ApiMessageOrCode, apiMessage } from '../i18n/message.ts'
import { hashKey, isWellFormedKey, regionOfKey } from '../store/key-format.ts'
import { gateName, type KeyCheckResult, type RateState, type Scope } from '../store/keys.ts'
import { ApiError } from '../tasks/api-error.ts'
import type { AppContext } from './context.ts'
import { secondsUntil } from './headers.ts'
import { isLoopback } from './loopback.ts'

/** Bearer token in the syntax of RFC 6750. The scheme name is case-insensitive (RFC 9110, 11.1). */
function bearer(c: AppContext): string {
  const header = c.req.header('Authorization')?.trim()
  if (!header) throw unauthorized('missing_key', 'key_needed')
  const token = /^bearer\s+(\S+)$/i.exec(header)?.[1]
  if (!token) throw unauthorized('invalid_key', 'authorization_must_be_bearer')
  return token
}

export async function authenticate(c: AppContext, access: 'key' | Scope): Promise<void> {
  refuseConsoleElsewhere(c)
  const token = bearer(c)
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
  c.set('rate', entry.rate)
  if (entry.kind === 'missing_scope') throw missingScope(access as Scope)
  if (entry.kind === 'limited') throw rateLimited(entry.key.plan, entry.rate)
}

/**
 * The console sends its header with a key only if a person has pasted the key into its page. People should not get used to that on a public
 * address, where the page may belong to an attacker. The header gives no right: such a request may do what the key may do.
 */
function refuseConsoleElsewhere(c: AppContext): void {
  if (c.req.header('X-Whittle-Console') && !isLoopback(c.get('url').hostname)) throw unauthorized('invalid_key', 'key_only_on_loopback')
}

/** Durable Object of the key, in the region that the key names. A key without a region can accidentally look like one with a region. */
async function enter(c: AppContext, token: string, scope: Scope | null): Promise<KeyCheckResult> {
  const hash = await hashKey(token)
  const region = regionOfKey(token)
  const entry = await c.env.KEY_GATES.getByName(gateName(hash, region)).enter(scope)
  return entry.kind === 'unknown' && region !== undefined ? c.env.KEY_GATES.getByName(hash).enter(scope) : entry
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
