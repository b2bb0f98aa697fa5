/**
 * Rate limit of one IP address, applied before a key is looked up. Otherwise each guessed key would start a Durable Object.
 * The limits are far above what a plan or a person needs. The rate limit of a key is counted by its Durable Object.
 */
import type { RateLimiter } from '../env.ts'
import { ApiError } from '../tasks/api-error.ts'
import type { Access, AppContext } from './context.ts'

/** Period of the rate limits in `wrangler.toml`, in seconds. */
const WINDOW_SECONDS = 60

export async function enforceIpRateLimit(c: AppContext, access: Access): Promise<void> {
  const address = c.req.header('CF-Connecting-IP')
  const limiter = limiterFor(c, access)
  if (!limiter || !address || (await limiter.limit({ key: address })).success) return
  const message = 'too_many_from_address'
  const facts = { window_seconds: WINDOW_SECONDS, retry_after_seconds: WINDOW_SECONDS }
  throw new ApiError('rate_limited', message, facts, { 'Retry-After': String(WINDOW_SECONDS) })
}

/** True for pages, sign-in, health checks and the operator's routes: they use the limit for people and monitors. */
function limiterFor({ env }: AppContext, access: Access): RateLimiter | undefined {
  if (env.ENVIRONMENT === 'local') return undefined
  return access === 'public' || access === 'operator' ? env.ANON_LIMITER : env.KEY_LIMITER
}
