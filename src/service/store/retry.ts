/**
 * Retries of calls to Durable Objects and buckets. Calls may fail while an object moves, a deployment resets it, or the network fails.
 * The platform itself repeats only calls that never arrived.
 */
import type { Namespace } from './namespace.ts'

/** Error: a platform service failed and all retries failed. Neither file nor codec is the cause. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'

  constructor(what: string, cause: unknown) {
    super(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** Pauses between retries in milliseconds: short ones if a client waits, long ones for calls that must not be lost. */
export const SHORT_PAUSES_MS = [50, 200, 800] as const
export const LONG_PAUSES_MS = [100, 500, 2000, 8000, 20_000] as const

/** Returns `ms` times a random factor of 0.5 to 1.5, so that many callers do not retry at the same moment. */
export const jittered = (ms: number, random = Math.random()) => ms * (0.5 + random)

/**
 * Calls `work` until it succeeds, with a pause before each retry.
 * @throws PlatformError if the first try and all retries failed
 */
export async function callWithRetries<Answer>(what: string, pausesMs: readonly number[], work: () => Promise<Answer>): Promise<Answer> {
  for (let retries = 0; ; retries++) {
    try {
      return await work()
    } catch (error) {
      const pauseMs = pausesMs[retries]
      if (pauseMs === undefined) throw new PlatformError(what, error)
      console.warn(JSON.stringify({ level: 'warn', event: 'call_retried', what, tried: retries + 1, error: String(error) }))
      await new Promise((resolve) => setTimeout(resolve, jittered(pauseMs)))
    }
  }
}

/**
 * Wraps a namespace: each call uses a new stub, because a broken stub stays broken, and calls of `methods` are retried.
 * @param methods names of idempotent methods
 */
export function withRetries<Api extends object>(
  namespace: Namespace<Api>,
  methods: readonly (keyof Api & string)[],
  pausesMs: readonly number[],
): Namespace<Api> {
  const getByName = (name: string): Api =>
    new Proxy(namespace.getByName(name), {
      get(_, method) {
        const stub = namespace.getByName(name)
        if (!(methods as readonly unknown[]).includes(method)) return Reflect.get(stub, method)
        return (...values: unknown[]) =>
          callWithRetries(`${String(method)} of ${name}`, pausesMs, async () => {
            const fresh = namespace.getByName(name)
            return Reflect.apply(Reflect.get(fresh, method) as (...args: unknown[]) => unknown, fresh, values)
          })
      },
    })
  return { getByName }
}
