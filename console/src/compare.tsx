/** Comparison before and after: pictures, PDF pages and pictures of documents on top of each other; audio and video in sync. */
import { useEffect, useState } from 'preact/hooks'
import { downloadUrl, type Task } from './api.ts'
import { t } from './language.ts'
import { pagesOf } from './pdf.ts'
import { ComparePlayed } from './played.tsx'
import type { OpenSeries, Series } from './series.ts'
import { type Pair, Stage } from './stage.tsx'
import { picturesIn } from './zip-pictures.ts'

/** Size in bytes above which PDFs and documents are not compared, because the page would hold both files in memory. */
const MAX_OPENED_BYTES = 50e6
/** Formats that are ZIP packages with pictures. */
const PACKAGES = ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'odg', 'ofd', 'epub', 'kmz']

/** Comparison in the way that this browser supports for the file type. Nothing is shown for other types. */
export function Compare({ file, task }: { file: File; task: Task }) {
  const open =
    file.size > MAX_OPENED_BYTES ? undefined : task.format === 'pdf' ? pagesOf : PACKAGES.includes(task.format) ? picturesIn : undefined
  if (open) return <CompareSeries file={file} task={task} open={open} />
  if (/^(audio|video)\//.test(file.type)) return <ComparePlayed file={file} task={task} />
  return /^image\//.test(file.type) ? <ComparePictures file={file} task={task} /> : null
}

function ComparePictures({ file, task }: { file: File; task: Task }) {
  const pair = usePair(task.task_id, async () => [file, await resultOf(task)])
  return pair ? <Stage pair={pair} sizes={sizesOf(task)} caption={t('Before and after')} /> : null
}

const sizesOf = (task: Task) => [task.original_size, task.compressed_size ?? 0] as const

function CompareSeries({ file, task, open }: { file: File; task: Task; open: OpenSeries }) {
  const [series, setSeries] = useState<Series>()
  const [number, setNumber] = useState(1)
  useEffect(() => {
    let gone = false
    let opened: Series | undefined
    const show = async () => {
      opened = await open(file, await resultOf(task))
      if (gone) opened.close()
      else setSeries(opened)
    }
    void show().catch(() => undefined)
    return () => {
      gone = true
      opened?.close()
    }
  }, [task.task_id])
  const pair = usePair(series && series.count > 0 ? `${task.task_id} ${number}` : undefined, () => series!.pair(number))
  if (!series || !pair) return null
  return (
    <Stage pair={pair} sizes={series.sizes?.(number) ?? sizesOf(task)} caption={t('Before and after')}>
      <span class="pager">
        {series.count > 1 && (
          <button type="button" disabled={number <= 1} onClick={() => setNumber(number - 1)} aria-label={t('Back')}>
            ‹
          </button>
        )}
        <span>{t(...series.name(number))}</span>
        {series.count > 1 && (
          <button type="button" disabled={number >= series.count} onClick={() => setNumber(number + 1)} aria-label={t('Next')}>
            ›
          </button>
        )}
      </span>
    </Stage>
  )
}

const resultOf = async (task: Task) => (await fetch(downloadUrl(task.task_id))).blob()

/** URLs of two pictures once both can be drawn. `load` runs when `key` changes. */
function usePair(key: string | undefined, load: () => Promise<readonly Blob[]>): Pair | undefined {
  const [pair, setPair] = useState<Pair>()
  useEffect(() => {
    if (key === undefined) return
    let made: string[] = []
    let gone = false
    const show = async () => {
      made = (await load()).map((picture) => URL.createObjectURL(picture))
      await Promise.all(made.map(drawable))
      if (!gone) setPair({ before: made[0]!, after: made[1]! })
    }
    // This browser cannot draw one of the two, so there is no comparison.
    void show().catch(() => undefined)
    return () => {
      gone = true
      for (const url of made) URL.revokeObjectURL(url)
    }
  }, [key])
  return pair
}

const drawable = (url: string) =>
  new Promise<void>((resolve, reject) => {
    const image = new Image()
    image.onload = () => resolve()
    image.onerror = () => reject(new Error('not drawable'))
    image.src = url
  })
