/** Resumes unfinished tasks after a service on one machine was killed. */
import type { Env } from '../env.ts'
import { bucketsOf } from '../store/region-bindings.ts'
import { listPages, PARALLEL_CHECKS } from './sweep.ts'

/** Key prefix of uploads. Ended tasks have no upload. */
const UPLOADS = 'uploads'

/**
 * Resets the alarm of every unfinished task and returns their number.
 * workerd stores an alarm twice, in the object and in its scheduler. A kill between both writes loses the alarm, and nothing shows which
 * alarm is lost.
 */
export async function recoverTasks(env: Pick<Env, 'BLOBS' | 'TASKS'>): Promise<number> {
  let count = 0
  for (const bucket of bucketsOf(env))
    for await (const page of listPages(bucket, UPLOADS, ''))
      for (let at = 0; at < page.length; at += PARALLEL_CHECKS) {
        const ids = page.slice(at, at + PARALLEL_CHECKS).map(({ key }) => key.split('/')[1] ?? '')
        const answers = await Promise.allSettled(ids.map((id) => env.TASKS.getByName(id).ringSoon()))
        count += answers.filter((answer) => answer.status === 'fulfilled' && answer.value).length
      }
  return count
}
