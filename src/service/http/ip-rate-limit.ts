/**
 * Rate limit of one IP address, applied before a key is looked up. Otherwise each guessed key would start a Durable Object.
 * The limits are far above what a plan or a person needs. The rate limit of a key is counted by its Durable Object.
 */
import type { RateLimiter } from '../env.ts'
import { ApiError } from '../tasks/api-error.ts'
import type { Access, AppContext } from './context.ts'
import { MemoryRateLimiter } from './memory-rate-limiter.ts'

/** Period of the rate limits in `wrangler.toml`, in seconds. */
const WINDOW_SECONDS = 60

/** Limits of a service on one machine: the same as in `wrangler.toml`. */
export const LOCAL_LIMITS = { ANON_LIMITER: 600, KEY_LIMITER: 20_000 }
const LOCAL_LIMITERS = {
  ANON_LIMITER: new MemoryRateLimiter(LOCAL_LIMITS.ANON_LIMITER, WINDOW_SECONDS * 1000),
  KEY_LIMITER: new MemoryRateLimiter(LOCAL_LIMITS.KEY_LIMITER, WINDOW_SECONDS * 1000),
}

export async function enforceIpRateLimit(c: AppContext, access: Access): Promise<void> {
  const address = c.req.header('CF-Connecting-IP')
  const limiter = limiterFor(c, access)
  if (!limiter || !address || (await limiter.limit({ key: address })).success) return
  const message = 'too_many_from_address'
  const facts = { window_seconds: WINDOW_SECONDS, retry_after_seconds: WINDOW_SECONDS }
  throw new ApiError('rate_limited', message, facts, { 'Retry-After': String(WINDOW_SECONDS) })
}

/** Pages, sign-in, health checks and the operator's routes use the limit for people and monitors. `undefined`: no limit. */
function limiterFor({ env }: AppContext, access: Access): RateLimiter | undefined {
  const name = access === 'public' || access === 'operator' ? 'ANON_LIMITER' : 'KEY_LIMITER'
  if (env.ENVIRONMENT !== 'local') return env[name]
  return limitsAddresses({ env }) ? LOCAL_LIMITERS[name] : undefined
}

/** False for a service for this machine only, whose clients share one address. */
export const limitsAddresses = ({ env }: Pick<AppContext, 'env'>): boolean => env.ENVIRONMENT !== 'local' || env.PUBLIC_URL !== undefined
