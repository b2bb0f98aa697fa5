/** Waiting for a task, whatever becomes of its object meanwhile. */
import type { Env } from '../env.ts'
import { jittered } from '../store/retry.ts'
import type { Task } from '../store/task.ts'

/** An object that was reset is asked again after some milliseconds. */
const PAUSE_MS = 200

/**
 * The task as soon as it has ended, or as it is after `ms`; undefined when there is none. A reset breaks the call, not the task, so
 * whoever waits goes on waiting, through another stub: one that broke stays broken.
 */
export async function waited({ TASKS }: Pick<Env, 'TASKS'>, taskId: string, ms: number): Promise<Task | undefined> {
  const until = Date.now() + ms
  for (let leftMs = ms; leftMs > 0; leftMs = until - Date.now()) {
    try {
      return await TASKS.getByName(taskId).wait(leftMs)
    } catch (error) {
      console.warn(JSON.stringify({ level: 'warn', event: 'wait_broke', task_id: taskId, error: String(error) }))
      await new Promise((resolve) => setTimeout(resolve, jittered(PAUSE_MS)))
    }
  }
  return TASKS.getByName(taskId).read()
}
