/** Files of this tab: drop zone, options, and one row for each file. */

import { useEffect, useState } from 'preact/hooks'
import { guide } from '../../../site/src/links.ts'
import type { Me } from '../api.ts'
import { type Attempt, allAttempts, dismissDone, restoreAttempts, retry, watchAttempts } from '../attempts.ts'
import { Icon } from '../icons.tsx'
import { bytes, plural, savedPercent, t } from '../language.ts'
import { Empty, message, Problem } from '../parts.tsx'
import { rowWords } from '../row-words.ts'
import { saveAsZip } from '../zip.ts'
import { DropRow } from './drop-row.tsx'
import { FileRow } from './file-row.tsx'
import { SampleButton } from './sample-button.tsx'

export interface PageProps {
  readonly me: Me
  /** Files that are dragged over the page. `undefined`: none. */
  readonly dragged: number | undefined
}

export function CompressPage({ me, dragged }: PageProps) {
  const [attempts, setAttempts] = useState(allAttempts())
  useEffect(() => {
    restoreAttempts()
    return watchAttempts(setAttempts)
  }, [])
  return (
    <>
      <DropRow me={me} dragged={dragged} />
      {attempts.length > 0 ? (
        <Files attempts={attempts} />
      ) : (
        <div class="card">
          <Empty
            icon="image-down"
            title={t('No files yet')}
            text={t('Whittle decodes every result and compares it with your file. Files that cannot get smaller are returned unchanged.')}
          >
            <SampleButton me={me} />
            <a class="btn" href={guide('/docs/formats')}>
              {t('Supported formats')}
            </a>
          </Empty>
        </div>
      )}
    </>
  )
}

function Files({ attempts }: { attempts: readonly Attempt[] }) {
  const [problem, setProblem] = useState<string>()
  const done = attempts.filter(({ state }) => state === 'done')
  const lost = attempts.filter((attempt) => attempt.file && isRepeatable(attempt))
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
        <Sum attempts={attempts} done={done} />
        <div class="row">
          {lost.length > 1 && (
            <button type="button" class="btn" onClick={() => lost.forEach((attempt) => void retry(attempt))}>
              {t('Send {count} files again', { count: lost.length })}
            </button>
          )}
          {done.length > 1 && (
            <button type="button" class="btn btn--primary" onClick={() => void zip()}>
              <Icon name="download" />
              {t('Download all as ZIP')}
            </button>
          )}
          <button type="button" class="btn" onClick={dismissDone}>
            {t('Clear the list')}
          </button>
        </div>
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

/** True if the file failed for a reason that passes, so that sending it again can work. */
function isRepeatable(attempt: Attempt): boolean {
  const wishes = attempt.state === 'failed' ? rowWords(attempt, 0).action?.wishes : undefined
  return wishes !== undefined && Object.keys(wishes).length === 0
}

/** Result of all files in one line: `19.2 MB saved`. */
function Sum({ attempts, done }: { attempts: readonly Attempt[]; done: readonly Attempt[] }) {
  const before = done.reduce((sum, { task }) => sum + (task?.original_size ?? 0), 0)
  const after = done.reduce((sum, { task }) => sum + (task?.compressed_size ?? 0), 0)
  const parts = [
    plural(attempts.length, '1 file', '{count} files'),
    ...(done.length < attempts.length ? [t('{count} done', { count: done.length })] : []),
    ...(before > after ? [`${bytes(before)} → ${bytes(after)}`, t('{percent} % smaller', { percent: savedPercent(before, after) })] : []),
  ]
  return (
    <div aria-live="polite">
      {before > after && <h2 class="summary__big">{t('{size} saved', { size: bytes(before - after) })}</h2>}
      <p class="muted">{parts.join(' · ')}</p>
    </div>
  )
}
