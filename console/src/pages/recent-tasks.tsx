/** Recent tasks with thumbnails, and what became of them. */
import { useState } from 'preact/hooks'
import { formatName } from '../../../site/src/model/format-names.ts'
import type { FormatId } from '../../../site/src/model/protocol.ts'
import { isOpen, type Task } from '../api.ts'
import { Icon } from '../icons.tsx'
import { bytes, t, timeAgo } from '../language.ts'
import { SizeChange } from '../parts.tsx'
import { failureWords, reasonText } from '../row-words.ts'
import { TaskThumbnail } from '../thumbnail.tsx'
import { TaskDialog } from './task-dialog.tsx'

export function RecentTasks({ tasks }: { tasks: readonly Task[] }) {
  const [shown, setShown] = useState<Task>()
  return (
    <>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t('File')}</th>
            <th scope="col">{t('Result')}</th>
            <th scope="col" class="r">
              {t('When')}
            </th>
          </tr>
        </thead>
        <tbody>
          {tasks.map((task) => (
            <tr key={task.task_id}>
              <th scope="row">
                <TaskName task={task} onOpen={() => setShown(task)} />
              </th>
              <td data-label={t('Result')}>
                <TaskResult task={task} />
              </td>
              <td class="r muted nowrap" data-label={t('When')}>
                <time dateTime={task.created_at}>{timeAgo(task.created_at)}</time>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {shown && <TaskDialog task={shown} onClose={() => setShown(undefined)} />}
    </>
  )
}

/** Name of a task's file with its thumbnail. The name opens the receipt, or the reason of a failure. */
export function TaskName({ task, onOpen }: { task: Task; onOpen: () => void }) {
  const format = formatName(task.format as FormatId, task.file_name) ?? task.format
  return (
    <span class="task-name">
      <TaskThumbnail task={task} />
      <span>
        {isOpen(task) ? (
          <b class="task-name__text">{task.file_name}</b>
        ) : (
          <button type="button" class="task-name__open" onClick={onOpen}>
            {task.file_name}
          </button>
        )}
        <span class="faint small">
          {[format, task.quality === null ? `SSIMULACRA 2 ${task.target_score}` : t(task.quality)].join(t(', '))}
        </span>
      </span>
    </span>
  )
}

/** What became of a task: sizes, progress, or why nothing changed. */
export function TaskResult({ task }: { task: Task }) {
  const { status, original_size: before, compressed_size: after, result } = task
  if (isOpen(task)) {
    return (
      <span class="badge">
        <Icon name="loader-circle" class="spin" />
        {status === 'pending' ? t('Queued') : `${Math.floor((task.progress ?? 0) * 100)} %`}
      </span>
    )
  }
  if (status === 'failed') {
    const { title, tone } = failureWords(task.error_detail ?? {}, undefined)
    return (
      <span class="result-line">
        <span class={tone === 'bad' ? 'badge badge--bad' : 'badge badge--warn'}>{title}</span>
      </span>
    )
  }
  if (result?.outcome === 'unchanged' || after === undefined) {
    return (
      <span class="result-line">
        <span class="num">{bytes(before)}</span>
        <span class={result?.reason === 'malformed' ? 'badge badge--bad' : 'badge'} title={reasonText(task)}>
          {result?.reason === 'malformed' ? t('Damaged') : t('Unchanged')}
        </span>
      </span>
    )
  }
  return (
    <span class="result-line">
      <SizeChange before={before} after={after} />
    </span>
  )
}
