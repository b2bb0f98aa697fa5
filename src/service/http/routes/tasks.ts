/** Tasks: list, get one, delete. */

import type { Task } from '../../store/task.ts'
import { invalidParameter } from '../../tasks/api-error.ts'
import { waitForTask } from '../../tasks/wait-for-task.ts'
import { wantsEvents } from '../event-stream.ts'
import { preference, preferenceApplied } from '../prefer.ts'
import { json, type Route } from '../route.ts'
import { listQuery, parseOrRefuse } from '../schemas/requests.ts'
import { deleted, task, taskPage } from '../schemas/tasks.ts'
import { authorizedTask, unknownTask } from '../task-access.ts'
import { taskEvents } from '../task-events.ts'
import { serialiseTask, serialiseTasks } from '../task-serialiser.ts'

export const listTasks: Route = {
  method: 'GET',
  path: '/v1/tasks',
  access: 'tasks:read',
  query: listQuery,
  async handle(c) {
    const { limit, cursor } = parseOrRefuse(listQuery, c.req.query())
    const page = await c.env.ACCOUNTS.getByName(c.get('key').accountId).list(limit, cursor)
    if (!page) throw invalidParameter('cursor', 'unknown_cursor')
    const found = await Promise.all(page.ids.map((id) => c.env.TASKS.getByName(id).read()))
    const tasks = found.filter((one): one is Task => one !== undefined)
    return json({ tasks: await serialiseTasks(c, tasks), next_cursor: page.nextCursor ?? null })
  },
  doc: { id: 'listTasks', summary: 'Tasks, newest first', answer: taskPage, errors: [400] },
}

export const getTask: Route = {
  method: 'GET',
  path: '/v1/tasks/{task_id}',
  access: 'tasks:read',
  token: 'own',
  async handle(c) {
    const request = preference(c.req.header('Prefer'))
    const owned = await authorizedTask(c)
    if (wantsEvents(c.req.header('Accept'))) return taskEvents(c, [owned.task])
    let found = owned.task
    const open = found.status === 'pending' || found.status === 'processing'
    // The task may have been deleted during the wait.
    if (open && request?.kind === 'wait') found = (await authorizedTask(c, () => waitForTask(c.env, found.taskId, request.ms))).task
    return json(await serialiseTask(c, found), preferenceApplied(request))
  },
  doc: {
    id: 'getTask',
    summary: 'One task',
    description:
      '`Prefer: wait=N` holds the answer until the task ends or N seconds (at most 60) pass. `Accept: text/event-stream` answers with events: `progress`, then `completed` or `failed` with the task. A stream lasts at most 5 minutes; come again with `Last-Event-ID`.',
    headers: ['Prefer', 'Last-Event-ID'],
    answer: task,
    events: true,
    errors: [403, 404],
  },
}

export const deleteTask: Route = {
  method: 'DELETE',
  path: '/v1/tasks/{task_id}',
  access: 'tasks:delete',
  async handle(c) {
    const { task: found, record } = await authorizedTask(c)
    const removed = await record.remove()
    if (!removed) throw unknownTask(found.taskId)
    return json({ task_id: found.taskId, deleted: true, freed_bytes: removed.freedBytes })
  },
  doc: {
    id: 'deleteTask',
    summary: 'Delete a task and its files',
    description: 'A running task is cancelled. The files are deleted before the answer.',
    answer: deleted,
    errors: [403, 404],
  },
}
