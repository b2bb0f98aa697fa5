/** GET and HEAD /v1/tasks/{task_id}/download: streams the stored bytes. */

import { fileAnswer } from '../file-answer.ts'
import type { Route } from '../route.ts'
import { authorizedTask, completedResult } from '../task-access.ts'

export const download: Route = {
  method: 'GET',
  path: '/v1/tasks/{task_id}/download',
  access: 'tasks:read',
  token: 'own',
  async handle(c) {
    const { task } = await authorizedTask(c)
    return fileAnswer(c, task, completedResult(task))
  },
  doc: {
    id: 'download',
    summary: 'The result of a completed task',
    headers: ['Range', 'If-Match', 'If-None-Match', 'If-Range'],
    answer: 'binary',
    errors: [403, 404, 409, 412, 416],
  },
}
