/**
 * Calls of Durable Objects and buckets that may break on the way: an object is moved, a deployment resets it, the network is gone
 * for a moment. The platform repeats only what never arrived.
 */
import type { Namespace } from './namespace.ts'

/** The platform failed and went on failing. No file and no codec is to blame. */
export class PlatformError extends Error {
  override readonly name = 'PlatformError'

  constructor(what: string, cause: unknown) {
    super(`${what}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
  }
}

/** Pauses between tries, milliseconds: for somebody who waits, and for what must not be lost. */
export const SHORT_PAUSES_MS = [50, 200, 800] as const
export const LONG_PAUSES_MS = [100, 500, 2000, 8000, 20_000] as const

/** Half to one and a half times as long, so that many do not come at the same moment. */
export const jittered = (ms: number, random = Math.random()) => ms * (0.5 + random)

/** @throws PlatformError when `work` has failed once more than there are pauses */
export async function repeatedly<Answer>(what: string, pausesMs: readonly number[], work: () => Promise<Answer>): Promise<Answer> {
  for (let tried = 0; ; tried++) {
    try {
      return await work()
    } catch (error) {
      const pauseMs = pausesMs[tried]
      if (pauseMs === undefined) throw new PlatformError(what, error)
      console.warn(JSON.stringify({ level: 'warn', event: 'repeated', what, tried: tried + 1, error: String(error) }))
      await new Promise((resolve) => setTimeout(resolve, jittered(pauseMs)))
    }
  }
}

/**
 * The same objects, each method called through a stub of its own: one that broke stays broken for ever. `methods` are repeated;
 * calling them twice must do as much as once.
 */
export function steady<Face extends object>(
  namespace: Namespace<Face>,
  methods: readonly (keyof Face & string)[],
  pausesMs: readonly number[],
): Namespace<Face> {
  const getByName = (name: string): Face =>
    new Proxy(namespace.getByName(name), {
      get(_, method) {
        const stub = namespace.getByName(name)
        if (!(methods as readonly unknown[]).includes(method)) return Reflect.get(stub, method)
        return (...values: unknown[]) =>
          repeatedly(`${String(method)} of ${name}`, pausesMs, async () => {
            const fresh = namespace.getByName(name)
            return Reflect.apply(Reflect.get(fresh, method) as (...args: unknown[]) => unknown, fresh, values)
          })
      },
    })
  return { getByName }
}
