/** Removes blobs that no task names: what an upload, an attempt or a deletion left behind when its process was killed. */
import type { Env } from '../env.ts'

/** Younger blobs may belong to a request that is still under way. */
const MIN_AGE_MS = 60 * 60_000

export async function sweep(
  env: Pick<Env, 'BLOBS' | 'TASKS'>,
  now = Date.now(),
  minAgeMs = MIN_AGE_MS,
): Promise<{ looked: number; removed: number }> {
  let looked = 0
  let removed = 0
  for (const prefix of ['uploads/', 'results/', 'parts/']) {
    let cursor: string | undefined
    do {
      const page: R2Objects = await env.BLOBS.list({ prefix, limit: 500, ...(cursor ? { cursor } : {}) })
      const old = page.objects.filter((object) => now - object.uploaded.getTime() >= minAgeMs)
      const orphans: string[] = []
      for (const { key } of old) {
        looked++
        const names = await env.TASKS.getByName(key.split('/')[1] ?? '').names()
        if (!names?.includes(key)) orphans.push(key)
      }
      if (orphans.length > 0) await env.BLOBS.delete(orphans)
      removed += orphans.length
      cursor = page.truncated ? page.cursor : undefined
    } while (cursor)
  }
  return { looked, removed }
}
