import { useEffect, useRef, useState } from 'preact/hooks'
import { call, downloadUrl, isOpen, type Task } from '../api.ts'
import { bytes, dateTime, t } from '../language.ts'
import { Dialog, For, message, Problem } from '../parts.tsx'
import { ReceiptCard } from '../receipt.tsx'
import { saveAsZip } from '../zip.ts'

interface Page {
  tasks: Task[]
  next_cursor: string | null
}

/** Polling interval of unfinished tasks in ms. */
const LOOK_MS = 2000
/** Time in ms during which a deletion can be undone. */
const UNDO_MS = 6000

/**
 * Merges a page of tasks into the list. A new first page replaces everything down to its last task,
 * so that tasks deleted elsewhere disappear. Older tasks stay unchanged.
 */
function merged(page: Page, known: Page, isLater: boolean): Page {
  if (isLater) {
    const fresh = new Set(page.tasks.map((task) => task.task_id))
    return { ...page, tasks: [...known.tasks.filter((task) => !fresh.has(task.task_id)), ...page.tasks] }
  }
  const oldest = page.tasks.at(-1)
  const end = known.tasks.findIndex((task) => task.task_id === oldest?.task_id)
  // If the pages do not overlap, the list starts anew.
  return end < 0 ? page : { tasks: [...page.tasks, ...known.tasks.slice(end + 1)], next_cursor: known.next_cursor }
}

/** List of tasks: loaded page by page, and polled while tasks are unfinished. */
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

  const hidden = useDeletions(setError)
  return {
    tasks: list?.tasks.filter((task) => !hidden.has(task.task_id)),
    cursor: list?.next_cursor,
    error,
    load,
    remove: hidden.remove,
    undo: hidden.undo,
    deleted: hidden.waiting,
  }
}

/** Deletion with undo: tasks disappear at once and are deleted by the service after the undo time. */
function useDeletions(fail: (error: string) => void) {
  const [waiting, setWaiting] = useState<readonly Task[]>([])
  const gone = useRef(new Set<string>())
  const latest = useRef<readonly Task[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const set = (tasks: readonly Task[]) => {
    latest.current = tasks
    setWaiting(tasks)
  }
  const carryOut = async () => {
    clearTimeout(timer.current)
    const tasks = latest.current
    set([])
    for (const { task_id } of tasks) {
      gone.current.add(task_id)
      await call('DELETE', `/v1/tasks/${task_id}`).catch((problem: unknown) => {
        gone.current.delete(task_id)
        fail(message(problem))
      })
    }
  }
  useEffect(() => {
    const leave = () => void carryOut()
    addEventListener('pagehide', leave)
    return () => {
      removeEventListener('pagehide', leave)
      leave()
    }
  }, [])
  return {
    waiting,
    has: (id: string) => gone.current.has(id) || waiting.some((task) => task.task_id === id),
    remove: (tasks: readonly Task[]) => {
      clearTimeout(timer.current)
      set([...latest.current, ...tasks])
      timer.current = setTimeout(() => void carryOut(), UNDO_MS)
    },
    undo: () => {
      clearTimeout(timer.current)
      set([])
    },
  }
}

type Column = 'file_name' | 'status' | 'original_size' | 'compressed_size' | 'created_at'
interface Order {
  readonly by: Column
  readonly isUp: boolean
}

function ordered(tasks: readonly Task[], { by, isUp }: Order): Task[] {
  const sign = isUp ? 1 : -1
  return [...tasks].sort((a, b) => {
    const [x, y] = [a[by] ?? 0, b[by] ?? 0]
    return sign * (typeof x === 'string' ? x.localeCompare(String(y)) : x - Number(y))
  })
}

export function TasksPage() {
  const { tasks, cursor, error, load, remove, undo, deleted } = useTasks()
  const [filter, setFilter] = useState('')
  const [order, setOrder] = useState<Order>({ by: 'created_at', isUp: false })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [receipt, setReceipt] = useState<Task>()
  const wanted = filter.toLowerCase()
  const found = tasks?.filter((task) => `${task.file_name} ${task.format} ${task.status} ${t(task.status)}`.toLowerCase().includes(wanted))
  const shown = found && ordered(found, order)
  const selected = shown?.filter((task) => chosen.has(task.task_id)) ?? []
  const choose = (ids: readonly string[], isChosen: boolean) =>
    setChosen((before) => new Set(isChosen ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))))
  return (
    <>
      <Problem error={error} />
      <div class="summary">
        <label>
          <span class="hidden">{t('Filter by name, format or state')}</span>
          <input
            type="search"
            placeholder={t('Filter by name, format or state')}
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
        </label>
        <Chosen
          tasks={selected}
          onDelete={() => {
            remove(selected)
            setChosen(new Set())
          }}
        />
      </div>
      {shown === undefined && !error && <p aria-busy="true">{t('Loading…')}</p>}
      {shown?.length === 0 && <p>{t(tasks?.length === 0 ? 'No tasks yet.' : 'No task matches.')}</p>}
      {shown && shown.length > 0 && (
        <TaskTable
          tasks={shown}
          order={order}
          onOrder={setOrder}
          chosen={chosen}
          onChoose={choose}
          onReceipt={setReceipt}
          onDelete={(task) => remove([task])}
        />
      )}
      {cursor && (
        <button type="button" onClick={() => load(cursor)}>
          {t('Load more')}
        </button>
      )}
      {receipt && (
        <Dialog title={receipt.file_name} onClose={() => setReceipt(undefined)}>
          {receipt.result ? <ReceiptCard task={receipt} /> : <Problem error={receipt.error?.message} />}
        </Dialog>
      )}
      <p role="status" class={deleted.length > 0 ? 'toast' : 'hidden'}>
        {deleted.length > 0 && (
          <>
            {t('{count} deleted', { count: deleted.length })}{' '}
            <button type="button" onClick={undo}>
              {t('Undo')}
            </button>
          </>
        )}
      </p>
    </>
  )
}

