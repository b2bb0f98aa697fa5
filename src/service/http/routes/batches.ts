/** Batches: their tasks, and all results as one ZIP. */

import { apiMessage } from '../../i18n/message.ts'
import type { Task } from '../../store/task.ts'
import { ApiError } from '../../tasks/api-error.ts'
import { isCompleted, zipAnswer } from '../batch-zip.ts'
import type { AppContext } from '../context.ts'
import { wantsEvents } from '../event-stream.ts'
import { json, type Route } from '../route.ts'
import { batchId } from '../schemas/common.ts'
import { batchDownloadQuery, parseOrRefuse } from '../schemas/requests.ts'
import { batch } from '../schemas/tasks.ts'
import { taskEvents } from '../task-events.ts'
import { serialiseTasks } from '../task-serialiser.ts'

/** Existing tasks of a batch in the caller's account, in upload order. */
export async function batchOfAccount(c: AppContext, id: string): Promise<Task[]> {
  const known = batchId.safeParse(id).success ? await c.env.ACCOUNTS.getByName(c.get('key').accountId).batch(id) : undefined
  if (!known) throw new ApiError('unknown_batch', apiMessage('no_such_batch', { id: id.slice(0, 40) }))
  const tasks = await Promise.all(known.map((taskId) => c.env.TASKS.getByName(taskId).read()))
  return tasks.filter((task): task is Task => task !== undefined)
}

export const getBatch: Route = {
  method: 'GET',
  path: '/v1/batches/{batch_id}',
  access: 'tasks:read',
  async handle(c) {
    const id = c.req.param('batch_id') ?? ''
    const tasks = await batchOfAccount(c, id)
    c.get('logged').batchId = id
    if (wantsEvents(c.req.header('Accept'))) return taskEvents(c, tasks)
    return json({ batch_id: id, tasks: await serialiseTasks(c, tasks) })
  },
  doc: {
    id: 'getBatch',
    summary: 'The tasks of a batch, in upload order',
    description:
      '`Accept: text/event-stream` answers with events: `progress` of all tasks together, and `completed` or `failed` for each task. The stream ends after the last one.',
    headers: ['Last-Event-ID'],
    answer: batch,
    events: true,
    errors: [404],
  },
}

export const downloadBatch: Route = {
  method: 'GET',
  path: '/v1/batches/{batch_id}/download',
  access: 'tasks:read',
  query: batchDownloadQuery,
  async handle(c) {
    const id = c.req.param('batch_id') ?? ''
    const { only } = parseOrRefuse(batchDownloadQuery, c.req.query())
    const tasks = await batchOfAccount(c, id)
    c.get('logged').batchId = id
    const completed = tasks.filter(isCompleted)
    if (completed.length === 0) throw nothingCompleted(tasks)
    const wanted = only === undefined ? completed : completed.filter(({ result }) => result.outcome.kind === only)
    return zipAnswer(c, wanted, `${id}.zip`)
  },
  doc: {
    id: 'downloadBatch',
    summary: 'The completed results of a batch as one ZIP',
    description:
      'The ZIP also has `_receipts.json` with the receipt of every file. Equal names are numbered: `photo.jpg`, `photo-2.jpg`. Tasks that are not completed are left out.',
    answer: 'zip',
    errors: [404, 409],
  },
}

function nothingCompleted(tasks: readonly Task[]): ApiError {
  const open = tasks.find(({ status }) => status !== 'failed')
  return new ApiError('not_completed', open ? 'batch_has_no_result_yet' : 'batch_failed', { status: open?.status ?? 'failed' })
}
