/** Returns the task of the path if it belongs to the caller's account. */

import { apiMessage } from '../i18n/message.ts'
import type { Task, TaskResult } from '../store/task.ts'
import type { TaskRecordApi } from '../store/tasks.ts'
import { ApiError } from '../tasks/api-error.ts'
import { tokenRefusal } from '../tasks/token-rules.ts'
import type { AppContext } from './context.ts'
import { taskId } from './schemas/common.ts'

export async function authorizedTask(
  c: AppContext,
  read: (record: TaskRecordApi) => Promise<Task | undefined> = (record) => record.read(),
) {
  const id = c.req.param('task_id') ?? ''
  // Addressing a Durable Object by name creates it, so only well-formed task ids are looked up.
  if (!taskId.safeParse(id).success) throw unknownTask(id)
  c.get('logged').taskIds = [id]
  const record = c.env.TASKS.getByName(id)
  const task = await read(record)
  if (!task) throw unknownTask(id)
  if (task.accountId !== c.get('key').accountId) throw new ApiError('not_owner', 'task_of_another_account')
  const token = c.get('token')
  if (token && task.tokenId !== token.id) throw tokenRefusal('task', 'token_not_for_task')
  return { task, record }
}

/** Returns the task like `ownTask`, but answers "not found" for tasks of other accounts. */
export async function visibleTask(c: AppContext): Promise<Task> {
  try {
    return (await authorizedTask(c)).task
  } catch (error) {
    throw error instanceof ApiError && error.type === 'not_owner' ? unknownTask(c.req.param('task_id') ?? '') : error
  }
}

export function completedResult(task: Task): TaskResult {
  if (task.status === 'completed' && task.result) return task.result
  const why = task.status === 'failed' ? apiMessage('it_has_failed') : apiMessage('it_is_still', { status: task.status })
  throw new ApiError('not_completed', apiMessage('task_has_no_result', { why }), { status: task.status })
}

export const unknownTask = (id: string) => new ApiError('unknown_task', apiMessage('no_such_task', { id: id.slice(0, 40) }))
