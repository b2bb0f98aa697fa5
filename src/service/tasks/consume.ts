import type { WorkerEnv } from '../env.ts'
import { storeDeadLetter } from '../store/dead-letters.ts'
import { countDeadLetter } from '../store/metrics.ts'
import type { JobMessage } from '../store/tasks.ts'
import { type Codecs, run } from './run.ts'

/** Names of dead letter queues: `whittle-press-dead`, or with the environment's name `whittle-media-dead-staging`. */
const DEAD_LETTER_QUEUE = /^whittle-[a-z]+-dead(-[a-z0-9]+)?$/

export const isDeadLetterQueue = (queue: string) => DEAD_LETTER_QUEUE.test(queue)

/** Longest wait for memory, in milliseconds (5 minutes). A queue message may take 15 minutes; the rest is for the job. */
const MEMORY_WAIT_MS = 300_000
const RETRY_SECONDS = 15

/**
 * Queue consumer of the Workers that run codecs. The task itself repeats failed steps with new messages, so a message is retried only if
 * the task cannot be reached.
 */
export async function consume(batch: MessageBatch<JobMessage>, env: WorkerEnv, codecs: Codecs): Promise<void> {
  const dead = isDeadLetterQueue(batch.queue)
  for (const message of batch.messages) {
    const { taskId, step, part } = message.body
    if (dead) {
      await handleDeadLetter(message, batch.queue, env)
      continue
    }
    try {
      const answer = await run(env, codecs, message.body, { waitMs: MEMORY_WAIT_MS })
      if (answer === 'busy') message.retry({ delaySeconds: RETRY_SECONDS })
      else message.ack()
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', event: 'step_failed', task_id: taskId, step, part, error: String(error) }))
      message.retry({ delaySeconds: RETRY_SECONDS })
    }
  }
}

/** Stores a dead letter for the operator. The task sends a new message on its own. */
export async function handleDeadLetter(
  message: Message<JobMessage>,
  queue: string,
  env: Pick<WorkerEnv, 'BLOBS' | 'METRICS'>,
): Promise<void> {
  const { taskId, step, part } = message.body
  console.error(JSON.stringify({ level: 'error', event: 'dead_letter', task_id: taskId, step, part }))
  const letter = { taskId, step, queue, at: message.timestamp.getTime(), ...(part === undefined ? {} : { part }) }
  try {
    await storeDeadLetter(env.BLOBS, letter)
    countDeadLetter(env.METRICS, queue)
    message.ack()
  } catch (error) {
    console.error(JSON.stringify({ level: 'error', event: 'dead_letter_lost', task_id: taskId, error: String(error) }))
    message.retry({ delaySeconds: RETRY_SECONDS })
  }
}
