/**
 * Looks whether what should be gone is gone. It removes blobs that no task names: what an upload, an attempt or a deletion left behind
 * when its process was killed; wakes tasks that lost their alarm; and does what the bucket's own rules (tools/deploy/lifecycle.ts)
 * would have done a day ago, for buckets that have none, as on one machine.
 */
import type { Env } from '../env.ts'
import { DAYS_KEPT, goesAt } from '../store/blob-names.ts'
import { bucketsOf } from '../store/region-bindings.ts'
import { uploadOfTask } from '../store/upload-records.ts'

const HOUR_MS = 60 * 60_000
/** Younger blobs may belong to a request that is still under way. */
const MIN_AGE_MS = HOUR_MS
/** Each look is a request to a Durable Object, and one call of a Worker may make 10 000: the next sweep goes on from there. */
const MOST_LOOKS = 5000
/** A look takes as long as its object is away. */
export const LOOKS_AT_ONCE = 20
/** In the order of their names, as the bucket lists them. */
const PREFIXES = [...DAYS_KEPT.keys()].sort()
/** These have no task. */
const KEPT_BY_AGE = /^(?:dead-letters|exports)\//
/** A bucket takes up to a day to do what its rules say. */
const RULES_TAKE_MS = 24 * HOUR_MS
/** Holds the last key that was looked at by a sweep that did not come to the end. */
const PLACE = 'sweep/place'

export interface Swept {
  readonly looked: number
  readonly removed: number
  /** Blobs whose task could not be asked: they stay until they are overdue, and the next round asks again. */
  readonly failed: number
  /** Removed ones that the bucket's own rules should have removed. */
  readonly overdue: number
  /** false: the next sweep goes on where this one stopped. */
  readonly ended: boolean
}

type SweepEnv = Pick<Env, 'BLOBS' | 'TASKS' | 'UPLOADS'>

/** Every bucket has a place of its own. Each hour another one comes first: looks that it leaves are for the next. */
export async function sweep(env: SweepEnv, now = Date.now(), minAgeMs = MIN_AGE_MS, mostLooks = MOST_LOOKS): Promise<Swept> {
  const buckets = bucketsOf(env)
  const first = Math.floor(now / HOUR_MS) % buckets.length
  let sum: Swept = { looked: 0, removed: 0, failed: 0, overdue: 0, ended: true }
  for (const bucket of [...buckets.slice(first), ...buckets.slice(0, first)]) {
    const swept = await sweepBucket(env, bucket, { now, minAgeMs, mostLooks: mostLooks - sum.looked })
    sum = { ...added(sum, swept), ended: sum.ended && swept.ended }
  }
  return sum
}

type Counts = Omit<Swept, 'ended'>

const added = (a: Counts, b: Counts): Counts => ({
  looked: a.looked + b.looked,
  removed: a.removed + b.removed,
  failed: a.failed + b.failed,
  overdue: a.overdue + b.overdue,
})

interface Round {
  /** Epoch milliseconds. */
  readonly now: number
  readonly minAgeMs: number
  readonly mostLooks: number
}

async function sweepBucket(env: SweepEnv, bucket: R2Bucket, { now, minAgeMs, mostLooks }: Round): Promise<Swept> {
  const place = (await (await bucket.get(PLACE))?.text()) ?? ''
  let sum: Counts = { looked: 0, removed: 0, failed: 0, overdue: 0 }
  for (const prefix of PREFIXES) {
    for await (const page of pages(bucket, prefix, place)) {
      const old = KEPT_BY_AGE.test(prefix)
        ? page.filter((blob) => isOverdue(blob, now))
        : page.filter((blob) => ageMs(blob, now) >= minAgeMs)
      const due = old.slice(0, mostLooks - sum.looked)
      sum = added(sum, await check(env, due, now))
      // Kept after each page: what was done is not done again when this sweep is killed.
      const last = due.length < old.length ? due.at(-1) : page.at(-1)
      if (last) await bucket.put(PLACE, last.key)
      if (due.length < old.length) return { ...sum, ended: false }
    }
  }
  await bucket.delete(PLACE)
  return { ...sum, ended: true }
}

const ageMs = ({ uploaded }: R2Object, now: number) => now - uploaded.getTime()

const isOverdue = ({ key, uploaded }: R2Object, now: number) => goesAt(key, uploaded.getTime()) + RULES_TAKE_MS <= now

/** One task that cannot be asked stops nothing, and keeps nothing that is overdue. */
async function check(env: SweepEnv, blobs: readonly R2Object[], now: number): Promise<Counts> {
  const doomed: string[] = []
  let [failed, overdue] = [0, 0]
  for (let at = 0; at < blobs.length; at += LOOKS_AT_ONCE) {
    const some = blobs.slice(at, at + LOOKS_AT_ONCE)
    const named = await Promise.allSettled(some.map(({ key }) => isNamed(env, key)))
    for (const [i, answer] of named.entries()) {
      const isLate = isOverdue(some[i]!, now)
      if (answer.status === 'rejected') failed++
      if (answer.status === 'rejected' ? !isLate : answer.value) continue
      doomed.push(some[i]!.key)
      if (isLate) overdue++
    }
  }
  if (doomed.length > 0) await env.BLOBS.delete(doomed)
  if (failed > 0) console.error(JSON.stringify({ level: 'error', event: 'sweep_failed', blobs: failed }))
  return { looked: blobs.length, removed: doomed.length, failed, overdue }
}

/** By the task or the resumable upload whose id is in its name; what was uploaded may wait for its task. */
async function isNamed(env: SweepEnv, key: string): Promise<boolean> {
  if (KEPT_BY_AGE.test(key)) return false
  const id = key.split('/')[1] ?? ''
  const isUpload = key.startsWith('incoming/')
  if (!isUpload && (await env.TASKS.getByName(id).names())?.includes(key)) return true
  if (!isUpload && !key.startsWith('uploads')) return false
  return (await env.UPLOADS.getByName(isUpload ? id : uploadOfTask(id)).names())?.includes(key) ?? false
}

/** What stands under the prefix behind `place`. */
export async function* pages(bucket: R2Bucket, prefix: string, place: string): AsyncGenerator<R2Object[]> {
  if (place > prefix && !place.startsWith(prefix)) return
  let start: Pick<R2ListOptions, 'cursor' | 'startAfter'> = place.startsWith(prefix) ? { startAfter: place } : {}
  for (;;) {
    const page = await bucket.list({ prefix, limit: 500, ...start })
    yield page.objects
    if (!page.truncated) return
    start = { cursor: page.cursor }
  }
}
