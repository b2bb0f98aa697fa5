import { useEffect, useState } from 'preact/hooks'
import { call, downloadUrl, isOpen, type Task } from '../api.ts'
import { bytes, dateTime, t } from '../language.ts'
import { Dialog, message, Problem } from '../parts.tsx'

interface Page {
  tasks: Task[]
  next_cursor: string | null
}

/** How often open tasks are looked at, ms. */
const LOOK_MS = 2000

/**
 * A page of the list put to what is known. A fresh first page replaces everything down to its last task, so that what was deleted
 * elsewhere goes; older tasks stay as they are shown.
 */
function merged(page: Page, known: Page, isLater: boolean): Page {
  if (isLater) {
    const fresh = new Set(page.tasks.map((task) => task.task_id))
    return { ...page, tasks: [...known.tasks.filter((task) => !fresh.has(task.task_id)), ...page.tasks] }
  }
  const oldest = page.tasks.at(-1)
  const end = known.tasks.findIndex((task) => task.task_id === oldest?.task_id)
  // Where the two do not meet, the list begins anew.
  return end < 0 ? page : { tasks: [...page.tasks, ...known.tasks.slice(end + 1)], next_cursor: known.next_cursor }
}

/** The list of tasks: loaded by pages, looked at again as long as tasks are open. */
function useTasks() {
  const [list, setList] = useState<Page>()
  const [error, setError] = useState<string>()

  const load = async (from?: string) => {
    try {
      const page = await call<Page>('GET', `/v1/tasks?limit=50${from ? `&cursor=${encodeURIComponent(from)}` : ''}`)
      setList((known) => (known ? merged(page, known, from !== undefined) : page))
      setError(undefined)
    } catch (problem) {
      setError(message(problem))
    }
  }
  useEffect(() => void load(), [])
  const open = list?.tasks.some(isOpen) ?? false
  useEffect(() => {
    if (!open) return
    const timer = setInterval(() => void load(), LOOK_MS)
    return () => clearInterval(timer)
  }, [open])

  const remove = async (task: Task) => {
    try {
      await call('DELETE', `/v1/tasks/${task.task_id}`)
      setList((known) => known && { ...known, tasks: known.tasks.filter((other) => other.task_id !== task.task_id) })
    } catch (problem) {
      setError(message(problem))
    }
  }
  return { tasks: list?.tasks, cursor: list?.next_cursor, error, load, remove }
}

export function TasksPage() {
  const { tasks, cursor, error, load, remove } = useTasks()
  const [filter, setFilter] = useState('')
  const [receipt, setReceipt] = useState<Task>()
  const wanted = filter.toLowerCase()
  const shown = tasks?.filter((task) => `${task.file_name} ${task.format} ${task.status} ${t(task.status)}`.toLowerCase().includes(wanted))
  return (
    <>
      <Problem error={error} />
      <p>
        <label>
          <span class="hidden">{t('Filter by name, format or state')}</span>
          <input
            type="search"
            placeholder={t('Filter by name, format or state')}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
      </p>
      {shown && shown.length === 0 && <p>{t('No tasks yet.')}</p>}
      {shown && shown.length > 0 && <TaskTable tasks={shown} onReceipt={setReceipt} onDelete={remove} />}
      {cursor && (
        <button type="button" onClick={() => load(cursor)}>
          {t('Load more')}
        </button>
      )}
      {receipt && (
        <Dialog title={receipt.file_name} onClose={() => setReceipt(undefined)}>
          <pre>{JSON.stringify(receipt, null, 2)}</pre>
        </Dialog>
      )}
    </>
  )
}

interface TaskActions {
  readonly onReceipt: (task: Task) => void
  readonly onDelete: (task: Task) => void
}

function TaskTable({ tasks, ...actions }: TaskActions & { tasks: readonly Task[] }) {
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{t('File')}</th>
            <th scope="col">{t('State')}</th>
            <th scope="col">{t('Size')}</th>
            <th scope="col">{t('Saved')}</th>
            <th scope="col">{t('Created')}</th>
            <td />
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <TaskRow key={task.task_id} task={task} {...actions} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function TaskRow({ task, onReceipt, onDelete }: TaskActions & { task: Task }) {
  return (
    <tr>
      <th scope="row">
        {task.file_name} <small>{task.format}</small>
      </th>
      <td>
        {t(task.status)}
        {isOpen(task) && <progress max={1} value={task.progress ?? 0} aria-label={task.file_name} />}
      </td>
      <td>{bytes(task.original_size)}</td>
      <td>{task.result?.outcome === 'unchanged' ? t('unchanged') : task.compression_ratio}</td>
      <td>{dateTime(task.created_at)}</td>
      <td class="actions">
        {task.status === 'completed' && (
          <a class="button" href={downloadUrl(task.task_id)} download={task.output_name}>
            {t('Download')}
          </a>
        )}
        <button type="button" onClick={() => onReceipt(task)}>
          {t('Receipt')}
        </button>
        <button type="button" onClick={() => onDelete(task)}>
          {t('Delete')}
        </button>
      </td>
    </tr>
  )
}
