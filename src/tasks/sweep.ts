/** Removes blobs that no task names: what an upload, an attempt or a deletion left behind when its process was killed. */
import type { Env } from '../env.ts'
import { uploadOfTask } from '../store/upload-records.ts'

/** Younger blobs may belong to a request that is still under way. */
const MIN_AGE_MS = 60 * 60_000
/** Each look is a request to a Durable Object, and one call of a Worker may make 10 000: the next sweep goes on from there. */
const MOST_LOOKS = 5000
/** In the order of their names, as the bucket lists them. */
const PREFIXES = ['incoming/', 'parts/', 'results/', 'uploads/'] as const
/** Holds the last key that was looked at by a sweep that did not come to the end. */
const PLACE = 'sweep/place'

export interface Swept {
  readonly looked: number
  readonly removed: number
  /** false: the next sweep goes on where this one stopped. */
  readonly ended: boolean
}

export async function sweep(
  env: Pick<Env, 'BLOBS' | 'TASKS' | 'UPLOADS'>,
  now = Date.now(),
  minAgeMs = MIN_AGE_MS,
  mostLooks = MOST_LOOKS,
): Promise<Swept> {
  const place = (await (await env.BLOBS.get(PLACE))?.text()) ?? ''
  let looked = 0
  let removed = 0
  let last = ''
  for (const prefix of PREFIXES) {
    for await (const page of pages(env.BLOBS, prefix, place)) {
      const old = page.filter((object) => now - object.uploaded.getTime() >= minAgeMs)
      const orphans: string[] = []
      for (const { key } of old.slice(0, mostLooks - looked)) {
        if (!(await isNamed(env, key))) orphans.push(key)
        last = key
      }
      if (orphans.length > 0) await env.BLOBS.delete(orphans)
      removed += orphans.length
      looked += old.length
      if (looked <= mostLooks) continue
      await env.BLOBS.put(PLACE, last)
      return { looked: mostLooks, removed, ended: false }
    }
  }
  if (place) await env.BLOBS.delete(PLACE)
  return { looked, removed, ended: true }
}

/** By the task or the resumable upload whose id is in its name; what was uploaded may wait for its task. */
async function isNamed(env: Pick<Env, 'TASKS' | 'UPLOADS'>, key: string): Promise<boolean> {
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
