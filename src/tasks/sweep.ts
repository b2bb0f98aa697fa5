/**
 * Removes blobs that no task names: what an upload, an attempt or a deletion left behind when its process was killed; and wakes
 * tasks that lost their alarm. What it misses goes by the bucket's own rules in the end (scripts/deploy/lifecycle.ts).
 */
import type { Env } from '../env.ts'
import { bucketsOf } from '../store/place.ts'
import { uploadOfTask } from '../store/upload-records.ts'

const HOUR_MS = 60 * 60_000
/** Younger blobs may belong to a request that is still under way. */
const MIN_AGE_MS = HOUR_MS
/** Each look is a request to a Durable Object, and one call of a Worker may make 10 000: the next sweep goes on from there. */
const MOST_LOOKS = 5000
/** A look takes as long as its object is away. */
const LOOKS_AT_ONCE = 20
/** In the order of their names, as the bucket lists them. */
const PREFIXES = ['incoming/', 'parts/', 'results/', 'uploads/'] as const
/** Holds the last key that was looked at by a sweep that did not come to the end. */
const PLACE = 'sweep/place'

export interface Swept {
  readonly looked: number
  readonly removed: number
  /** Blobs whose task could not be asked: they stay, and the next round asks again. */
  readonly failed: number
  /** false: the next sweep goes on where this one stopped. */
  readonly ended: boolean
}

type SweepEnv = Pick<Env, 'BLOBS' | 'TASKS' | 'UPLOADS'>

/** Every bucket has a place of its own. Each hour another one comes first: looks that it leaves are for the next. */
export async function sweep(env: SweepEnv, now = Date.now(), minAgeMs = MIN_AGE_MS, mostLooks = MOST_LOOKS): Promise<Swept> {
  const buckets = bucketsOf(env)
  const first = Math.floor(now / HOUR_MS) % buckets.length
  let sum: Swept = { looked: 0, removed: 0, failed: 0, ended: true }
  for (const bucket of [...buckets.slice(first), ...buckets.slice(0, first)]) {
    const { looked, removed, failed, ended } = await sweepBucket(env, bucket, now - minAgeMs, mostLooks - sum.looked)
    sum = { looked: sum.looked + looked, removed: sum.removed + removed, failed: sum.failed + failed, ended: sum.ended && ended }
  }
  return sum
}

/** @param before epoch milliseconds: what came later is not looked at */
async function sweepBucket(env: SweepEnv, bucket: R2Bucket, before: number, mostLooks: number): Promise<Swept> {
  const place = (await (await bucket.get(PLACE))?.text()) ?? ''
  const sum = { looked: 0, removed: 0, failed: 0 }
  for (const prefix of PREFIXES) {
    for await (const page of pages(bucket, prefix, place)) {
      const old = page.filter((object) => object.uploaded.getTime() <= before)
      const due = old.slice(0, mostLooks - sum.looked)
      const { removed, failed } = await check(env, due)
      sum.looked += due.length
      sum.removed += removed
      sum.failed += failed
      // Kept after each page: what was done is not done again when this sweep is killed.
      const last = due.length < old.length ? due.at(-1) : page.at(-1)
      if (last) await bucket.put(PLACE, last.key)
      if (due.length < old.length) return { ...sum, ended: false }
    }
  }
  await bucket.delete(PLACE)
  return { ...sum, ended: true }
}

/** One task that cannot be asked stops nothing. */
async function check(env: SweepEnv, blobs: readonly R2Object[]): Promise<{ removed: number; failed: number }> {
  const orphans: string[] = []
  let failed = 0
  for (let at = 0; at < blobs.length; at += LOOKS_AT_ONCE) {
    const keys = blobs.slice(at, at + LOOKS_AT_ONCE).map(({ key }) => key)
    const named = await Promise.allSettled(keys.map((key) => isNamed(env, key)))
    for (const [i, answer] of named.entries()) {
      if (answer.status === 'rejected') failed++
      else if (!answer.value) orphans.push(keys[i]!)
    }
  }
  if (orphans.length > 0) await env.BLOBS.delete(orphans)
  if (failed > 0) console.error(JSON.stringify({ level: 'error', event: 'sweep_failed', blobs: failed }))
  return { removed: orphans.length, failed }
}

/** By the task or the resumable upload whose id is in its name; what was uploaded may wait for its task. */
async function isNamed(env: SweepEnv, key: string): Promise<boolean> {
  const id = key.split('/')[1] ?? ''
  const isUpload = key.startsWith('incoming/')
  if (!isUpload && (await env.TASKS.getByName(id).names())?.includes(key)) return true
  if (!isUpload && !key.startsWith('uploads/')) return false
  return (await env.UPLOADS.getByName(isUpload ? id : uploadOfTask(id)).names())?.includes(key) ?? false
}

/** What stands under the prefix behind `place`. */
async function* pages(bucket: R2Bucket, prefix: string, place: string): AsyncGenerator<R2Object[]> {
  if (place > prefix && !place.startsWith(prefix)) return
  let start: Pick<R2ListOptions, 'cursor' | 'startAfter'> = place.startsWith(prefix) ? { startAfter: place } : {}
  for (;;) {
    const page = await bucket.list({ prefix, limit: 500, ...start })
    yield page.objects
    if (!page.truncated) return
    start = { cursor: page.cursor }
  }
}
