import { useEffect, useRef, useState } from 'preact/hooks'
import { call, type Me } from '../api.ts'
import { type Attempt, allAttempts, begin, dismissDone, restoreAttempts, retry, watchAttempts } from '../attempts.ts'
import { droppedFiles } from '../dropped.ts'
import { bytes, t } from '../language.ts'
import { For, message, Problem } from '../parts.tsx'
import { saveAsZip } from '../zip.ts'
import { FileRow } from './file-row.tsx'
import { FirstSteps } from './first-steps.tsx'

const OUTPUTS = ['', ...OUTPUT_IDS]
const SAMPLE = '/console/sample.jpg'

export function CompressPage({ me }: { me: Me }) {
  const [attempts, setAttempts] = useState(allAttempts())
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    restoreAttempts()
    return watchAttempts(setAttempts)
  }, [])

  const limit = me.limits?.max_file_bytes
  const take = (files: Iterable<File>) => {
    const fields = new FormData(form.current!)
    const wishes = {
      quality: String(fields.get('quality')),
      format: String(fields.get('format')),
      password: String(fields.get('password')),
      target_size: targetBytes(fields),
    }
    begin([...files], wishes, limit, t('This file is too large: your plan allows {limit} per file.', { limit: bytes(limit ?? 0) }))
  }
  return (
    <For atLeast="member" else={<p>{t('Viewers can view tasks and usage. Members can compress files.')}</p>}>
      <form ref={form} class="wishes" onSubmit={(event) => event.preventDefault()}>
        <Fields />
      </form>
      <DropArea onFiles={take} limit={limit} />
      {attempts.length === 0 ? <Welcome me={me} onFiles={take} /> : <Files attempts={attempts} />}
    </For>
  )
}

function Files({ attempts }: { attempts: readonly Attempt[] }) {
  const [problem, setProblem] = useState<string>()
  const done = attempts.filter(({ state }) => state === 'done')
  const failed = attempts.filter(({ state, file }) => state === 'failed' && file)
  const before = done.reduce((sum, { task }) => sum + (task?.original_size ?? 0), 0)
  const after = done.reduce((sum, { task }) => sum + (task?.compressed_size ?? 0), 0)
  const zip = () =>
    saveAsZip(
      done.map(({ task }) => task!),
      'whittle.zip',
    ).then(
      () => setProblem(undefined),
      (error: unknown) => setProblem(message(error)),
    )
  return (
    <section aria-label={t('Files')}>
      <div class="summary">
        <p aria-live="polite">
          <strong>{attempts.length === 1 ? t('1 file') : t('{count} files', { count: attempts.length })}</strong>
          {done.length < attempts.length && ` · ${t('{count} done', { count: done.length })}`}
          {before > 0 && (
            <>
              {' · '}
              {bytes(before)} → <strong>{bytes(after)}</strong> · {t('{percent} smaller', { percent: percentOf(1 - after / before) })}
            </>
          )}
        </p>
        <p class="actions">
          {failed.length > 1 && (
            <button type="button" onClick={() => failed.forEach(retry)}>
              {t('Try all failed again')}
            </button>
          )}
          {done.length > 1 && (
            <button type="button" class="main" onClick={() => void zip()}>
              {t('Download all as ZIP')}
            </button>
          )}
          <button type="button" onClick={dismissDone}>
            {t('Clear the list')}
          </button>
        </p>
      </div>
      <Problem error={problem} />
      <ol class="files">
        {attempts.map((attempt, i) => (
          <FileRow
            key={attempt.id}
            attempt={attempt}
            ahead={attempts.slice(0, i).filter(({ state }) => state === 'waiting').length}
            isAlone={attempts.length === 1}
          />
        ))}
      </ol>
    </section>
  )
}

const percentOf = (share: number) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`

interface FormatFacts {
  readonly title: string
  readonly extensions: readonly string[]
  readonly available: boolean
}

/** Start screen: supported formats and a sample file. */
function Welcome({ me, onFiles }: { me: Me; onFiles: (files: Iterable<File>) => void }) {
  const [formats, setFormats] = useState<readonly FormatFacts[]>([])
  useEffect(() => {
    void call<{ formats: FormatFacts[] }>('GET', '/v1/formats').then(
      (answer) => setFormats(answer.formats.filter(({ available }) => available)),
      () => undefined,
    )
  }, [])
  const sample = async () => {
    const picture = await (await fetch(SAMPLE)).blob()
    onFiles([new File([picture], 'sample.jpg', { type: 'image/jpeg' })])
  }
  return (
    <section class="welcome" aria-label={t('Supported formats')}>
      <p>
        {t('No file at hand?')}{' '}
        <button type="button" onClick={() => void sample()}>
          {t('Use a sample photo')}
        </button>
      </p>
      <For atLeast="admin">
        <FirstSteps me={me} />
      </For>
      <h2>{t('Supported formats')}</h2>
      <ul class="formats">
        {formats.map(({ title, extensions }) => (
          <li key={title}>
            <b>{title}</b> <small>{extensions.slice(0, 4).join(' ')}</small>
          </li>
        ))}
      </ul>
      <p class="steps">
        {t('Whittle decodes every result and compares it with your file. Files that cannot get smaller are returned unchanged.')}
      </p>
    </section>
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
              {output || t('Same as input')}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('Maximum size')} ({t('optional')})
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

function DropArea({ onFiles, limit }: { onFiles: (files: Iterable<File>) => void; limit: number | undefined }) {
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
        <span class="button main" aria-hidden="true">
          {t('Choose files')}
        </span>
        <input
          type="file"
          class="hidden"
          multiple
          aria-label={t('Choose files')}
          onChange={(event) => {
            onFiles([...(event.currentTarget.files ?? [])])
            // Resets the input, so that choosing the same file again triggers an event.
            event.currentTarget.value = ''
          }}
        />
        {limit !== undefined && <small>{t('Up to {limit} each', { limit: bytes(limit) })}</small>}
      </label>
    </fieldset>
  )
}

/** Maximum size of the result in bytes. Empty: no limit. */
function targetBytes(fields: FormData): string {
  const wanted = Number(fields.get('target')) * Number(fields.get('unit'))
  return wanted > 0 ? String(Math.round(wanted)) : ''
}
