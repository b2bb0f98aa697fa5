import type { WorkerEnv } from '../env.ts'
import { keepDeadLetter } from '../store/dead-letters.ts'
import { countDeadLetter } from '../store/metrics.ts'
import type { JobMessage } from '../store/tasks.ts'
import { type Codecs, run } from './run.ts'

/** `whittle-press-dead`, `whittle-media-dead-staging`: an environment's name is the last word, whatever it is. */
const DEAD_LETTERS = /^whittle-[a-z]+-dead(-[a-z0-9]+)?$/

export const isDead = (queue: string) => DEAD_LETTERS.test(queue)

/** A message has 15 minutes: the rest is for the job. */
const WAIT_MS = 300_000
const RETRY_SECONDS = 15

/** The slow lane. What breaks is recorded in the task, which sends a new message; only an unreachable task is retried here. */
export async function consume(batch: MessageBatch<JobMessage>, env: WorkerEnv, codecs: Codecs): Promise<void> {
  const dead = isDead(batch.queue)
  for (const message of batch.messages) {
    const { taskId, step, part } = message.body
    if (dead) {
      await bury(message, batch.queue, env)
      continue
    }
    try {
      const answer = await run(env, codecs, message.body, { waitMs: WAIT_MS })
      if (answer === 'busy') message.retry({ delaySeconds: RETRY_SECONDS })
      else message.ack()
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', event: 'step_failed', task_id: taskId, step, part, error: String(error) }))
      message.retry({ delaySeconds: RETRY_SECONDS })
    }
  }
}

/** The task sends another message by itself; that one was given up is the operator's business. */
export async function bury(message: Message<JobMessage>, queue: string, env: Pick<WorkerEnv, 'BLOBS' | 'METRICS'>): Promise<void> {
  const { taskId, step, part } = message.body
  console.error(JSON.stringify({ level: 'error', event: 'dead_letter', task_id: taskId, step, part }))
  const letter = { taskId, step, queue, at: message.timestamp.getTime(), ...(part === undefined ? {} : { part }) }
  try {
    await keepDeadLetter(env.BLOBS, letter)
    countDeadLetter(env.METRICS, queue)
    message.ack()
  } catch (error) {
    console.error(JSON.stringify({ level: 'error', event: 'dead_letter_lost', task_id: taskId, error: String(error) }))
    message.retry({ delaySeconds: RETRY_SECONDS })
  }
}
