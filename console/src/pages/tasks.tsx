/** All tasks of the account, with filter, receipts, downloads and deletion. */
import { useState } from 'preact/hooks'
import type { Task } from '../api.ts'
import { Icon } from '../icons.tsx'
import { plural, t } from '../language.ts'
import { Empty, For, Loading, Problem } from '../parts.tsx'
import { saveAsZip } from '../zip.ts'
import type { PageProps } from './compress.tsx'
import { SampleButton } from './sample-button.tsx'
import { TaskDialog } from './task-dialog.tsx'
import { useTasks } from './task-list.ts'
import { type Order, ordered, TaskTable } from './task-table.tsx'

/** Filter in the address: `#tasks/failed`. */
const filterIn = (hash: string) => decodeURIComponent(hash.split('/')[1] ?? '')

export function TasksPage({ me }: PageProps) {
  const { tasks, cursor, error, load, remove, undo, deleted } = useTasks()
  const [filter, setFilter] = useState(filterIn(location.hash))
  const [order, setOrder] = useState<Order>({ by: 'created_at', isUp: false })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [receipt, setReceipt] = useState<Task>()
  const wanted = filter.toLowerCase()
  const found = tasks?.filter((task) => `${task.file_name} ${task.format} ${task.status} ${t(task.status)}`.toLowerCase().includes(wanted))
  const shown = found && ordered(found, order)
  const selected = shown?.filter((task) => chosen.has(task.task_id)) ?? []
  const choose = (ids: readonly string[], isChosen: boolean) =>
    setChosen((before) => new Set(isChosen ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id))))
  const removeChosen = () => {
    remove(selected)
    setChosen(new Set())
  }
  if (!shown) return <Loading error={error} />
  const table = { tasks: shown, order, onOrder: setOrder, chosen, onChoose: choose, onReceipt: setReceipt }
  return (
    <>
      <Problem error={error} />
      {tasks?.length !== 0 && (
        <div class="summary">
          <Filter value={filter} onChange={setFilter} />
          <Chosen tasks={selected} onDelete={removeChosen} />
        </div>
      )}
      <div class="card">
        {shown.length > 0 ? (
          <TaskTable {...table} onDelete={(task) => remove([task])} />
        ) : (
          <NoTasks isFiltered={tasks?.length !== 0}>
            <SampleButton me={me} />
          </NoTasks>
        )}
      </div>
      {cursor && (
        <p class="more">
          <button type="button" class="btn" onClick={() => load(cursor)}>
            {t('Load more')}
          </button>
        </p>
      )}
      {receipt && <TaskDialog task={receipt} onClose={() => setReceipt(undefined)} />}
      <Deleted count={deleted.length} onUndo={undo} />
    </>
  )
}

const NoTasks = ({ isFiltered, children }: { isFiltered: boolean; children: preact.ComponentChildren }) =>
  isFiltered ? (
    <Empty icon="search" title={t('No task matches.')} />
  ) : (
    <Empty
      icon="receipt-text"
      title={t('No tasks yet')}
      text={t('Drop a file here or send the first request. Tasks and their receipts appear here.')}
    >
      {children}
    </Empty>
  )

function Filter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const label = t('Filter by name, format or state')
  return (
    <label class="search">
      <span class="vh">{label}</span>
      <Icon name="search" />
      <input type="search" class="input" placeholder={label} value={value} onInput={(event) => onChange(event.currentTarget.value)} />
    </label>
  )
}

function Deleted({ count, onUndo }: { count: number; onUndo: () => void }) {
  return (
    <div role="status" class={count > 0 ? 'toast' : 'vh'}>
      {count > 0 && (
        <>
          {t('{count} deleted', { count })}
          <button type="button" onClick={onUndo}>
            {t('Undo')}
          </button>
        </>
      )}
    </div>
  )
}

/** Actions for the selected tasks. */
function Chosen({ tasks, onDelete }: { tasks: readonly Task[]; onDelete: () => void }) {
  const done = tasks.filter(({ status }) => status === 'completed')
  if (tasks.length === 0) return null
  return (
    <div class="row chosen">
      <span class="muted">{plural(tasks.length, '1 chosen', '{count} chosen')}</span>
      {done.length > 0 && (
        <button type="button" class="btn btn--sm" onClick={() => void saveAsZip(done, 'whittle.zip').catch(() => undefined)}>
          <Icon name="download" />
          {t('Download all as ZIP')}
        </button>
      )}
      <For atLeast="member">
        <button type="button" class="btn btn--sm btn--danger" onClick={onDelete}>
          {t('Delete')}
        </button>
      </For>
    </div>
  )
}
