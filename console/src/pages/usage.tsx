import { call, type Usage } from '../api.ts'
import { bytes, t } from '../language.ts'
import { Plot, Problem, useLoaded } from '../parts.tsx'

export function UsagePage() {
  const { value: usage, error } = useLoaded(() => call<Usage>('GET', '/v1/usage'))
  if (!usage) return <Problem error={error} />
  const facts: [string, string][] = [
    [t('API calls'), String(usage.api_calls)],
    [t('Bytes in'), bytes(usage.original_size)],
    [t('Bytes out'), bytes(usage.compressed_size)],
    [t('Bytes saved'), bytes(usage.original_size - usage.compressed_size)],
    [t('Tasks completed'), String(usage.tasks_completed)],
    [t('Tasks failed'), String(usage.tasks_failed)],
  ]
  return (
    <>
      <p>{usage.month}</p>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p>
        <label>
          {t('Storage')}: {t('{used} of {quota}', { used: bytes(usage.storage_used), quota: bytes(usage.storage_quota) })}
          <meter min={0} max={usage.storage_quota} value={usage.storage_used} />
        </label>
      </p>
      <Plot
        title={t('API calls by day')}
        names={[t('API calls')]}
        show={String}
        rows={usage.by_day.map((day) => ({ label: day.day, values: [day.api_calls] }))}
      />
      <Plot
        title={t('Bytes by day')}
        names={[t('Bytes in'), t('Bytes out')]}
        show={bytes}
        rows={usage.by_day.map((day) => ({ label: day.day, values: [day.original_size, day.compressed_size] }))}
      />
      <h2>{t('By format')}</h2>
      <FormatTable formats={usage.by_format} />
    </>
  )
}

function FormatTable({ formats }: { formats: Usage['by_format'] }) {
  const largestFirst = Object.entries(formats).sort(([, a], [, b]) => b.original_size - a.original_size)
  return (
    <table>
      <thead>
        <tr>
          <th scope="col">{t('Format')}</th>
          <th scope="col">{t('Tasks')}</th>
          <th scope="col">{t('Bytes in')}</th>
          <th scope="col">{t('Bytes out')}</th>
        </tr>
      </thead>
      <tbody>
        {largestFirst.map(([format, sums]) => (
          <tr key={format}>
            <th scope="row">{format}</th>
            <td>{sums.tasks}</td>
            <td>{bytes(sums.original_size)}</td>
            <td>
              {bytes(sums.compressed_size)}{' '}
              <meter min={0} max={Math.max(1, sums.original_size)} value={sums.compressed_size} aria-label={t('Bytes out')} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
