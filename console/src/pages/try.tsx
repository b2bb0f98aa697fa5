import { useEffect, useRef, useState } from 'preact/hooks'
import { downloadUrl, isOpen, type Task } from '../api.ts'
import { type Attempt, allAttempts, begin, droppedFiles, watchAttempts } from '../attempts.ts'
import { bytes, t } from '../language.ts'
import { CopyButton, Problem } from '../parts.tsx'
import { firstPage } from '../pdf.ts'

const OUTPUTS = ['', ...OUTPUT_IDS]

/** A larger PDF is not drawn: the page would hold it twice. */
const MAX_PDF_BYTES = 50e6

export function TryPage() {
  const [attempts, setAttempts] = useState(allAttempts())
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => watchAttempts(setAttempts), [])

  const take = (files: Iterable<File>) => {
    const fields = new FormData(form.current!)
    const wishes = {
      quality: String(fields.get('quality')),
      format: String(fields.get('format')),
      password: String(fields.get('password')),
      target_size: targetBytes(fields),
    }
    for (const file of files) void begin(file, wishes)
  }
  return (
    <>
      <form ref={form} class="wishes" onSubmit={(event) => event.preventDefault()}>
        <Fields />
      </form>
      <DropArea onFiles={take} />
      <div aria-live="polite">
        {attempts.map((attempt) => (
          <AttemptView key={attempt.id} attempt={attempt} />
        ))}
      </div>
    </>
  )
}

