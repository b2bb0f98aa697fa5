/** Wakes what was under way when a service on one machine was killed. */
import type { Env } from '../env.ts'
import { bucketsOf } from '../store/place.ts'

/** The folders of what was uploaded: an ended task has nothing there. */
const UPLOADS = 'uploads'
/** A call takes as long as its object is away. */
const CALLS_AT_ONCE = 20

/**
 * Sets the alarm of every task that has not ended anew, and says of how many. workerd keeps an alarm twice, in the object and with who
 * rings; a kill between the two leaves an object that waits for ever, and nothing tells such an alarm from one that is to come.
 */
export async function wakeTasks(env: Pick<Env, 'BLOBS' | 'TASKS'>): Promise<number> {
  let woken = 0
  for (const bucket of bucketsOf(env))
    for await (const ids of pages(bucket))
      for (let at = 0; at < ids.length; at += CALLS_AT_ONCE) {
        const some = ids.slice(at, at + CALLS_AT_ONCE)
        const answers = await Promise.allSettled(some.map((id) => env.TASKS.getByName(id).ringSoon()))
        woken += answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length
      }
  return woken
}

async function* pages(bucket: R2Bucket): AsyncGenerator<string[]> {
  let cursor: string | undefined
  do {
    const page = await bucket.list({ prefix: UPLOADS, limit: 500, ...(cursor && { cursor }) })
    yield page.objects.map(({ key }) => key.split('/')[1] ?? '')
    cursor = page.truncated ? page.cursor : undefined
  } while (cursor)
}
