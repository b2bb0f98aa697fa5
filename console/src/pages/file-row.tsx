/** One file: thumbnail, name, state in words and one action; receipt and comparison when opened. */
import { useState } from 'preact/hooks'
import { formatName } from '../../../site/src/model/format-names.ts'
import type { FormatId } from '../../../site/src/model/protocol.ts'
import { verdictOf } from '../../../site/src/model/words.ts'
import { Progress, StateTitle } from '../../../site/src/parts/progress.tsx'
import { type Attempt, dismiss, retry } from '../attempts.ts'
import { Download } from '../download.tsx'
import { Icon } from '../icons.tsx'
import { bytes, t } from '../language.ts'
import { SizeChange } from '../parts.tsx'
import { type RowWords, rowWords } from '../row-words.ts'
import { FileThumbnail } from '../thumbnail.tsx'
import { formatOf } from '../wishes.ts'
import { FileDetails } from './file-details.tsx'

export function FileRow({ attempt, ahead, isAlone }: { attempt: Attempt; ahead: number; isAlone: boolean }) {
  const [isOpen, setOpen] = useState(isAlone)
  const { state, task, name, size } = attempt
  const isSmaller = state === 'done' && task?.result?.outcome === 'compressed'
  const words = isSmaller ? undefined : rowWords(attempt, ahead)
  const format = (task?.format as FormatId | undefined) ?? formatOf(name)
  return (
    <li>
      <article aria-label={name} class={`file-card file-card--${words?.tone ?? 'good'}`}>
        <div class="file">
          <FileThumbnail file={attempt.file} name={name} format={format} />
          <div>
            <h2 class="file__name" title={name}>
              {name}
            </h2>
            <p class="file__sub num">{[shownFormat(format, name), ...(isSmaller ? [] : [bytes(size)])].join(' · ')}</p>
          </div>
          <div class="file__mid">{words ? <State words={words} /> : <Saved attempt={attempt} />}</div>
          <div class="file__end">
            <MainAction attempt={attempt} words={words} />
            <button
              type="button"
              class="btn btn--quiet btn--icon btn--sm file__toggle"
              aria-expanded={isOpen}
              aria-label={`${t('Details')}: ${name}`}
              onClick={() => setOpen(!isOpen)}
            >
              <Icon name="chevron-down" />
            </button>
            <button
              type="button"
              class="btn btn--quiet btn--icon btn--sm"
              onClick={() => dismiss(attempt)}
              aria-label={`${t(state === 'done' || state === 'failed' ? 'Remove from the list' : 'Cancel')}: ${name}`}
            >
              <Icon name="x" />
            </button>
          </div>
        </div>
        {isOpen && <FileDetails attempt={attempt} />}
      </article>
    </li>
  )
}

const shownFormat = (format: FormatId | undefined, name: string) =>
  format === undefined ? t('File') : (formatName(format, name) ?? format.toUpperCase())

/** The one thing to do next: download, or what helps a file that failed or stayed as it is. */
function MainAction({ attempt, words }: { attempt: Attempt; words: RowWords | undefined }) {
  const action = attempt.file ? words?.action : undefined
  if (action) {
    return (
      <button type="button" class="btn btn--sm" onClick={() => retry(attempt, action.wishes)}>
        {action.label}
      </button>
    )
  }
  return attempt.state === 'done' && attempt.task ? <Download task={attempt.task} isMain={words === undefined} /> : null
}

/** Sizes before and after, and how the result looks. */
function Saved({ attempt: { task } }: { attempt: Attempt }) {
  if (!task?.result) return null
  const [before, after] = [task.original_size, task.compressed_size ?? 0]
  const verdict = verdictOf({ ...task, compressed_size: after, output_format: task.output_format ?? '' } as Parameters<typeof verdictOf>[0])
  return (
    <>
      <p class="row file__saved">
        <SizeChange before={before} after={after} />
      </p>
      <p class="file__sub">{verdict.title}</p>
    </>
  )
}

function State({ words: { tone, title, detail, share } }: { words: RowWords }) {
  if (share !== undefined) return <Progress title={title} share={share} />
  const isProblem = tone === 'bad' || tone === 'warn' || detail !== undefined
  return (
    <div {...(isProblem && { role: 'alert' })}>
      <StateTitle tone={tone} title={title} />
      {detail && <p class="file__sub">{detail}</p>}
    </div>
  )
}
