/** Links: addresses that download the result of a task without a key. */

import { apiMessage } from '../../i18n/message.ts'
import { MAX_LINKS } from '../../store/tasks.ts'
import { ApiError } from '../../tasks/api-error.ts'
import { readJson } from '../body.ts'
import { type AppContext, baseUrl } from '../context.ts'
import { fileAnswer } from '../file-answer.ts'
import { linkToken, newLinkId, parseLinkToken } from '../link-token.ts'
import { json, type Route } from '../route.ts'
import { linkFields, parseOrRefuse } from '../schemas/requests.ts'
import { link } from '../schemas/tasks.ts'
import { authorizedTask, completedResult, unknownTask } from '../task-access.ts'

export const createLink: Route = {
  method: 'POST',
  path: '/v1/tasks/{task_id}/links',
  access: 'tasks:read',
  async handle(c) {
    const { task, record } = await authorizedTask(c)
    const { expires_in, max_downloads } = parseOrRefuse(linkFields, await readJson(c.req.raw))
    completedResult(task)
    const linkId = newLinkId()
    const token = await linkToken({ taskId: task.taskId, linkId }, secretOf(c))
    const expiresAt = Date.now() + expires_in * 1000
    const made = await record.createLink({ id: linkId, expiresAt, ...(max_downloads === undefined ? {} : { maxDownloads: max_downloads }) })
    if (!made) {
      if (!(await record.read())) throw unknownTask(task.taskId)
      throw new ApiError('too_many_links', apiMessage('too_many_links', { limit: MAX_LINKS }), { limit: MAX_LINKS })
    }
    const ends = Math.min(expiresAt, task.expiresAt ?? expiresAt)
    return json({ url: `${baseUrl(c)}/d/${token}`, expires_at: new Date(ends).toISOString(), max_downloads: max_downloads ?? null })
  },
  doc: {
    id: 'createLink',
    summary: 'A link that downloads the result without a key',
    description:
      'Both fields are optional. The link stops working after `expires_in` seconds, after `max_downloads` downloads, and with its task. Each GET that sends bytes counts as a download.',
    json: linkFields,
    answer: link,
    errors: [400, 403, 404, 409],
  },
}

export const downloadLink: Route = {
  method: 'GET',
  path: '/d/{token}',
  access: 'public',
  async handle(c) {
    const name = await parseLinkToken(c.req.param('token') ?? '', secretOf(c))
    if (!name) throw unknownLink()
    c.get('logged').taskIds = [name.taskId]
    const record = c.env.TASKS.getByName(name.taskId)
    const task = await record.linked(name.linkId)
    if (!task?.result) throw unknownLink()
    c.set('fileOwner', task.accountId)
    return fileAnswer(c, task, task.result, {
      cacheControl: 'private, no-store',
      beforeBytes: async () => {
        if (!(await record.countDownload(name.linkId))) throw unknownLink()
      },
    })
  },
  doc: {
    id: 'downloadLink',
    summary: 'The result that a link leads to',
    headers: ['Range', 'If-Match', 'If-None-Match', 'If-Range'],
    answer: 'binary',
    errors: [404, 412, 416],
  },
}

function secretOf(c: AppContext): string {
  const secret = c.env.SECRET_KEY
  if (secret === undefined) throw new ApiError('maintenance', 'links_need_secret')
  return secret
}

const unknownLink = () => new ApiError('unknown_link', 'no_such_link')
