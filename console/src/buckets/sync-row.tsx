/** Row of a sync. On a phone, it is a labelled card. */
import { bytes, countText, dateTime, plural, t, timeAgo } from '../language.ts'
import { Bar, For, SizeChange } from '../parts.tsx'
import { routeText, useFollowed } from './sync-list.ts'
import { doneObjects, isOpen, type Sync } from './types.ts'

const BADGES: Readonly<Record<Sync['status'], string>> = {
  estimating: 'badge',
  running: 'badge',
  paused: 'badge badge--warn',
  completed: 'badge badge--ok',
  failed: 'badge badge--bad',
  cancelled: 'badge',
}

interface RowProps {
  readonly sync: Sync
  readonly isStreamed: boolean
  readonly put: (sync: Sync) => void
  readonly onDetails: () => void
  readonly onStop: () => void
  readonly onResume: () => void
}

export function SyncRow({ sync, isStreamed, put, ...actions }: RowProps) {
  useFollowed(sync, isStreamed, put)
  return (
    <tr>
      <th scope="row" class="breaks">
        <b>{routeText(sync)}</b>
        <small class="faint">
          {sync.dry_run && `${t('Estimate only')} · `}
          <time dateTime={sync.started_at} title={dateTime(sync.started_at)}>
            {timeAgo(sync.started_at)}
          </time>
        </small>
      </th>
      <td data-label={t('State')}>
        <SyncState sync={sync} />
      </td>
      <td data-label={t('Objects')}>
        <Progress sync={sync} />
      </td>
      <td data-label={t('Saved')}>
        <Saved sync={sync} />
      </td>
      <td class="r" data-label={t('Failed')}>
        {countText(sync.failed)}
      </td>
      <td class="acts">
        <Actions sync={sync} {...actions} />
      </td>
    </tr>
  )
}

export const SyncState = ({ sync: { status, reason, next_try_at } }: { sync: Sync }) => (
  <span>
    <span class={BADGES[status]}>{t(status)}</span>
    {reason && <small class="muted breaks">{reason.message}</small>}
    {next_try_at && <small class="faint">{t('Tries again at {time}', { time: new Date(next_try_at).toLocaleTimeString() })}</small>}
  </span>
)

function Progress({ sync }: { sync: Sync }) {
  const { found, status, dry_run } = sync
  if (status === 'estimating' || dry_run) return <>{plural(found, '1 found', '{count} found')}</>
  const done = doneObjects(sync)
  return (
    <span class="sync-progress">
      {isOpen(sync) && <Bar share={found === 0 ? 0 : done / found} isThin />}
      {t('{done} of {all}', { done: countText(done), all: countText(found) })}
    </span>
  )
}

function Saved({ sync: { original_size: before, compressed_size: after, dry_run, estimated_size } }: { sync: Sync }) {
  if (dry_run) return <span class="muted">{t('about {size}', { size: bytes(estimated_size) })}</span>
  if (before === 0) return <span class="muted">–</span>
  return (
    <span class="result-line">
      <SizeChange before={before} after={after} />
    </span>
  )
}

function Actions({ sync, onDetails, onStop, onResume }: Pick<RowProps, 'sync' | 'onDetails' | 'onStop' | 'onResume'>) {
  const { status } = sync
  const route = routeText(sync)
  const quiet = 'btn btn--quiet btn--sm'
  return (
    <span class="acts__in">
      <button type="button" class={quiet} aria-label={t('Details: {route}', { route })} onClick={onDetails}>
        {t('Details')}
      </button>
      <For atLeast="member">
        {(status === 'failed' || status === 'paused') && (
          <button type="button" class={quiet} aria-label={t('Resume: {route}', { route })} onClick={onResume}>
            {t('Resume')}
          </button>
        )}
        {isOpen(sync) && (
          <button type="button" class={`${quiet} btn--danger`} aria-label={t('Stop: {route}', { route })} onClick={onStop}>
            {t('Stop')}
          </button>
        )}
      </For>
    </span>
  )
}
