/**
 * Which queue a step goes to. A deployment may have several of a kind: by size, so that short work does not stand behind long
 * work, and by hash, because each queue has so many consumers at most.
 */
import type { Env } from '../env.ts'
import type { Task } from '../store/task.ts'
import type { JobMessage } from '../store/tasks.ts'

/** Larger files, and what they were split into, take minutes. */
const LARGE_BYTES = 8 * 1024 * 1024

type Jobs = Queue<JobMessage>

/** @param heavy isolates are too small for it: it goes to containers, whatever its kind */
export function queueFor(env: Env, worker: Task['worker'], message: JobMessage, heavy = false): Jobs {
  if (heavy && env.HEAVY_JOBS) return env.HEAVY_JOBS
  const kind = worker === 'media' ? 'MEDIA' : 'PRESS'
  const large = message.step !== 'whole' || (message.bytes ?? 0) > LARGE_BYTES
  const sorted = large ? shards(env, `${kind}_LARGE_JOBS`) : []
  const queues = sorted.length > 0 ? sorted : shards(env, `${kind}_JOBS`)
  return queues[hash(`${message.taskId}/${message.part ?? ''}`) % queues.length]!
}

/** `PRESS_JOBS`, `PRESS_JOBS_1`, … as far as there are any. */
function shards(env: Env, name: string): Jobs[] {
  const found: Jobs[] = []
  for (;;) {
    const queue: unknown = Reflect.get(env, found.length === 0 ? name : `${name}_${found.length}`)
    if (!queue) return found
    found.push(queue as Jobs)
  }
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value >>> 0
}
