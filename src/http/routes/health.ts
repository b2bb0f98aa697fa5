/** GET /healthz: does every binding answer? */
import { bucketsOf } from '../../store/place.ts'
import { ApiError } from '../../tasks/api-error.ts'
import type { AppContext } from '../context.ts'
import { json, type Route } from '../route.ts'
import { health } from '../schemas.ts'

const TIMEOUT_MS = 5000
/** A good answer holds so long: nobody keeps the bindings busy by asking. */
const HOLDS_MS = 5000
/** Objects that are asked, one at a time by chance: a single one would be everybody's. */
const OBJECTS = 256

/** Each really reaches its service and changes nothing. */
const CHECKS: Readonly<Record<string, (c: AppContext) => Promise<unknown>>> = {
  blobs: (c) => Promise.all(bucketsOf(c.env).map((bucket) => bucket.head('health'))),
  durable_objects: (c) => c.env.TASKS.getByName(`health-${Math.floor(Math.random() * OBJECTS)}`).read(),
  press: (c) => c.env.PRESS.health(),
  media: (c) => c.env.MEDIA.health(),
}

/** Of this isolate. */
let good: { readonly answer: object; readonly until: number } | undefined

export const healthz: Route = {
  method: 'GET',
  path: '/healthz',
  access: 'public',
  async handle(c) {
    if (good && Date.now() < good.until) return json(good.answer)
    const results = await Promise.all(Object.entries(CHECKS).map(async ([name, check]) => [name, await tried(() => check(c))] as const))
    const checks = Object.fromEntries(results)
    const failed = results.filter(([, result]) => !result.ok).map(([name]) => name)
    if (failed.length > 0) {
      throw new ApiError('overloaded', `Not everything answers: ${failed.join(', ')}.`, { checks }, { 'Retry-After': '5' })
    }
    good = { answer: { status: 'ok', checks }, until: Date.now() + HOLDS_MS }
    return json(good.answer)
  },
  doc: { id: 'healthz', summary: 'Does the service reach all of its parts?', answer: health, errors: [503] },
}

async function tried(check: () => Promise<unknown>): Promise<{ ok: boolean; ms: number }> {
  const startedMs = Date.now()
  const late = new Promise<never>((_, reject) => setTimeout(reject, TIMEOUT_MS, new Error('no answer in time')))
  const ok = await Promise.race([check(), late]).then(
    () => true,
    () => false,
  )
  return { ok, ms: Date.now() - startedMs }
}
