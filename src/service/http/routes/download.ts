/** GET and HEAD /v1/tasks/{task_id}/download: streams the stored bytes. */

import { Buffer } from 'node:buffer'
import { apiMessage } from '../../i18n/message.ts'
import { rangedStream } from '../../store/ranged-stream.ts'
import type { Task, TaskResult } from '../../store/task.ts'
import { ApiError } from '../../tasks/api-error.ts'
import type { AppContext } from '../context.ts'
import { attachment } from '../file-name.ts'
import { ifMatchPasses, ifRangeMatches, isKnown, parseRange } from '../range.ts'
import type { Route } from '../route.ts'
import { authorizedTask, completedResult } from '../task-access.ts'

export const download: Route = {
  method: 'GET',
  path: '/v1/tasks/{task_id}/download',
  access: 'tasks:read',
  async handle(c) {
    const { task } = await authorizedTask(c)
    return answer(c, task, completedResult(task))
  },
  doc: {
    id: 'download',
    summary: 'The result of a completed task',
    headers: ['Range', 'If-Match', 'If-None-Match', 'If-Range'],
    answer: 'binary',
    errors: [403, 404, 409, 412, 416],
  },
}

async function answer(c: AppContext, task: Task, result: TaskResult): Promise<Response> {
  const tag = `"${result.sha256}"`
  const headers = {
    ETag: tag,
    'Accept-Ranges': 'bytes',
    // Proxies must not compress the answer, because entity tag and digest belong to these exact bytes.
    'Cache-Control': 'private, no-cache, no-transform',
    'Repr-Digest': `sha-256=:${Buffer.from(result.sha256, 'hex').toString('base64')}:`,
  }
  if (!ifMatchPasses(c.req.header('If-Match'), tag)) {
    throw new ApiError('precondition_failed', 'other_entity_tag', {}, { ETag: tag })
  }
  if (isKnown(c.req.header('If-None-Match'), tag)) return new Response(null, { status: 304, headers })
  const wantsRange = c.req.raw.method === 'GET' && ifRangeMatches(c.req.header('If-Range'), tag)
  const range = parseRange(wantsRange ? c.req.header('Range') : undefined, result.size)
  if (range.kind === 'unsatisfiable') {
    const facts = { size: result.size }
    throw new ApiError('range_not_satisfiable', apiMessage('range_outside_result', { bytes: result.size }), facts, {
      'Content-Range': `bytes */${result.size}`,
    })
  }
  const [first, last] = range.kind === 'part' ? [range.first, range.last] : [0, result.size - 1]
  const described = {
    ...headers,
    'Content-Type': result.contentType,
    'Content-Disposition': attachment(result.outputName),
    'Content-Length': String(last - first + 1),
    // A result is a file of the caller, so browsers must download it instead of running it.
    'Content-Security-Policy': "sandbox; default-src 'none'",
    ...(range.kind === 'part' ? { 'Content-Range': `bytes ${first}-${last}/${result.size}` } : {}),
  }
  const body = c.req.raw.method === 'HEAD' ? null : await open(c, task, result, first, last - first + 1)
  return new Response(body, { status: range.kind === 'part' ? 206 : 200, headers: described })
}

async function open(c: AppContext, task: Task, result: TaskResult, offset: number, length: number): Promise<ReadableStream> {
  const rangeBytes = c.env.DOWNLOAD_RANGE_BYTES === undefined ? undefined : Number(c.env.DOWNLOAD_RANGE_BYTES)
  const body = await rangedStream(c.env.BLOBS, result.key, { offset, length, rangeBytes })
  if (body) return body
  if (await c.env.TASKS.getByName(task.taskId).read()) throw new Error(`the blob ${result.key} of a completed task is gone`)
  throw new ApiError('unknown_task', apiMessage('task_deleted_just_now', { id: task.taskId }))
}