function Fields() {
  return (
    <>
      <label>
        {t('Quality')}
        <select name="quality">
          {['medium', 'low', 'high', 'ultra'].map((level) => (
            <option key={level} value={level}>
              {t(level)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('Output format')}
        <select name="format">
          {OUTPUTS.map((output) => (
            <option key={output} value={output}>
              {output || t('as it came')}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('At most')} ({t('optional')})
        <span class="size">
          <input type="number" name="target" min="0" step="any" inputMode="decimal" placeholder="1.5" />
          <select name="unit" aria-label={t('Unit')}>
            <option value="1000">kB</option>
            <option value="1000000">MB</option>
          </select>
        </span>
      </label>
      <label>
        {t('Password for the result')}
        <input type="password" name="password" autoComplete="new-password" placeholder={t('optional')} />
      </label>
    </>
  )
}

function DropArea({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  const [over, setOver] = useState(false)
  return (
    <fieldset
      class={over ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        void droppedFiles(event.dataTransfer).then(onFiles)
      }}
    >
      <label>
        {t('Drop files here, or choose them')}
        <input
          type="file"
          multiple
          aria-label={t('Choose files')}
          onChange={(event) => {
            onFiles(event.currentTarget.files ?? [])
            // The same file again is a change, too.
            event.currentTarget.value = ''
          }}
        />
      </label>
    </fieldset>
  )
}

function AttemptView({ attempt }: { attempt: Attempt }) {
  const { file, task, uploaded, error, wishes } = attempt
  const done = task?.status === 'completed' ? task : undefined
  return (
    <article class="attempt">
      <h2>{file.name}</h2>
      <Problem error={error ?? task?.error?.message} />
      {!task && !error && <progress max={1} value={uploaded} aria-label={t('Uploading')} />}
      {task && isOpen(task) && <progress max={1} value={task.progress ?? 0} aria-label={t('Working')} />}
      {done && (
        <>
          <p>
            <strong>
              {bytes(done.original_size)} → {bytes(done.compressed_size ?? 0)}
            </strong>{' '}
            {done.result?.outcome === 'unchanged'
              ? `${t('unchanged')}: ${done.result.detail ?? done.result.reason}`
              : `${t('saved {bytes}', { bytes: bytes(done.original_size - (done.compressed_size ?? 0)) })} (${done.compression_ratio})`}
          </p>
          <p class="steps">
            {done.result?.steps?.join(' · ')}
            {done.result?.ssim !== undefined &&
              ` · SSIM ${done.result.ssim}${done.result.psnr_db === undefined ? '' : `, PSNR ${done.result.psnr_db} dB`}`}
            {done.result?.snr_db !== undefined && ` · SNR ${done.result.snr_db} dB`}
          </p>
          <p class="actions">
            <a class="button main" href={downloadUrl(done.task_id)} download={done.output_name}>
              {t('Download')}
            </a>
          </p>
          {!wishes['password'] && done.result?.outcome === 'compressed' && <Compare file={file} task={done} />}
        </>
      )}
      <details>
        <summary>{t('The same with curl')}</summary>
        <pre>{curl(attempt)}</pre>
        <CopyButton text={curl(attempt)} />
      </details>
    </article>
  )
}

/** The largest result that is welcome, in bytes; empty without a wish. */
function targetBytes(fields: FormData): string {
  const wanted = Number(fields.get('target')) * Number(fields.get('unit'))
  return wanted > 0 ? String(Math.round(wanted)) : ''
}

/** The command that does the same; the key and the password stay variables. */
function curl({ file, wishes }: Attempt): string {
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
  const fields = [`-F file=@${quote(file.name)}`, `-F quality=${wishes['quality']}`]
  if (wishes['format']) fields.push(`-F format=${wishes['format']}`)
  if (wishes['target_size']) fields.push(`-F target_size=${wishes['target_size']}`)
  if (wishes['password']) fields.push('-F "password=$PASSWORD"')
  return `curl -H "Authorization: Bearer $WHITTLE_KEY" ${fields.join(' ')} ${location.origin}/v1/compress`
}

/** Both pictures, or first pages, over each other, with a handle between; only where the browser can draw both. */
function Compare({ file, task }: { file: File; task: Task }) {
  const [urls, setUrls] = useState<string[]>()
  const [share, setShare] = useState(50)
  useEffect(() => {
    let made: string[] = []
    let gone = false
    const load = async () => {
      try {
        const result = await (await fetch(downloadUrl(task.task_id))).blob()
        const pictures = await Promise.all([file, result].map((one) => (isPdf ? firstPage(one) : one)))
        if (gone) return
        made = pictures.map((picture) => URL.createObjectURL(picture))
        await Promise.all(made.map(drawable))
        setUrls(made)
      } catch {
        // One of the two is nothing that this browser draws: there is nothing to compare.
      }
    }
    const isPdf = task.format === 'pdf' && file.size <= MAX_PDF_BYTES
    if (isPdf || /^image\//.test(file.type)) void load()
    return () => {
      gone = true
      for (const url of made) URL.revokeObjectURL(url)
    }
  }, [task.task_id])
  if (!urls) return null
  return (
    <figure class="compare">
      <figcaption>{task.format === 'pdf' ? t('First page, before and after') : t('Before and after')}</figcaption>
      <div class="pair">
        <img src={urls[0]} alt={t('Before')} />
        <svg class="clip" aria-hidden="true">
          <clipPath id={`clip-${task.task_id}`} clipPathUnits="objectBoundingBox">
            <rect x={share / 100} y="0" width={1 - share / 100} height="1" />
          </clipPath>
        </svg>
        <img
          src={urls[1]}
          alt={t('After')}
          clip-path={`url(#clip-${task.task_id})`}
          ref={(element) => element?.style.setProperty('clip-path', `url(#clip-${task.task_id})`)}
        />
      </div>
      <input
        type="range"
        min={0}
        max={100}
        value={share}
        aria-label={t('Before and after')}
        onInput={(event) => setShare(Number(event.currentTarget.value))}
      />
    </figure>
  )
}

const drawable = (url: string) =>
  new Promise<void>((resolve, reject) => {
    const image = new Image()
    image.onload = () => resolve()
    image.onerror = () => reject(new Error('not drawable'))
    image.src = url
  })
