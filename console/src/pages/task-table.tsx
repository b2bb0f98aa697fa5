/** Table of tasks. On a phone, a row is a labelled card. */
import { isOpen, type Task } from '../api.ts'
import { Download } from '../download.tsx'
import { bytes, dateTime, t, timeAgo } from '../language.ts'
import { For } from '../parts.tsx'
import { TaskName, TaskResult } from './recent-tasks.tsx'

type Column = 'file_name' | 'original_size' | 'compressed_size' | 'created_at'

export interface Order {
  readonly by: Column
  readonly isUp: boolean
}

export function ordered(tasks: readonly Task[], { by, isUp }: Order): Task[] {
  const sign = isUp ? 1 : -1
  return [...tasks].sort((a, b) => {
    const [x, y] = [a[by] ?? 0, b[by] ?? 0]
    return sign * (typeof x === 'string' ? x.localeCompare(String(y)) : x - Number(y))
  })
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
  ['original_size', 'Size'],
  ['compressed_size', 'Result'],
  ['created_at', 'When'],
]

export function TaskTable(props: TableProps) {
  const { tasks, order, onOrder, chosen, onChoose } = props
  const all = tasks.map((task) => task.task_id)
  return (
    <table class="table table--tasks">
      <thead>
        <tr>
          <td class="pick">
            <input
              type="checkbox"
              aria-label={t('Choose all')}
              checked={all.every((id) => chosen.has(id))}
              onChange={(event) => onChoose(all, event.currentTarget.checked)}
            />
          </td>
          {COLUMNS.map(([by, name]) => (
            <th key={by} scope="col" aria-sort={order.by !== by ? 'none' : order.isUp ? 'ascending' : 'descending'}>
              <button type="button" class="sort" onClick={() => onOrder({ by, isUp: order.by === by ? !order.isUp : by === 'file_name' })}>
                {t(name)} <span aria-hidden="true">{order.by === by ? (order.isUp ? '↑' : '↓') : ''}</span>
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

function TaskRow({ task, chosen, onChoose, onReceipt, onDelete }: TableProps & { task: Task }) {
  return (
    <tr>
      <td class="pick">
        <input
          type="checkbox"
          aria-label={t('Choose {name}', { name: task.file_name })}
          checked={chosen.has(task.task_id)}
          onChange={(event) => onChoose([task.task_id], event.currentTarget.checked)}
        />
      </td>
      <th scope="row">
        <TaskName task={task} onOpen={() => onReceipt(task)} />
      </th>
      <td class="num nowrap" data-label={t('Size')}>
        {bytes(task.original_size)}
      </td>
      <td data-label={t('Result')}>
        <TaskResult task={task} />
      </td>
      <td class="muted nowrap" data-label={t('When')}>
        <time dateTime={task.created_at} title={dateTime(task.created_at)}>
          {timeAgo(task.created_at)}
        </time>
      </td>
      <td class="acts">
        <span class="acts__in">
          {task.status === 'completed' && <Download task={task} />}
          {!isOpen(task) && (
            <button type="button" class="btn btn--quiet btn--sm" onClick={() => onReceipt(task)}>
              {task.result ? t('Receipt') : t('See why')}
            </button>
          )}
          <For atLeast="member">
            <button type="button" class="btn btn--quiet btn--sm btn--danger" onClick={() => onDelete(task)}>
              {t('Delete')}
            </button>
          </For>
        </span>
      </td>
    </tr>
  )
}
