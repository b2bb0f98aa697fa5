import type { WorkerEnv } from '../env.ts'
import type { JobMessage } from '../store/tasks.ts'
import { type Codecs, run } from './run.ts'

/** `whittle-press-dead`, `whittle-media-dead-staging`: an environment's name is the last word, whatever it is. */
const DEAD_LETTERS = /^whittle-[a-z]+-dead(-[a-z0-9]+)?$/

/** The slow lane. What breaks is recorded in the task, which sends a new message; only an unreachable task is retried here. */
export async function consume(batch: MessageBatch<JobMessage>, env: WorkerEnv, codecs: Codecs): Promise<void> {
  const dead = DEAD_LETTERS.test(batch.queue)
  for (const message of batch.messages) {
    const { taskId, generation, step, part } = message.body
    if (dead) {
      console.error(JSON.stringify({ level: 'error', event: 'dead_letter', task_id: taskId, step, part }))
      message.ack()
      continue
    }
    try {
      await run(env, codecs, { taskId, generation, step, ...(part === undefined ? {} : { part }) })
      message.ack()
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', event: 'step_failed', task_id: taskId, step, part, error: String(error) }))
      message.retry()
    }
  }
}
