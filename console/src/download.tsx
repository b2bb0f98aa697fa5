/** Button that downloads the result of a task. */
import { useState } from 'preact/hooks'
import { saveBlob } from '../../site/src/save.ts'
import { downloadUrl, resultOf, type Task } from './api.ts'
import { apiKey } from './connection.ts'
import { Icon } from './icons.tsx'
import { t } from './language.ts'

/** With a session, the browser downloads the address itself. With a key, the page must send the key, so it loads the file first. */
export function Download({ task, isMain = false }: { task: Task; isMain?: boolean }) {
  const [isLoading, setLoading] = useState(false)
  const look = isMain ? 'btn btn--sm btn--primary' : 'btn btn--sm'
  const content = (
    <>
      <Icon name="download" />
      {t('Download')}
    </>
  )
  if (apiKey() === undefined) {
    return (
      <a class={look} href={downloadUrl(task.task_id)} download={task.output_name}>
        {content}
      </a>
    )
  }
  const save = async () => {
    setLoading(true)
    try {
      saveBlob(await resultOf(task), task.output_name ?? task.file_name)
    } finally {
      setLoading(false)
    }
  }
  return (
    <button type="button" class={look} disabled={isLoading} onClick={() => void save().catch(() => undefined)}>
      {content}
    </button>
  )
}
