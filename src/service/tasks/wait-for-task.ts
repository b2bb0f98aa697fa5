/** Waits for the end of a task, even if its Durable Object is reset meanwhile. */
import type { Env } from '../env.ts'
import { jittered } from '../store/retry.ts'
import type { Task } from '../store/task.ts'

/** Pause in milliseconds before asking a task again whose object was reset. */
const PAUSE_MS = 200

/**
 * Returns the task when it has ended, or after `ms` milliseconds in its current state. `undefined`: the task does not exist.
 * If the object is reset, the call fails but the task continues, so wait again with a new stub. A broken stub stays broken.
 */
export async function waitForTask({ TASKS }: Pick<Env, 'TASKS'>, taskId: string, ms: number): Promise<Task | undefined> {
  const until = Date.now() + ms
  for (let leftMs = ms; leftMs > 0; leftMs = until - Date.now()) {
    try {
      return await TASKS.getByName(taskId).wait(leftMs)
    } catch (error) {
      console.warn(JSON.stringify({ level: 'warn', event: 'wait_failed', task_id: taskId, error: String(error) }))
      await new Promise((resolve) => setTimeout(resolve, jittered(PAUSE_MS)))
    }
  }
  return TASKS.getByName(taskId).read()
}
