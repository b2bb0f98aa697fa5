/** Health checks of all service parts. */
import type { Env } from '../env.ts'
import { bucketsOf } from '../store/region-bindings.ts'
import type { HealthCheckResult } from '../store/status-history.ts'

const TIMEOUT_MS = 5000
/** Number of Durable Objects used for checks. One is chosen at random, so that parallel checks do not share a single object. */
const HEALTH_OBJECTS = 256

/** One check for each service part. Each calls the real service and changes nothing. */
const CHECKS: Readonly<Record<string, (env: Env) => Promise<unknown>>> = {
  blobs: (env) => Promise.all(bucketsOf(env).map((bucket) => bucket.head('health'))),
  durable_objects: (env) => env.TASKS.getByName(`health-${Math.floor(Math.random() * HEALTH_OBJECTS)}`).read(),
  press: (env) => env.PRESS.health(),
  media: (env) => env.MEDIA.health(),
}

export async function checkHealth(env: Env): Promise<HealthCheckResult> {
  return Object.fromEntries(
    await Promise.all(Object.entries(CHECKS).map(async ([name, check]) => [name, await timedCheck(() => check(env))])),
  )
}

async function timedCheck(check: () => Promise<unknown>): Promise<HealthCheckResult[string]> {
  const startedMs = Date.now()
  const timeout = new Promise<never>((_, reject) => setTimeout(reject, TIMEOUT_MS, new Error(`No response within ${TIMEOUT_MS} ms.`)))
  const ok = await Promise.race([check(), timeout]).then(
    () => true,
    () => false,
  )
  return { ok, ms: Date.now() - startedMs }
}
