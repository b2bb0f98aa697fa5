/** Queue messages that failed too often (dead letters), stored for the operator. Each one is a blob of its own, because they are rare. */
import type { JobMessage } from './tasks.ts'

const DEAD_LETTER_PREFIX = 'dead-letters/'
/** Largest timestamp. Keys contain this minus the time, so that the bucket lists the newest dead letter first. */
const MAX_TIME_MS = 9_999_999_999_999

export interface DeadLetter extends Pick<JobMessage, 'taskId' | 'step' | 'part'> {
  readonly queue: string
  /** Time of the dead letter in epoch milliseconds. */
  readonly at: number
}

export async function storeDeadLetter(blobs: R2Bucket, letter: DeadLetter): Promise<void> {
  const { at, taskId, step, part } = letter
  const key = `${DEAD_LETTER_PREFIX}${String(MAX_TIME_MS - at).padStart(13, '0')}/${taskId}/${step}${part ?? ''}`
  await blobs.put(key, JSON.stringify(letter))
}

/** Returns a page of dead letters, newest first. */
export async function listDeadLetters(
  blobs: R2Bucket,
  limit: number,
  cursor?: string,
): Promise<{ letters: DeadLetter[]; cursor?: string }> {
  const page = await blobs.list({ prefix: DEAD_LETTER_PREFIX, limit, ...(cursor ? { cursor } : {}) })
  const found = await Promise.all(page.objects.map(async ({ key }) => (await blobs.get(key))?.json<DeadLetter>()))
  const letters = found.filter((letter) => letter !== undefined)
  return { letters, ...(page.truncated ? { cursor: page.cursor } : {}) }
}
