/** Small picture of a file: the chosen file itself, or the result if it is small. Other types get an icon. */
import { useEffect, useState } from 'preact/hooks'
import { Thumbnail } from '../../site/src/desk/thumbnail.tsx'
import { FACTS } from '../../site/src/model/facts.ts'
import type { FormatId } from '../../site/src/model/protocol.ts'
import { resultOf, type Task } from './api.ts'
import { isKept } from './kept.ts'
import { formatOf } from './wishes.ts'

/** Largest result in bytes that is loaded for its thumbnail. */
const MAX_BYTES = 200_000
/** Results that the page draws. */
const DRAWN = ['jpg', 'png', 'gif', 'webp', 'avif', 'bmp', 'svg', 'pdf']
/** Loaded results by task id. They are loaded once for all pages. */
const loaded = new Map<string, Promise<File>>()

const canLoad = (task: Task) =>
  task.status === 'completed' && DRAWN.includes(task.output_format ?? '') && (task.compressed_size ?? 0) <= MAX_BYTES && isKept(task)

export function TaskThumbnail({ task }: { task: Task }) {
  const [file, setFile] = useState<File>()
  const isDrawn = canLoad(task)
  useEffect(() => {
    if (!isDrawn) return
    let isGone = false
    const known = loaded.get(task.task_id) ?? resultOf(task).then((blob) => new File([blob], task.file_name, { type: blob.type }))
    loaded.set(task.task_id, known)
    known.then(
      (found) => !isGone && setFile(found),
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [task.task_id, isDrawn])
  const format = (isDrawn ? task.output_format : task.format) as FormatId | undefined
  return <FileThumbnail key={file ? 'drawn' : 'icon'} file={file} name={task.file_name} format={format} />
}

const EMPTY = new File([], '')

interface FileThumbnailProps {
  /** `undefined`: only an icon is shown. */
  readonly file: File | undefined
  readonly name: string
  /** Format as the service found it. `undefined`: by the extension of the name. */
  readonly format?: FormatId | undefined
}

export const FileThumbnail = ({ file, name, format }: FileThumbnailProps) => (
  <Thumbnail file={file ?? EMPTY} format={format !== undefined && format in FACTS.formats ? format : formatOf(name)} />
)
