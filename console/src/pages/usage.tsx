/** Usage of a month: figures, charts by day, limits, and tables by key and format. */
import { useEffect, useState } from 'preact/hooks'
import { type CallsOfKey, call, type Me, type Usage } from '../api.ts'
import { save, usageCsv } from '../csv.ts'
import { Icon } from '../icons.tsx'
import { bytes, countText, monthName, savedPercent, t } from '../language.ts'
import { Card, Empty, Loading, message, Problem } from '../parts.tsx'
import { daysOf, Plot, PlotKeys } from '../plot.tsx'
import type { PageProps } from './compress.tsx'
import { LimitsCard } from './limits-card.tsx'
import { FormatTable, KeyTable } from './usage-tables.tsx'

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
  /** `undefined`: signed in with a key, which may not see the others. */
  readonly keys: readonly CallsOfKey[] | undefined
}

async function monthOf(month: string, me: Me): Promise<Month> {
  const usage = call<Usage>('GET', `/v1/usage?month=${month}`)
  if (me.isKey) return { usage: await usage, keys: undefined }
  const keys = call<{ keys: CallsOfKey[] }>('GET', `/usage/keys?month=${month}`)
  return { usage: await usage, keys: (await keys).keys }
}

export function UsagePage({ me }: PageProps) {
  const [month, setMonth] = useState(thisMonth())
  const [shown, setShown] = useState<Month>()
  const [error, setError] = useState<string>()
  useEffect(() => {
    let gone = false
    setError(undefined)
    monthOf(month, me).then(
      (found) => !gone && setShown(found),
      (problem: unknown) => !gone && setError(message(problem)),
    )
    return () => {
      gone = true
    }
  }, [month])
  const download = () => shown && save(`whittle-${month}.csv`, usageCsv(shown.usage, shown.keys ?? []))
  return (
    <>
      <Problem error={error} />
      <div class="row toolbar">
        <label>
          <span class="vh">{t('Month')}</span>
          <select class="select" value={month} onChange={(event) => setMonth(event.currentTarget.value)}>
            {months().map((one) => (
              <option key={one} value={one}>
                {monthName(one)}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="btn" disabled={!shown} onClick={download}>
          <Icon name="download" />
          {t('Download as CSV')}
        </button>
      </div>
      {shown ? <MonthOf month={shown} me={me} /> : !error && <Loading />}
    </>
  )
}

function MonthOf({ month: { usage, keys }, me }: { month: Month; me: Me }) {
  const { original_size: before, compressed_size: after } = usage
  const facts: [string, string, string?][] = [
    [
      t('Saved'),
      bytes(Math.max(0, before - after)),
      t('{percent} % of {size}', { percent: savedPercent(before, after), size: bytes(before) }),
    ],
    [t('API calls'), countText(usage.api_calls)],
    [t('Tasks completed'), countText(usage.tasks_completed)],
    [t('Tasks failed'), countText(usage.tasks_failed)],
  ]
  return (
    <>
      <dl class="card figures">
        {facts.map(([name, value, sub]) => (
          <div key={name} class="figure">
            <dt>{name}</dt>
            <dd>{value}</dd>
            {sub && <dd class="figure__sub">{sub}</dd>}
          </div>
        ))}
      </dl>
      <Forecast usage={usage} />
      <div class="cols">
        <div class="cols__main">
          <Charts usage={usage} />
          {keys && (
            <Card title={t('By key')}>
              {keys.length === 0 ? (
                <Empty icon="key-round" title={t('No calls in this month.')} />
              ) : (
                <KeyTable keys={keys} all={usage.api_calls} />
              )}
            </Card>
          )}
          <Card title={t('By format')}>
            {Object.keys(usage.by_format).length === 0 ? (
              <Empty icon="chart-column" title={t('No files in this month.')} />
            ) : (
              <FormatTable formats={usage.by_format} />
            )}
          </Card>
        </div>
        <div class="cols__side">
          <LimitsCard usage={usage} me={me} />
        </div>
      </div>
    </>
  )
}

function Charts({ usage }: { usage: Usage }) {
  const byDay = (values: (day: Usage['by_day'][number]) => number[]) => new Map(usage.by_day.map((day) => [day.day, values(day)]))
  const [calls, sizes] = [t('API calls by day'), t('Bytes by day')]
  const names = [t('Bytes in'), t('Bytes out')]
  return (
    <>
      <Card title={calls}>
        <div class="card__body">
          <Plot
            {...{ title: calls, month: usage.month, names: [t('API calls')], unit: 'count', show: countText }}
            values={byDay((day) => [day.api_calls])}
          />
        </div>
      </Card>
      <Card title={sizes} end={<PlotKeys names={names} />}>
        <div class="card__body">
          <Plot
            {...{ title: sizes, month: usage.month, names, unit: 'bytes', show: bytes }}
            values={byDay((day) => [day.original_size, day.compressed_size])}
          />
        </div>
      </Card>
    </>
  )
}

/** Projection to the end of the current month. */
function Forecast({ usage }: { usage: Usage }) {
  const days = daysOf(usage.month)
  if (usage.month !== thisMonth() || usage.tasks_completed === 0) return null
  // Days of the month so far, including the elapsed part of today.
  const passed = (Date.now() - Date.parse(`${days[0]}T00:00:00Z`)) / 86_400_000
  const pace = passed < 1 ? 1 : days.length / passed
  return (
    <p class="muted forecast">
      {t('At this rate, you will have sent about {tasks} files ({bytes}) by the end of the month.', {
        tasks: countText(usage.tasks_completed * pace),
        bytes: bytes(Math.round(usage.original_size * pace)),
      })}
    </p>
  )
}
