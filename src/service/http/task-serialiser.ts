/** Serialises tasks and messages in the language of the request. */
import type { Language } from '../i18n/message.ts'
import { type Task, type TaskView, toTaskView } from '../store/task.ts'
import { isOpen, type Outlook, outlookOf, placesOf } from '../tasks/outlook.ts'
import { type AppContext, baseUrl } from './context.ts'
import { languageOf } from './language.ts'

export const languageFor = (c: AppContext): Language => languageOf(c.req.header('Accept-Language'))

/** Serialises tasks as the API answers them, open ones with their outlook. */
export async function serialiseTasks(c: AppContext, tasks: readonly Task[]): Promise<TaskView[]> {
  const places = await placesOf(c.env, tasks)
  const now = Date.now()
  return tasks.map((task) => viewOf(c, task, isOpen(task) ? outlookOf(task, now, places[task.taskId]) : undefined))
}

export async function serialiseTask(c: AppContext, task: Task): Promise<TaskView> {
  const [view] = await serialiseTasks(c, [task])
  return view!
}

export const viewOf = (c: AppContext, task: Task, outlook?: Outlook): TaskView =>
  toTaskView(task, baseUrl(c), { language: languageFor(c), ...(outlook ? { outlook } : {}) })
