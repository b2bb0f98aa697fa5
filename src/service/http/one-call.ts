/** Answer of `response=file`: the result itself, the error of a failed task, or the task if the time ran out. */

import type { Task } from '../store/task.ts'
import { knownError } from '../tasks/task-failure.ts'
import { type AppContext, baseUrl } from './context.ts'
import { removeTask, wholeFile } from './file-answer.ts'
import { json } from './route.ts'
import { receiptOf, signed } from './signing.ts'
import { afterLastByte } from './single-download.ts'
import { serialiseTask } from './task-serialiser.ts'

/** Longest receipt in a header, in bytes. Many servers refuse longer header lines. */
const MAX_RECEIPT_BYTES = 8192

/**
 * @param headers further headers, such as `Preference-Applied`
 * @throws ApiError the error of a failed task
 */
export async function oneCallAnswer(c: AppContext, task: Task, headers: Readonly<Record<string, string>>): Promise<Response> {
  const named = { ...headers, 'Whittle-Task': task.taskId }
  if (task.status === 'failed') {
    if (task.singleDownload) await removeTask(c, task)
    throw knownError(task.error, named)
  }
  if (task.status !== 'completed' || !task.result) {
    const answer = json(await serialiseTask(c, task), { ...named, Location: `${baseUrl(c)}/v1/tasks/${task.taskId}` })
    return new Response(answer.body, { status: 202, headers: answer.headers })
  }
  const { result } = task
  const receipt = await receiptHeader(c, task)
  const file = await wholeFile(c, task, result)
  const body = task.singleDownload ? afterLastByte(file.body, result.size, () => removeTask(c, task)) : file.body
  return new Response(body, {
    headers: {
      ...file.headers,
      ...named,
      'Whittle-Outcome': result.outcome.kind,
      'Whittle-Original-Size': String(task.originalSize),
      ...(receipt === undefined ? {} : { 'Whittle-Receipt': receipt }),
    },
  })
}

/** Signed receipt of the task. `undefined`: it is too long for a header, or the service has no signing key. */
async function receiptHeader(c: AppContext, task: Task): Promise<string | undefined> {
  if (c.env.RECEIPT_KEYS === undefined) return undefined
  const receipt = await signed(receiptOf(c, task), c.env.RECEIPT_KEYS)
  return receipt.length > MAX_RECEIPT_BYTES ? undefined : receipt
}
