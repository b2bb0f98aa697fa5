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

export function TasksPage() {
  const [tasks, setTasks] = useState<Task[]>()
  const [cursor, setCursor] = useState<string | null>(null)
  const [filter, setFilter] = useState('')
  const [receipt, setReceipt] = useState<Task>()
  const [error, setError] = useState<string>()

  const load = async (from?: string) => {
    try {
      const page = await call<Page>('GET', `/v1/tasks?limit=50${from ? `&cursor=${encodeURIComponent(from)}` : ''}`)
      setTasks((known) => (from ? [...(known ?? []), ...page.tasks] : page.tasks))
      setCursor(page.next_cursor)
      setError(undefined)
    } catch (problem) {
      setError(message(problem))
    }
  }
  useEffect(() => void load(), [])
  const open = tasks?.some(isOpen) ?? false
  useEffect(() => {
    if (!open) return
    const timer = setInterval(() => void load(), LOOK_MS)
    return () => clearInterval(timer)
  }, [open])

  const remove = async (task: Task) => {
    try {
      await call('DELETE', `/v1/tasks/${task.task_id}`)
      setTasks((known) => known?.filter((other) => other !== task))
    } catch (problem) {
      setError(message(problem))
    }
  }
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
      {shown && shown.length > 0 && (
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
              {shown.map((task) => (
                <tr key={task.task_id}>
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
                    <button type="button" onClick={() => setReceipt(task)}>
                      {t('Receipt')}
                    </button>
                    <button type="button" onClick={() => remove(task)}>
                      {t('Delete')}
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
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
