/** Does every part of the service answer? */
import type { Env } from '../env.ts'
import { bucketsOf } from '../store/region-bindings.ts'
import type { Look } from '../store/status-history.ts'

const TIMEOUT_MS = 5000
/** Objects that are asked, one at a time by chance: a single one would be everybody's. */
const OBJECTS = 256

/** Each really reaches its service and changes nothing. */
const CHECKS: Readonly<Record<string, (env: Env) => Promise<unknown>>> = {
  blobs: (env) => Promise.all(bucketsOf(env).map((bucket) => bucket.head('health'))),
  durable_objects: (env) => env.TASKS.getByName(`health-${Math.floor(Math.random() * OBJECTS)}`).read(),
  press: (env) => env.PRESS.health(),
  media: (env) => env.MEDIA.health(),
}

export async function lookAround(env: Env): Promise<Look> {
  return Object.fromEntries(await Promise.all(Object.entries(CHECKS).map(async ([name, check]) => [name, await tried(() => check(env))])))
}

async function tried(check: () => Promise<unknown>): Promise<Look[string]> {
  const startedMs = Date.now()
  const late = new Promise<never>((_, reject) => setTimeout(reject, TIMEOUT_MS, new Error('no answer in time')))
  const ok = await Promise.race([check(), late]).then(
    () => true,
    () => false,
  )
  return { ok, ms: Date.now() - startedMs }
}
