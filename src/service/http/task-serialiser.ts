/** Serialises tasks and messages in the language of the request. */
import type { Language } from '../i18n/message.ts'
import { type Task, type TaskView, toTaskView } from '../store/task.ts'
import { type AppContext, baseUrl } from './context.ts'
import { languageOf } from './language.ts'

export const languageFor = (c: AppContext): Language => languageOf(c.req.header('Accept-Language'))

/** Serialises a task as the API answers it. */
export const serialiseTask = (c: AppContext, task: Task): TaskView => toTaskView(task, baseUrl(c), languageFor(c))
