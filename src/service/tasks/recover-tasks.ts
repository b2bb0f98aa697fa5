/** Wakes what was under way when a service on one machine was killed. */
import type { Env } from '../env.ts'
import { bucketsOf } from '../store/region-bindings.ts'
import { LOOKS_AT_ONCE, pages } from './sweep.ts'

/** The folders of what was uploaded: an ended task has nothing there. */
const UPLOADS = 'uploads'

/**
 * Sets the alarm of every task that has not ended anew, and says of how many. workerd keeps an alarm twice, in the object and with who
 * rings; a kill between the two leaves an object that waits for ever, and nothing tells such an alarm from one that is to come.
 */
export async function wakeTasks(env: Pick<Env, 'BLOBS' | 'TASKS'>): Promise<number> {
  let woken = 0
  for (const bucket of bucketsOf(env))
    for await (const page of pages(bucket, UPLOADS, ''))
      for (let at = 0; at < page.length; at += LOOKS_AT_ONCE) {
        const ids = page.slice(at, at + LOOKS_AT_ONCE).map(({ key }) => key.split('/')[1] ?? '')
        const answers = await Promise.allSettled(ids.map((id) => env.TASKS.getByName(id).ringSoon()))
        woken += answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length
      }
  return woken
}
