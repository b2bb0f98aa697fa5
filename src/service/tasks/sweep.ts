/**
 * Hourly sweep. Removes blobs that no task or upload needs, left by killed processes; restores lost alarms of tasks; and removes expired
 * blobs.
 * Lifecycle rules of the bucket (tools/deploy/lifecycle.ts) remove expired blobs first; buckets on one machine have no such rules.
 */
import type { Env } from '../env.ts'
import { DAYS_KEPT, goesAt } from '../store/blob-names.ts'
import { bucketsOf } from '../store/region-bindings.ts'
import { uploadOfTask } from '../store/upload-records.ts'

const HOUR_MS = 60 * 60_000
/** Minimum age of a blob, in milliseconds. Younger blobs may belong to a running request. */
const MIN_AGE_MS = HOUR_MS
/** Maximum number of tasks asked in one sweep. Each is a subrequest, and a Worker call may make 10,000. The next sweep continues there. */
const MOST_LOOKS = 5000
/** Number of tasks asked in parallel, because each call takes one round trip to its object. */
export const LOOKS_AT_ONCE = 20
/** Key prefixes in alphabetical order, as the bucket lists them. */
const PREFIXES = [...DAYS_KEPT.keys()].sort()
/** Prefixes of blobs that belong to no task. */
const KEPT_BY_AGE = /^(?:dead-letters|exports)\//
/** Time in milliseconds that a bucket may take to apply its lifecycle rules. */
const RULES_TAKE_MS = 24 * HOUR_MS
/** Key of the blob that stores the last key checked by an interrupted sweep. */
const PLACE = 'sweep/place'

export interface Swept {
  readonly looked: number
  readonly removed: number
  /** Number of blobs whose task did not respond. They stay until they have expired; the next round asks again. */
  readonly failed: number
  /** Number of removed blobs that a lifecycle rule should have removed before. */
  readonly overdue: number
  /** False if the sweep stopped at its limit. The next sweep continues there. */
  readonly ended: boolean
}

type SweepEnv = Pick<Env, 'BLOBS' | 'TASKS' | 'UPLOADS'>

/**
 * Sweeps all buckets. Each bucket stores its own position. Every hour a different bucket comes first, so that each gets its share of the
 * limit.
 */
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
  /** Start of the sweep in epoch milliseconds. */
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
      // Store the position after each page, so that a killed sweep does not repeat its work.
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

/** Checks blobs and removes those that are not needed. If a task does not respond, its blobs stay unless they have expired. */
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

/**
 * True if a task or resumable upload needs the blob. The second part of the key is their id. An uploaded file may still wait for its task.
 */
async function isNamed(env: SweepEnv, key: string): Promise<boolean> {
  if (KEPT_BY_AGE.test(key)) return false
  const id = key.split('/')[1] ?? ''
  const isUpload = key.startsWith('incoming/')
  if (!isUpload && (await env.TASKS.getByName(id).names())?.includes(key)) return true
  if (!isUpload && !key.startsWith('uploads')) return false
  return (await env.UPLOADS.getByName(isUpload ? id : uploadOfTask(id)).names())?.includes(key) ?? false
}

/** Lists the blobs under a prefix whose key follows `place`, page by page. */
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
