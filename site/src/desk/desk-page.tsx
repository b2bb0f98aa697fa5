/** The page with files: what was saved so far, the list, and the options behind it. */
import { useEffect, useState } from 'preact/hooks'
import { plural, savedPercent, sizeText, t } from '../language.ts'
import type { Desk } from '../model/desk.ts'
import { type DeskState, resultsOf, type Summary, summaryOf } from '../model/items.ts'
import { filesText } from '../model/words.ts'
import { FileButton } from '../parts/drop-zone.tsx'
import { Icon } from '../parts/icon.tsx'
import { Offline } from '../parts/offline.tsx'
import { saveAll } from '../save.ts'
import { FileRow } from './file-row.tsx'
import { GuestCard, WhereFilesWent } from './guest-card.tsx'
import { CommonOptions } from './options.tsx'

interface DeskPageProps {
  readonly desk: Desk
  readonly state: DeskState
  readonly dragged: number | undefined
}

export function DeskPage({ desk, state, dragged }: DeskPageProps) {
  const summary = summaryOf(state)
  const add = (files: readonly File[]) => desk.add(files)
  useEffect(() => {
    document.title = `${headline(summary)} – Whittle`
  })
  return (
    <main id="main" class="wrap work" tabIndex={-1}>
      <div class="sum">
        <div>
          <h1>{headline(summary)}</h1>
          <p class="num">{subline(summary)}</p>
        </div>
        <div class="row">
          <FileButton onFiles={add} class="btn" icon="plus" label={t('Add files')} />
          {summary.isBusy ? (
            <button type="button" class="btn btn--quiet" onClick={() => desk.stop()}>
              {t('Stop')}
            </button>
          ) : (
            <button type="button" class="btn btn--quiet" onClick={() => desk.clear()}>
              {t('Start over')}
            </button>
          )}
          {summary.smaller > 1 && !summary.isBusy && <DownloadAll state={state} />}
        </div>
      </div>
      {summary.isBusy && <AllProgress share={summary.share} />}
      <p class="vh" role="status">
        {summary.isBusy ? '' : `${headline(summary)}. ${subline(summary)}`}
      </p>
      {dragged !== undefined && (
        <div class="drop drop--row is-over">
          <span class="drop__icon">
            <Icon name="upload" />
          </span>
          <p class="drop__title">{t('Drop to add')}</p>
        </div>
      )}
      <GuestCard desk={desk} state={state} />
      <ul class="files">
        {state.items.map((item) => (
          <FileRow key={item.id} desk={desk} state={state} item={item} />
        ))}
      </ul>
      {state.leftOut > 0 && (
        <p class="note note--warn">
          <Icon name="triangle-alert" />
          {plural(
            state.leftOut,
            '1 file was left out: the list has room for 500.',
            '{count} files were left out: the list has room for 500.',
          )}
        </p>
      )}
      <CommonOptions desk={desk} state={state} />
      <Offline />
      <WhereFilesWent state={state} isBusy={summary.isBusy} />
    </main>
  )
}

function AllProgress({ share }: { share: number }) {
  const percent = Math.floor(share * 100)
  return (
    <div class="bar bar--all" role="progressbar" aria-label={t('All files')} aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100}>
      <i style={{ width: `${percent}%` }} />
    </div>
  )
}

function headline({ isBusy, finished, count, before, after, smaller, decisions, failed }: Summary): string {
  if (isBusy) return t('{finished} of {count} done', { finished, count })
  if (smaller > 0) return t('{size} saved', { size: sizeText(before - after) })
  if (decisions > 0) return plural(decisions, '1 file needs your decision', '{count} files need your decision')
  return failed > 0 && failed === count ? t('Nothing could be compressed') : t('Already as small as they get')
}

function subline({ isBusy, smaller, before, after, unchanged, decisions, failed }: Summary): string {
  const saved = isBusy
    ? t('{size} saved so far', { size: sizeText(before - after) })
    : t('{files}, {percent} % smaller: {before} → {after}', {
        ...{ files: filesText(smaller), percent: savedPercent(before, after) },
        ...{ before: sizeText(before), after: sizeText(after) },
      })
  // The headline says it already.
  const isSaid = !isBusy && smaller === 0
  return [
    ...(smaller > 0 ? [saved] : []),
    ...(unchanged > 0 ? [t('{count} unchanged', { count: unchanged })] : []),
    ...(decisions > 0 && !isSaid ? [plural(decisions, '1 needs your decision', '{count} need your decision')] : []),
    ...(failed > 0 ? [t('{count} failed', { count: failed })] : []),
  ].join(' · ')
}

function DownloadAll({ state }: { state: DeskState }) {
  const [isPacking, setPacking] = useState(false)
  const save = async () => {
    setPacking(true)
    await saveAll(resultsOf(state)).catch(() => undefined)
    setPacking(false)
  }
  return (
    <button type="button" class="btn btn--primary" disabled={isPacking} onClick={() => void save()}>
      <Icon name="download" />
      {t('Download all')}
    </button>
  )
}
