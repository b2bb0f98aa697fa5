import { useState } from 'preact/hooks'
import { downloadUrl } from '../api.ts'
import { type Attempt, dismiss, retry } from '../attempts.ts'
import { Compare } from '../compare.tsx'
import { bytes, duration, t } from '../language.ts'
import { CopyButton } from '../parts.tsx'
import { ReceiptCard } from '../receipt.tsx'

/** Time in ms before an upload's speed is estimated. */
const LEAST_MS = 1000

/** One file: a line with its state, and details when opened. */
export function FileRow({ attempt, ahead, isAlone }: { attempt: Attempt; ahead: number; isAlone: boolean }) {
  const [open, setOpen] = useState(isAlone)
  const { state, task, name } = attempt
  const done = state === 'done' ? task : undefined
  return (
    <li class={`file ${state}`}>
      <article aria-label={name}>
        <div class="line">
          <h2 title={name}>{name}</h2>
          <Standing attempt={attempt} ahead={ahead} />
          <span class="actions">
            {done && (
              <a class="button main" href={downloadUrl(done.task_id)} download={done.output_name}>
                {t('Download')}
              </a>
            )}
            {state === 'failed' && attempt.file && (
              <button type="button" onClick={() => retry(attempt)}>
                {t('Try again')}
              </button>
            )}
            <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
              {t('Details')}
            </button>
            <button
              type="button"
              class="quiet"
              onClick={() => dismiss(attempt)}
              aria-label={`${t(state === 'done' || state === 'failed' ? 'Remove from the list' : 'Cancel')}: ${name}`}
            >
              ✕
            </button>
          </span>
        </div>
        {open && (
          <div class="details">
            {done && <ReceiptCard task={done} />}
            {done && attempt.file && !attempt.wishes['password'] && done.result?.outcome === 'compressed' && (
              <Compare file={attempt.file} task={done} />
            )}
            <details>
              <summary>{t('Equivalent curl command')}</summary>
              <pre>{curl(attempt)}</pre>
              <CopyButton text={curl(attempt)} />
            </details>
          </div>
        )}
      </article>
    </li>
  )
}

/** State of a file: a word, a progress bar, or the result. */
function Standing({ attempt, ahead }: { attempt: Attempt; ahead: number }) {
  const { state, task, error, uploaded, size } = attempt
  if (state === 'failed') {
    return (
      <p role="alert" class="standing problem">
        {t(error ?? 'failed')}
      </p>
    )
  }
  if (state === 'waiting') return <p class="standing">{ahead > 0 ? t('Waiting: {count} files ahead', { count: ahead }) : t('Waiting')}</p>
  if (state === 'uploading') {
    return (
      <p class="standing">
        <progress max={1} value={uploaded} aria-label={t('Uploading')} />
        <span>
          {t('Uploading')} {Math.floor(uploaded * 100)} % {paceOf(attempt)}
        </span>
      </p>
    )
  }
  if (state === 'working' || !task?.result) {
    return (
      <p class="standing">
        <progress max={1} value={task?.progress ?? 0} aria-label={t('Working')} />
        <span>
          {task?.status === 'pending' ? t('Queued') : `${t('Compressing')} ${Math.floor((task?.progress ?? 0) * 100)} %`} · {bytes(size)}
        </span>
      </p>
    )
  }
  if (task.result.outcome === 'unchanged') {
    return (
      <p class="standing">
        {bytes(task.original_size)} · <span class="badge">{t('unchanged')}</span>
      </p>
    )
  }
  return (
    <p class="standing">
      {bytes(task.original_size)} → <strong>{bytes(task.compressed_size ?? 0)}</strong>{' '}
      <span class="badge good" title={t('saved {bytes}', { bytes: bytes(task.original_size - (task.compressed_size ?? 0)) })}>
        −{task.compression_ratio}
      </span>
    </p>
  )
}

function paceOf({ begunMs, uploaded, size }: Attempt): string {
  const elapsedMs = performance.now() - (begunMs ?? performance.now())
  if (elapsedMs < LEAST_MS || uploaded === 0 || uploaded === 1) return ''
  const rate = `${bytes(Math.round((uploaded * size * 1000) / elapsedMs))}/s`
  return `· ${rate} · ${t('{time} left', { time: duration((elapsedMs * (1 - uploaded)) / uploaded) })}`
}

/** Equivalent curl command. Key and password are shell variables. */
function curl({ name, wishes }: Attempt): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const fields = [`-F file=@${quote(name)}`, `-F quality=${wishes['quality']}`]
  if (wishes['format']) fields.push(`-F format=${wishes['format']}`)
  if (wishes['target_size']) fields.push(`-F target_size=${wishes['target_size']}`)
  if (wishes['password']) fields.push('-F "password=$PASSWORD"')
  return `curl -H "Authorization: Bearer $WHITTLE_KEY" ${fields.join(' ')} ${location.origin}/v1/compress`
}