/** Actions for the selected tasks. */
function Chosen({ tasks, onDelete }: { tasks: readonly Task[]; onDelete: () => void }) {
  const done = tasks.filter(({ status }) => status === 'completed')
  if (tasks.length === 0) return null
  return (
    <p class="actions">
      <span>{t('{count} chosen', { count: tasks.length })}</span>
      {done.length > 0 && (
        <button type="button" onClick={() => void saveAsZip(done, 'whittle.zip').catch(() => undefined)}>
          {t('Download all as ZIP')}
        </button>
      )}
      <For atLeast="member">
        <button type="button" onClick={onDelete}>
          {t('Delete')}
        </button>
      </For>
    </p>
  )
}

interface TableProps {
  readonly tasks: readonly Task[]
  readonly order: Order
  readonly onOrder: (order: Order) => void
  readonly chosen: ReadonlySet<string>
  readonly onChoose: (ids: readonly string[], isChosen: boolean) => void
  readonly onReceipt: (task: Task) => void
  readonly onDelete: (task: Task) => void
}

const COLUMNS: readonly (readonly [Column, string])[] = [
  ['file_name', 'File'],
  ['status', 'State'],
  ['original_size', 'Size'],
  ['compressed_size', 'Result'],
  ['created_at', 'Created'],
]

function TaskTable(props: TableProps) {
  const { tasks, order, onOrder, chosen, onChoose } = props
  const all = tasks.map((task) => task.task_id)
  return (
    <table class="cards">
      <thead>
        <tr>
          <td>
            <input
              type="checkbox"
              aria-label={t('Choose all')}
              checked={all.every((id) => chosen.has(id))}
              onChange={(event) => onChoose(all, event.currentTarget.checked)}
            />
          </td>
          {COLUMNS.map(([by, name]) => (
            <th key={by} scope="col" aria-sort={order.by !== by ? 'none' : order.isUp ? 'ascending' : 'descending'}>
              <button type="button" class="quiet" onClick={() => onOrder({ by, isUp: order.by === by ? !order.isUp : by === 'file_name' })}>
                {t(name)} <span aria-hidden="true">{order.by === by ? (order.isUp ? '▲' : '▼') : ''}</span>
              </button>
            </th>
          ))}
          <td />
        </tr>
      </thead>
      <tbody>
        {tasks.map((task) => (
          <TaskRow key={task.task_id} task={task} {...props} />
        ))}
      </tbody>
    </table>
  )
}

const STATES = { completed: 'badge good', failed: 'badge bad', pending: 'badge', processing: 'badge busy' } as const

function TaskRow({ task, chosen, onChoose, onReceipt, onDelete }: TableProps & { task: Task }) {
  return (
    <tr>
      <td>
        <input
          type="checkbox"
          aria-label={t('Choose {name}', { name: task.file_name })}
          checked={chosen.has(task.task_id)}
          onChange={(event) => onChoose([task.task_id], event.currentTarget.checked)}
        />
      </td>
      <th scope="row">
        {task.file_name} <small>{task.format}</small>
      </th>
      <td>
        <span class={STATES[task.status]}>{t(task.status)}</span>
        {isOpen(task) && <progress max={1} value={task.progress ?? 0} aria-label={task.file_name} />}
      </td>
      <td class="number">{bytes(task.original_size)}</td>
      <td class="number">
        {task.compressed_size !== undefined && bytes(task.compressed_size)}{' '}
        <small>{task.result?.outcome === 'unchanged' ? t('unchanged') : task.compression_ratio && `−${task.compression_ratio}`}</small>
      </td>
      <td class="number">{dateTime(task.created_at)}</td>
      <td class="actions">
        {task.status === 'completed' && (
          <a class="button" href={downloadUrl(task.task_id)} download={task.output_name}>
            {t('Download')}
          </a>
        )}
        <button type="button" onClick={() => onReceipt(task)}>
          {t('Receipt')}
        </button>
        <For atLeast="member">
          <button type="button" onClick={() => onDelete(task)}>
            {t('Delete')}
          </button>
        </For>
      </td>
    </tr>
  )
}
