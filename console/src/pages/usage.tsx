import { useEffect, useState } from 'preact/hooks'
import { type CallsOfKey, call, type Me, type Usage } from '../api.ts'
import { save, usageCsv } from '../csv.ts'
import { bytes, monthName, t } from '../language.ts'
import { message, Problem } from '../parts.tsx'
import { daysOf, Plot } from '../plot.tsx'

/** Number of months to choose from. */
const MONTHS = 12

const thisMonth = () => new Date().toISOString().slice(0, 7)

/** This month and earlier ones, newest first. */
function months(): string[] {
  const [year, month] = thisMonth().split('-').map(Number) as [number, number]
  return Array.from({ length: MONTHS }, (_, i) => new Date(Date.UTC(year, month - 1 - i, 1)).toISOString().slice(0, 7))
}

interface Month {
  readonly usage: Usage
  readonly keys: readonly CallsOfKey[]
}

export function UsagePage({ me }: { me: Me }) {
  const [month, setMonth] = useState(thisMonth())
  const [shown, setShown] = useState<Month>()
  const [error, setError] = useState<string>()
  useEffect(() => {
    let gone = false
    const load = async () => {
      const [usage, { keys }] = await Promise.all([
        call<Usage>('GET', `/v1/usage?month=${month}`),
        call<{ keys: CallsOfKey[] }>('GET', `/usage/keys?month=${month}`),
      ])
      if (!gone) setShown({ usage, keys })
    }
    setError(undefined)
    void load().catch((problem: unknown) => gone || setError(message(problem)))
    return () => {
      gone = true
    }
  }, [month])
  return (
    <>
      <Problem error={error} />
      <p class="actions">
        <label>
          <span class="hidden">{t('Month')}</span>
          <select value={month} onChange={(event) => setMonth(event.currentTarget.value)}>
            {months().map((one) => (
              <option key={one} value={one}>
                {monthName(one)}
              </option>
            ))}
          </select>
        </label>
        <button type="button" disabled={!shown} onClick={() => shown && save(`whittle-${month}.csv`, usageCsv(shown.usage, shown.keys))}>
          {t('Download as CSV')}
        </button>
      </p>
      {shown ? <MonthOf month={shown} me={me} /> : <p>{error ? '' : t('Loading…')}</p>}
    </>
  )
}

function MonthOf({ month: { usage, keys }, me }: { month: Month; me: Me }) {
  const facts: [string, string][] = [
    [t('API calls'), usage.api_calls.toLocaleString()],
    [t('Tasks completed'), usage.tasks_completed.toLocaleString()],
    [t('Tasks failed'), usage.tasks_failed.toLocaleString()],
    [t('Bytes in'), bytes(usage.original_size)],
    [t('Bytes out'), bytes(usage.compressed_size)],
    [t('Bytes saved'), bytes(usage.original_size - usage.compressed_size)],
  ]
  const byDay = (values: (day: Usage['by_day'][number]) => number[]) => new Map(usage.by_day.map((day) => [day.day, values(day)]))
  return (
    <>
      <dl class="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Forecast usage={usage} me={me} />
      <Plot
        {...{ title: t('API calls by day'), month: usage.month, names: [t('API calls')] }}
        show={(value) => value.toLocaleString()}
        values={byDay((day) => [day.api_calls])}
      />
      <Plot
        {...{ title: t('Bytes by day'), month: usage.month, names: [t('Bytes in'), t('Bytes out')], show: bytes }}
        values={byDay((day) => [day.original_size, day.compressed_size])}
      />
      <h2>{t('By key')}</h2>
      {keys.length === 0 ? <p>{t('No calls in this month.')}</p> : <KeyTable keys={keys} all={usage.api_calls} />}
      <h2>{t('By format')}</h2>
      {Object.keys(usage.by_format).length === 0 ? <p>{t('No files in this month.')}</p> : <FormatTable formats={usage.by_format} />}
    </>
  )
}

/** Limits of the plan, current usage, and a projection to the end of the month. */
function Forecast({ usage, me }: { usage: Usage; me: Me }) {
  const share = usage.storage_used / Math.max(1, usage.storage_quota)
  const days = daysOf(usage.month)
  // Days of the month so far, including the elapsed part of today.
  const passed = (Date.now() - Date.parse(`${days[0]}T00:00:00Z`)) / 86_400_000
  const isOver = usage.month !== thisMonth()
  const pace = passed < 1 ? 1 : days.length / passed
  return (
    <>
      <p>
        <label>
          {t('Storage')}: {t('{used} of {quota}', { used: bytes(usage.storage_used), quota: bytes(usage.storage_quota) })}{' '}
          {share > 0.8 && <span class="badge busy">{t('nearly full')}</span>}
          <br />
          <meter min={0} max={usage.storage_quota} high={usage.storage_quota * 0.8} value={usage.storage_used} />
        </label>
      </p>
      <p>
        {t('CPU time')}: {cpuTime(usage)}
      </p>
      {!isOver && usage.tasks_completed > 0 && (
        <p>
          {t('At this rate, you will have sent about {tasks} files ({bytes}) by the end of the month.', {
            tasks: Math.round(usage.tasks_completed * pace).toLocaleString(),
            bytes: bytes(Math.round(usage.original_size * pace)),
          })}
        </p>
      )}
      <p>
        {t('Your plan, {plan}: {rate} per minute, files up to {limit}, no limit on files per month.', {
          plan: me.account.plan,
          rate:
            me.limits?.requests_per_minute == null ? t('unlimited calls') : t('{count} calls', { count: me.limits.requests_per_minute }),
          limit: bytes(me.limits?.max_file_bytes ?? 0),
        })}
      </p>
    </>
  )
}

function cpuTime({ cpu_seconds, cpu_seconds_quota }: Usage): string {
  const used = t('{count} s', { count: Math.round(cpu_seconds).toLocaleString() })
  if (cpu_seconds_quota === null) return used
  return t('{used} of {quota}', { used, quota: t('{count} s', { count: cpu_seconds_quota.toLocaleString() }) })
}

function KeyTable({ keys, all }: { keys: readonly CallsOfKey[]; all: number }) {
  return (
    <table class="cards">
      <thead>
        <tr>
          <th scope="col">{t('Key')}</th>
          <th scope="col">{t('Application')}</th>
          <th scope="col">{t('API calls')}</th>
        </tr>
      </thead>
      <tbody>
        {keys.map(({ key_id, masked, name, application, api_calls }) => (
          <tr key={key_id ?? 'console'}>
            <th scope="row">
              {masked ? (
                <>
                  {name} <code>{masked}</code>
                </>
              ) : (
                t('Console')
              )}
            </th>
            <td data-label={t('Application')}>{application ?? (masked ? t('removed') : '–')}</td>
            <td class="number" data-label={t('API calls')}>
              {api_calls.toLocaleString()} <meter min={0} max={Math.max(1, all)} value={api_calls} aria-label={t('API calls')} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function FormatTable({ formats }: { formats: Usage['by_format'] }) {
  const largestFirst = Object.entries(formats).sort(([, a], [, b]) => b.original_size - a.original_size)
  return (
    <table class="cards">
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
            <td data-label={t('Tasks')}>{sums.tasks}</td>
            <td class="number" data-label={t('Bytes in')}>
              {bytes(sums.original_size)}
            </td>
            <td class="number" data-label={t('Bytes out')}>
              {bytes(sums.compressed_size)}{' '}
              <meter min={0} max={Math.max(1, sums.original_size)} value={sums.compressed_size} aria-label={t('Bytes out')} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
