/** First page: drop zone, figures of this month, recent tasks, limits. */

import { useEffect, useState } from 'preact/hooks'
import { guide } from '../../../site/src/links.ts'
import { call, isOpen, type Task, type Usage } from '../api.ts'
import { bytes, countText, monthName, savedPercent, t } from '../language.ts'
import { Card, Empty, For, Loading, message, Problem } from '../parts.tsx'
import { Plot } from '../plot.tsx'
import type { PageProps } from './compress.tsx'
import { DropRow } from './drop-row.tsx'
import { FirstSteps } from './first-steps.tsx'
import { LimitsCard } from './limits-card.tsx'
import { RecentTasks } from './recent-tasks.tsx'
import { SampleButton } from './sample-button.tsx'

/** Number of recent tasks. */
const SHOWN = 6
/** Polling interval in ms while a task is open. */
const POLL_MS = 3000

interface Loaded {
  readonly usage: Usage
  readonly tasks: readonly Task[]
}

function useOverview() {
  const [loaded, setLoaded] = useState<Loaded>()
  const [error, setError] = useState<string>()
  const load = async () => {
    try {
      const [usage, { tasks }] = await Promise.all([
        call<Usage>('GET', '/v1/usage'),
        call<{ tasks: Task[] }>('GET', `/v1/tasks?limit=${SHOWN}`),
      ])
      setLoaded({ usage, tasks })
      setError(undefined)
    } catch (problem) {
      setError(message(problem))
    }
  }
  useEffect(() => void load(), [])
  const isBusy = loaded?.tasks.some(isOpen) ?? false
  useEffect(() => {
    if (!isBusy) return
    const timer = setInterval(() => void load(), POLL_MS)
    return () => clearInterval(timer)
  }, [isBusy])
  return { loaded, error }
}

export function OverviewPage({ me, dragged }: PageProps) {
  const { loaded, error } = useOverview()
  return (
    <>
      <DropRow me={me} dragged={dragged} />
      <Problem error={error} />
      {loaded ? <Figures usage={loaded.usage} /> : !error && <Loading />}
      {loaded && (
        <div class="cols">
          <div class="cols__main">
            {!me.isKey && (
              <For atLeast="admin">
                <FirstSteps me={me} />
              </For>
            )}
            <Card title={t('Recent tasks')} end={<a href="#tasks">{t('All tasks')}</a>}>
              {loaded.tasks.length > 0 ? (
                <RecentTasks tasks={loaded.tasks} />
              ) : (
                <Empty
                  icon="receipt-text"
                  title={t('No tasks yet')}
                  text={t('Drop a file here or send the first request. Tasks and their receipts appear here.')}
                >
                  <SampleButton me={me} />
                  <a class="btn" href={guide('/docs/quick-start')}>
                    {t('First request')}
                  </a>
                </Empty>
              )}
            </Card>
          </div>
          <div class="cols__side">
            <LimitsCard usage={loaded.usage} me={me} />
            <SavedByDay usage={loaded.usage} />
          </div>
        </div>
      )}
    </>
  )
}

function Figures({ usage }: { usage: Usage }) {
  const { original_size: before, compressed_size: after, storage_used: used, storage_quota: quota } = usage
  const saved = Math.max(0, before - after)
  return (
    <dl class="card figures">
      <Figure
        name={t('Saved')}
        value={bytes(saved)}
        sub={t('{percent} % of {size}', { percent: savedPercent(before, after), size: bytes(before) })}
      />
      <Figure name={t('Files')} value={countText(usage.tasks_completed)} sub={monthName(usage.month)} />
      <div class="figure">
        <dt>{t('Failed')}</dt>
        <dd>{countText(usage.tasks_failed)}</dd>
        <dd class="figure__sub">{usage.tasks_failed > 0 ? <a href="#tasks/failed">{t('See why')}</a> : t('none')}</dd>
      </div>
      <Figure name={t('Storage left')} value={bytes(Math.max(0, quota - used))} sub={t('of {size}', { size: bytes(quota) })} />
    </dl>
  )
}

const Figure = ({ name, value, sub }: { name: string; value: string; sub: string }) => (
  <div class="figure">
    <dt>{name}</dt>
    <dd>{value}</dd>
    <dd class="figure__sub">{sub}</dd>
  </div>
)

function SavedByDay({ usage }: { usage: Usage }) {
  const title = t('Saved by day')
  const values = new Map(usage.by_day.map((day) => [day.day, [Math.max(0, day.original_size - day.compressed_size)]]))
  return (
    <Card title={title} end={<a href="#usage">{t('Usage')}</a>}>
      <div class="card__body">
        <Plot {...{ title, month: usage.month, names: [title], values, unit: 'bytes', show: bytes }} isNarrow />
      </div>
    </Card>
  )
}
