/** Details of a sync: its figures, its estimate, and the objects that failed. */
import { formatName } from '../../../site/src/model/format-names.ts'
import type { FormatId } from '../../../site/src/model/protocol.ts'
import { bytes, countText, duration, t } from '../language.ts'
import { Dialog, SizeChange } from '../parts.tsx'
import { routeText } from './sync-list.ts'
import { SyncState } from './sync-row.tsx'
import type { Estimate, Sync } from './types.ts'

export const SyncDetails = ({ sync, onClose }: { sync: Sync; onClose: () => void }) => (
  <Dialog title={routeText(sync)} onClose={onClose} isWide>
    <SyncState sync={sync} />
    {!sync.dry_run && <Figures sync={sync} />}
    {sync.errors.length > 0 && <Failures sync={sync} />}
    {sync.estimates.length > 0 && <EstimateTable sync={sync} />}
  </Dialog>
)

const Figures = ({ sync }: { sync: Sync }) => (
  <dl class="sync-figures">
    {(
      [
        ['Found', sync.found],
        ['Compressed', sync.compressed],
        ['Copied unchanged', sync.unchanged],
        ['Skipped, done earlier', sync.skipped],
        ['Failed', sync.failed],
      ] as const
    ).map(([title, count]) => (
      <div key={title}>
        <dt>{t(title)}</dt>
        <dd>{countText(count)}</dd>
      </div>
    ))}
  </dl>
)

const Failures = ({ sync: { errors, failed } }: { sync: Sync }) => (
  <section aria-label={t('Objects that failed')}>
    <h3 class="sub-title">{t('Objects that failed')}</h3>
    {failed > errors.length && <p class="small muted">{t('The last {count} are shown.', { count: errors.length })}</p>}
    <ul class="sync-errors">
      {errors.map(({ key, error }) => (
        <li key={key}>
          <b class="breaks">{key}</b>
          <span class="muted">{error}</span>
        </li>
      ))}
    </ul>
  </section>
)

/** Title of a format. Objects whose extension is unknown are copied. */
const titleOf = ({ format }: Estimate) => (format === 'unknown' ? t('Unknown, copied') : formatName(format as FormatId, ''))

/** CPU time, rounded up to a second. */
export const cpuTime = (seconds: number) => duration(Math.ceil(seconds) * 1000)

/** Estimate by format, from names and sizes alone. */
export const EstimateTable = ({ sync }: { sync: Sync }) => (
  <section aria-label={t('Estimate')}>
    <h3 class="sub-title">{t('Estimate')}</h3>
    <table class="table">
      <thead>
        <tr>
          <th scope="col">{t('Format')}</th>
          <th scope="col" class="r">
            {t('Objects')}
          </th>
          <th scope="col">{t('Size')}</th>
          <th scope="col" class="r">
            {t('CPU time')}
          </th>
        </tr>
      </thead>
      <tbody>
        {sync.estimates.map((estimate) => (
          <tr key={estimate.format}>
            <th scope="row">{titleOf(estimate)}</th>
            <td class="r" data-label={t('Objects')}>
              {countText(estimate.objects)}
            </td>
            <td data-label={t('Size')}>
              <span class="result-line">
                {estimate.format === 'unknown' ? (
                  bytes(estimate.original_size)
                ) : (
                  <SizeChange before={estimate.original_size} after={estimate.estimated_size} />
                )}
              </span>
            </td>
            <td class="r" data-label={t('CPU time')}>
              {cpuTime(estimate.estimated_cpu_seconds)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
)
