/** What the API tells people, in the language of who asks. */
import { present, type Task, type TaskView } from '../store/task.ts'
import { type AppContext, baseUrl } from './context.ts'
import { inChinese, type Language, languageOf } from './language.ts'

export const languageFor = (c: AppContext): Language => languageOf(c.req.header('Accept-Language'))

export const told = (c: AppContext, message: string) => (languageFor(c) === 'zh-Hans' ? inChinese(message) : message)

/** A task as the API shows it. */
export function taskView(c: AppContext, task: Task): TaskView {
  const view = present(task, baseUrl(c))
  return view.error ? { ...view, error: { ...view.error, message: told(c, view.error.message) } } : view
}
