/** Receipt of a task, or why it failed and what helps. */
import type { Task } from '../api.ts'
import { Download } from '../download.tsx'
import { Icon } from '../icons.tsx'
import { t } from '../language.ts'
import { Dialog } from '../parts.tsx'
import { ReceiptCard } from '../receipt.tsx'
import { failureWords, reasonText } from '../row-words.ts'
import { TaskRoute } from './task-route.tsx'

export function TaskDialog({ task, onClose }: { task: Task; onClose: () => void }) {
  return (
    <Dialog title={task.file_name} onClose={onClose} isWide>
      {task.result ? (
        <>
          {task.result.outcome === 'unchanged' && <p class="dialog__why">{reasonText(task)}</p>}
          <ReceiptCard task={task} />
          <TaskRoute task={task} />
          <p class="row">
            <Download task={task} isMain />
          </p>
        </>
      ) : (
        <>
          <Failure task={task} />
          <TaskRoute task={task} />
        </>
      )}
    </Dialog>
  )
}

/** The file is not here any more, so the advice names what to choose when it is sent again. */
function Failure({ task }: { task: Task }) {
  const { title, detail, action, tone } = failureWords(task.error_detail ?? {}, task.error?.message)
  return (
    <div class={tone === 'bad' ? 'note note--bad' : 'note note--warn'}>
      <Icon name={tone === 'bad' ? 'circle-alert' : 'triangle-alert'} />
      <div>
        <p>
          <b>{title}</b>
        </p>
        {detail && <p>{detail}</p>}
        {action && <p>{t('What helps: choose the file again, then “{action}”.', { action: action.label })}</p>}
        <div class="row">
          <a class="btn btn--sm" href="#compress">
            {t('Compress')}
          </a>
        </div>
      </div>
    </div>
  )
}
