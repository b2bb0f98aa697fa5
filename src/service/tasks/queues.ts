/**
 * Chooses the queue of a step. Large files have their own queues, so that small files do not wait for them.
 * A deployment may have several queues of a kind, because a queue has a limited number of consumers. A hash spreads the steps over them.
 */
import type { Env } from '../env.ts'
import type { Task } from '../store/task.ts'
import type { JobMessage } from '../store/tasks.ts'

/** Size in bytes above which a file uses the queues for large files. Such files, and parts, take minutes. */
const LARGE_BYTES = 8 * 1024 * 1024

type JobQueue = Queue<JobMessage>

/**
 * Returns the queue for a message.
 * @param heavy `true`: the job needs a container
 */
export function queueFor(env: Env, worker: Task['worker'], message: JobMessage, heavy = false): JobQueue {
  if (heavy && env.HEAVY_JOBS) return env.HEAVY_JOBS
  const kind = worker === 'media' ? 'MEDIA' : 'PRESS'
  const large = message.step !== 'whole' || (message.bytes ?? 0) > LARGE_BYTES
  const largeQueues = large ? shards(env, `${kind}_LARGE_JOBS`) : []
  const queues = largeQueues.length > 0 ? largeQueues : shards(env, `${kind}_JOBS`)
  return queues[hash(`${message.taskId}/${message.part ?? ''}`) % queues.length]!
}

/** Returns the queues bound as `name`, `name_1`, `name_2`, … until one is missing. */
function shards(env: Env, name: string): JobQueue[] {
  const found: JobQueue[] = []
  for (;;) {
    const queue: unknown = Reflect.get(env, found.length === 0 ? name : `${name}_${found.length}`)
    if (!queue) return found
    found.push(queue as JobQueue)
  }
}

/** FNV-1a hash, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}
