/**
 * Hourly sweep: removes blobs that no task or upload needs, restores lost alarms of tasks, and removes expired blobs.
 * Lifecycle rules of the bucket (tools/deploy/lifecycle.ts) remove expired blobs first. Buckets on one machine have no such rules.
 */
import type { Env } from '../env.ts'
import { blobExpiresAt, RETENTION_BY_PREFIX } from '../store/blob-names.ts'
import { bucketsOf } from '../store/region-bindings.ts'
import { uploadIdOfTask } from '../store/upload-records.ts'

const HOUR_MS = 60 * 60_000
/** Minimum age of a blob, in milliseconds. Younger blobs may belong to a running request. */
const MIN_AGE_MS = HOUR_MS
/**
 * Maximum number of objects that one sweep asks. Each request counts towards the 10,000 subrequests of a Worker call. The next sweep
 * continues there.
 */
const MAX_CHECKS = 5000
/** Number of objects that are asked in parallel, because each call takes one round trip. */
export const PARALLEL_CHECKS = 20
/** Key prefixes in alphabetical order, as the bucket lists them. */
const PREFIXES = [...RETENTION_BY_PREFIX.keys()].sort()
/** Prefixes of blobs that belong to no task. */
const AGE_ONLY = /^(?:dead-letters|exports|pictures|picture-sources)\//
/** Time in milliseconds that a bucket may take to apply its lifecycle rules. */
const RULE_DELAY_MS = 24 * HOUR_MS
/** Key of the blob that stores the last key checked by an interrupted sweep. */
const POSITION_KEY = 'sweep/place'

export interface SweepSummary {
  readonly looked: number
  readonly removed: number
  /** Number of blobs whose task did not respond. They stay until they have expired; the next round asks again. */
  readonly failed: number
  /** Number of removed blobs that a lifecycle rule should have removed before. */
  readonly overdue: number
  /** False if the sweep stopped at its limit of requests. The next sweep continues there. */
  readonly ended: boolean
}

type SweepEnv = Pick<Env, 'BLOBS' | 'TASKS' | 'UPLOADS'>

/**
 * Sweeps all buckets. Each bucket stores its own position. Every hour a different bucket comes first, so that each gets its share of the
 * limit.
 */
export async function sweep(env: SweepEnv, now = Date.now(), minAgeMs = MIN_AGE_MS, maxChecks = MAX_CHECKS): Promise<SweepSummary> {
  const buckets = bucketsOf(env)
  const first = Math.floor(now / HOUR_MS) % buckets.length
  let sum: SweepSummary = { looked: 0, removed: 0, failed: 0, overdue: 0, ended: true }
  for (const bucket of [...buckets.slice(first), ...buckets.slice(0, first)]) {
    const swept = await sweepBucket(env, bucket, { now, minAgeMs, maxChecks: maxChecks - sum.looked })
    sum = { ...addCounts(sum, swept), ended: sum.ended && swept.ended }
  }
  return sum
}

type Counts = Omit<SweepSummary, 'ended'>

const addCounts = (a: Counts, b: Counts): Counts => ({
  looked: a.looked + b.looked,
  removed: a.removed + b.removed,
  failed: a.failed + b.failed,
  overdue: a.overdue + b.overdue,
})

interface Round {
  /** Start of the sweep in epoch milliseconds. */
  readonly now: number
  readonly minAgeMs: number
  readonly maxChecks: number
}

async function sweepBucket(env: SweepEnv, bucket: R2Bucket, { now, minAgeMs, maxChecks }: Round): Promise<SweepSummary> {
  const position = (await (await bucket.get(POSITION_KEY))?.text()) ?? ''
  let sum: Counts = { looked: 0, removed: 0, failed: 0, overdue: 0 }
  for (const prefix of PREFIXES) {
    for await (const page of listPages(bucket, prefix, position)) {
      const old = AGE_ONLY.test(prefix) ? page.filter((blob) => isOverdue(blob, now)) : page.filter((blob) => ageMs(blob, now) >= minAgeMs)
      const due = old.slice(0, maxChecks - sum.looked)
      sum = addCounts(sum, await check(env, due, now))
      // Store the sweep's position after each page, so that a killed sweep does not repeat its work.
      const last = due.length < old.length ? due.at(-1) : page.at(-1)
      if (last) await bucket.put(POSITION_KEY, last.key)
      if (due.length < old.length) return { ...sum, ended: false }
    }
  }
  await bucket.delete(POSITION_KEY)
  return { ...sum, ended: true }
}

const ageMs = ({ uploaded }: R2Object, now: number) => now - uploaded.getTime()

const isOverdue = ({ key, uploaded }: R2Object, now: number) => blobExpiresAt(key, uploaded.getTime()) + RULE_DELAY_MS <= now

/** Checks blobs and removes those that are not needed. If a task does not respond, its blobs stay unless they have expired. */
async function check(env: SweepEnv, blobs: readonly R2Object[], now: number): Promise<Counts> {
  const obsoleteKeys: string[] = []
  let [failed, overdue] = [0, 0]
  for (let at = 0; at < blobs.length; at += PARALLEL_CHECKS) {
    const group = blobs.slice(at, at + PARALLEL_CHECKS)
    const answers = await Promise.allSettled(group.map(({ key }) => isNeeded(env, key)))
    for (const [i, answer] of answers.entries()) {
      const isLate = isOverdue(group[i]!, now)
      if (answer.status === 'rejected') failed++
      if (answer.status === 'rejected' ? !isLate : answer.value) continue
      obsoleteKeys.push(group[i]!.key)
      if (isLate) overdue++
    }
  }
  if (obsoleteKeys.length > 0) await env.BLOBS.delete(obsoleteKeys)
  if (failed > 0) console.error(JSON.stringify({ level: 'error', event: 'sweep_failed', blobs: failed }))
  return { looked: blobs.length, removed: obsoleteKeys.length, failed, overdue }
}

/** True if a task or resumable upload still needs the blob. The second path segment of the key is their id. */
async function isNeeded(env: SweepEnv, key: string): Promise<boolean> {
  if (AGE_ONLY.test(key)) return false
  const id = key.split('/')[1] ?? ''
  const isUpload = key.startsWith('incoming/')
  if (!isUpload && (await env.TASKS.getByName(id).names())?.includes(key)) return true
  if (!isUpload && !key.startsWith('uploads')) return false
  return (await env.UPLOADS.getByName(isUpload ? id : uploadIdOfTask(id)).names())?.includes(key) ?? false
}

/** Lists the blobs under a prefix whose keys follow `position`, page by page. */
export async function* listPages(bucket: R2Bucket, prefix: string, position: string): AsyncGenerator<R2Object[]> {
  if (position > prefix && !position.startsWith(prefix)) return
  let start: Pick<R2ListOptions, 'cursor' | 'startAfter'> = position.startsWith(prefix) ? { startAfter: position } : {}
  for (;;) {
    const page = await bucket.list({ prefix, limit: 500, ...start })
    yield page.objects
    if (!page.truncated) return
    start = { cursor: page.cursor }
  }
}
