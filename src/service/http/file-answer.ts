/** Answers with the stored bytes of a result: whole, a range, or only the headers. */

import { Buffer } from 'node:buffer'
import { apiMessage } from '../i18n/message.ts'
import { type BlobRange, rangedStream } from '../store/ranged-stream.ts'
import type { Task, TaskResult } from '../store/task.ts'
import { TransferTurns } from '../store/transfer-turns.ts'
import { ApiError } from '../tasks/api-error.ts'
import { attachment } from '../tasks/file-name.ts'
import type { AppContext } from './context.ts'
import { ifMatchPasses, ifRangeMatches, isKnown, parseRange } from './range.ts'
import { afterLastByte } from './single-download.ts'

/** Proxies must not compress the answer, because entity tag and digest belong to these exact bytes. */
const CACHE_CONTROL = 'private, no-cache, no-transform'

/** Transfers of all downloads in this isolate. */
const turns = new TransferTurns()

export interface FileAnswerOptions {
  /** Value of `Cache-Control`. Default: a client may keep the file, but must ask before it uses it again. */
  readonly cacheControl?: string
  /**
   * Called before bytes are sent, and not for answers without a body.
   * @throws ApiError to refuse the download
   */
  readonly beforeBytes?: () => Promise<void>
}

/**
 * Answers a GET or HEAD for the result of a task. Honours `Range` and the conditional headers (RFC 9110).
 * @throws ApiError `precondition_failed`, `range_not_satisfiable`, or `unknown_task` if the task was deleted a moment ago
 */
export async function fileAnswer(c: AppContext, task: Task, result: TaskResult, options: FileAnswerOptions = {}): Promise<Response> {
  const headers = commonHeaders(result, options.cacheControl)
  const tag = headers.ETag
  if (!ifMatchPasses(c.req.header('If-Match'), tag)) throw new ApiError('precondition_failed', 'other_entity_tag', {}, { ETag: tag })
  if (isKnown(c.req.header('If-None-Match'), tag)) return new Response(null, { status: 304, headers })
  const wantsRange = c.req.raw.method === 'GET' && ifRangeMatches(c.req.header('If-Range'), tag)
  const range = parseRange(wantsRange ? c.req.header('Range') : undefined, result.size)
  if (range.kind === 'unsatisfiable') {
    const facts = { size: result.size }
    throw new ApiError('range_not_satisfiable', apiMessage('range_outside_result', { bytes: result.size }), facts, {
      'Content-Range': `bytes */${result.size}`,
    })
  }
  const part = range.kind === 'part' ? range : { first: 0, last: result.size - 1 }
  const described = {
    ...headers,
    ...fileHeaders(result, part.last - part.first + 1),
    ...(range.kind === 'part' ? { 'Content-Range': `bytes ${part.first}-${part.last}/${result.size}` } : {}),
  }
  const status = range.kind === 'part' ? 206 : 200
  if (c.req.raw.method === 'HEAD') return new Response(null, { status, headers: described })
  await options.beforeBytes?.()
  const body = await openResult(c, task, result, part.first, part.last - part.first + 1)
  // A result that is kept for one download is deleted when its last byte is sent.
  const sent = task.singleDownload && status === 200 ? afterLastByte(body, result.size, () => removeTask(c, task)) : body
  return new Response(sent, { status, headers: described })
}

/** Returns the headers and the whole file, for an answer to the POST that created the task. */
export async function wholeFile(c: AppContext, task: Task, result: TaskResult) {
  const body = await openResult(c, task, result, 0, result.size)
  return { headers: { ...commonHeaders(result), ...fileHeaders(result, result.size) }, body }
}

/** Removes a task whose result nobody needs any more. If that fails, the task expires by itself. */
export async function removeTask(c: AppContext, { taskId }: Task): Promise<void> {
  try {
    await c.env.TASKS.getByName(taskId).remove()
  } catch (error) {
    console.error(JSON.stringify({ level: 'error', event: 'task_not_removed', task_id: taskId, error: String(error) }))
  }
}

const commonHeaders = (result: TaskResult, cacheControl = CACHE_CONTROL) => ({
  ETag: `"${result.sha256}"`,
  'Accept-Ranges': 'bytes',
  'Cache-Control': cacheControl,
  'Repr-Digest': `sha-256=:${Buffer.from(result.sha256, 'hex').toString('base64')}:`,
})

const fileHeaders = (result: TaskResult, bytes: number) => ({
  'Content-Type': result.contentType,
  'Content-Disposition': attachment(result.outputName),
  'Content-Length': String(bytes),
  // A result is a file of the caller, so browsers must download it instead of running it.
  'Content-Security-Policy': "sandbox; default-src 'none'",
})

/** How a result is read: on one machine in small ranges, and in turn with other accounts. */
function readingOf(c: AppContext, accountId: string): Partial<BlobRange> {
  if (c.env.DOWNLOAD_RANGE_BYTES === undefined) return {}
  return {
    rangeBytes: Number(c.env.DOWNLOAD_RANGE_BYTES),
    inTurn: (transfer) => turns.run(accountId, transfer),
    keepAlive: (work) => c.executionCtx.waitUntil(work),
  }
}

/** Streams bytes of a blob of an account as its reader takes them. `undefined`: the blob does not exist. */
export const openBlob = (
  c: AppContext,
  accountId: string,
  key: string,
  range: Pick<BlobRange, 'offset' | 'length'>,
): Promise<ReadableStream<Uint8Array> | undefined> => rangedStream(c.env.BLOBS, key, { ...range, ...readingOf(c, accountId) })

/**
 * Streams bytes of a result as its reader takes them.
 * @throws ApiError `unknown_task` if the task was deleted a moment ago
 */
export async function openResult(
  c: AppContext,
  task: Task,
  result: TaskResult,
  offset: number,
  length: number,
): Promise<ReadableStream<Uint8Array>> {
  const body = await openBlob(c, task.accountId, result.key, { offset, length })
  if (body) return body
  if (await c.env.TASKS.getByName(task.taskId).read()) throw new Error(`the blob ${result.key} of a completed task is gone`)
  throw new ApiError('unknown_task', apiMessage('task_deleted_just_now', { id: task.taskId }))
}
