/**
 * How often one address may knock, before anything is looked up for it: a flood of guessed keys would ask an object for each. What a
 * key may do is counted by its gate; these limits are far above what a plan or a person needs.
 */
import type { RateLimiter } from '../env.ts'
import { ApiError } from '../tasks/api-error.ts'
import type { Access, AppContext } from './context.ts'

/** Of the limits in `wrangler.toml`. */
const WINDOW_SECONDS = 60

export async function assertMayKnock(c: AppContext, access: Access): Promise<void> {
  const address = c.req.header('CF-Connecting-IP')
  const limiter = limiterFor(c, access)
  if (!limiter || !address || (await limiter.limit({ key: address })).success) return
  const message = 'too_many_from_address'
  const facts = { window_seconds: WINDOW_SECONDS, retry_after_seconds: WINDOW_SECONDS }
  throw new ApiError('rate_limited', message, facts, { 'Retry-After': String(WINDOW_SECONDS) })
}

/** Pages, sign-in, health and the operator's token are for people and monitors; keys are for programs. */
function limiterFor({ env }: AppContext, access: Access): RateLimiter | undefined {
  if (env.ENVIRONMENT === 'local') return undefined
  return access === 'public' || access === 'operator' ? env.STRANGERS : env.PROGRAMS
}
