/** GET /status: availability of the service in the last 90 days, as JSON, or as a page for browsers. */

import type { Language } from '../../i18n/message.ts'
import { type DailyPartStatus, recordHealthCheck, type StatusHistory, statusHistory } from '../../store/status-history.ts'
import { checkHealth } from '../../tasks/health.ts'
import type { AppContext } from '../context.ts'
import { PAGE_POLICY } from '../page-policies.ts'
import { json, type Route } from '../route.ts'
import { status } from '../schemas/service.ts'
import { languageFor } from '../task-serialiser.ts'
import { framed } from './frame.ts'
import { forReaders, prefersHtml } from './page.ts'

/** Age in ms after which the last check no longer describes the current state: three checks in a row are missing. */
const STALE_MS = 31 * 60_000
const HOLDS = 'public, max-age=60'

export const getStatus: Route = {
  method: 'GET',
  path: '/status',
  access: 'public',
  handle: forReaders(async (c) => {
    const history = await freshHistory(c, Date.now())
    const headers = { 'Cache-Control': HOLDS, Vary: 'Accept, Accept-Language' }
    if (!prefersHtml(c)) return json(serialiseStatus(history, Date.now()), headers)
    const page = statusPage(history, Date.now(), languageFor(c))
    const policy = { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': PAGE_POLICY }
    return new Response(page, { headers: { ...headers, ...policy } })
  }),
  doc: { id: 'getStatus', summary: 'Availability of the service in the last 90 days', answer: status, errors: [] },
}

/** True while a visit checks the components in this isolate, so that many visits at once cause one check. */
let isChecking = false

/** Checks the components if nobody has checked them for long, for example right after the first start. So the page is never empty. */
async function freshHistory(c: AppContext, now: number): Promise<StatusHistory> {
  const history = await statusHistory(c.env.BLOBS)
  if (stateOf(history, now) !== 'unknown' || isChecking) return history
  isChecking = true
  try {
    await recordHealthCheck(c.env.BLOBS, now, await checkHealth(c.env))
  } finally {
    isChecking = false
  }
  return statusHistory(c.env.BLOBS)
}

const stateOf = ({ last }: StatusHistory, now: number): 'ok' | 'degraded' | 'unknown' => {
  if (!last || last.at < now - STALE_MS) return 'unknown'
  return Object.values(last.ok).every(Boolean) ? 'ok' : 'degraded'
}

const meanOf = ({ looks, failures, ms }: DailyPartStatus) => (looks > failures ? { mean_ms: Math.round(ms / (looks - failures)) } : {})

export const serialiseStatus = (history: StatusHistory, now: number) => ({
  status: stateOf(history, now),
  ...(history.last ? { looked_at: new Date(history.last.at).toISOString() } : {}),
  days: history.days.map(({ day, parts }) => ({
    day,
    parts: Object.fromEntries(
      Object.entries(parts).map(([name, part]) => {
        const { looks, failures, mostMs } = part
        return [name, { looks, failures, ...meanOf(part), max_ms: mostMs }]
      }),
    ),
  })),
})

const WORDS = {
  en: {
    ...{ title: 'Status', ok: 'All components respond', degraded: 'Some components do not respond', unknown: 'No recent check' },
    ...{ blobs: 'Files', durable_objects: 'Tasks and accounts', press: 'Compression', media: 'Video and audio' },
    ...{
      part: 'Component',
      answered: 'Availability',
      today: 'Last day',
      days: 'Days, latest on the right',
      looks: 'Checks',
      failures: 'Failures',
    },
    checked: 'Checked {time} UTC.',
    begins: 'The history begins today.',
    note: 'Each component is checked every ten minutes. Days without checks are omitted.',
  },
  'zh-Hans': {
    ...{ title: '服务状态', ok: '一切正常', degraded: '部分组件没有应答', unknown: '最近没有检查' },
    ...{ blobs: '文件', durable_objects: '任务与账户', press: '压缩', media: '影片与声音' },
    ...{ part: '组件', answered: '应答率', today: '最近一天', days: '按天，最右为最近', looks: '检查', failures: '失败' },
    checked: '检查于 {time} UTC。',
    begins: '记录从今天开始。',
    note: '每十分钟检查一次各组件。未检查的日子不显示。',
  },
} as const satisfies Record<Language, Record<string, string>>

const BADGES = { ok: 'badge--ok', degraded: 'badge--bad', unknown: '' } as const

export function statusPage(history: StatusHistory, now: number, language: Language): string {
  const words: Readonly<Record<string, string>> = WORDS[language]
  const state = stateOf(history, now)
  const names = Object.keys(history.days.at(-1)?.parts ?? {})
  const time = history.last && new Date(history.last.at).toISOString().slice(0, 16).replace('T', ' ')
  const facts = [...(time ? [words['checked']!.replace('{time}', time)] : []), ...(history.days.length === 1 ? [words['begins']] : [])]
  const main = `<section class="card" aria-label="${words['title']}">
<div class="card__head"><div><h2><span class="badge ${BADGES[state]}">${words[state]}</span></h2><p class="small muted">${facts.join(' ')}</p></div></div>
${names.length === 0 ? '' : table(history, names, words)}
</section>
<p class="small muted">${words['note']}</p>`
  return framed(language, words['title']!, main)
}

const table = (history: StatusHistory, names: readonly string[], words: Readonly<Record<string, string>>) => `<table class="table">
<thead><tr><th scope="col">${words['part']}</th><th scope="col">${words['answered']}</th><th scope="col">${words['today']}</th><th scope="col">${words['days']}</th></tr></thead>
<tbody>
${names.map((name) => row(history, name, words)).join('\n')}
</tbody>
</table>`

function row(history: StatusHistory, name: string, words: Readonly<Record<string, string>>): string {
  const days = history.days.flatMap(({ day, parts }) => (parts[name] ? [{ day, ...parts[name] }] : []))
  const [looks, failures] = [days.reduce((sum, day) => sum + day.looks, 0), days.reduce((sum, day) => sum + day.failures, 0)]
  const mean = meanOf(days.at(-1)!).mean_ms
  // Rounded down, so that only checks without a failure are 100 %.
  const share = failures === 0 ? '100 %' : `${(Math.floor((1 - failures / looks) * 100_000) / 1000).toFixed(3)} %`
  const bars = days.map(({ day, looks: of, failures: no }, i) => {
    const height = Math.max(2, Math.round(28 * (1 - no / of)))
    const told = `${day}. ${words['looks']}: ${of}. ${words['failures']}: ${no}`
    return `<rect class="b${no > 0 ? ' b--bad' : ''}" rx="1" x="${i * 6}" y="${30 - height}" width="5" height="${height}"><title>${told}</title></rect>`
  })
  const summary = `${words['looks']}: ${looks}. ${words['failures']}: ${failures}`
  const chart = `<svg class="chart status__days" width="${days.length * 6}" viewBox="0 0 ${days.length * 6} 30" role="img" aria-label="${summary}">${bars.join('')}</svg>`
  const latency = mean === undefined ? '–' : `${mean} ms`
  const cell = (label: string, value: string) => `<td class="num nowrap" data-label="${words[label]}">${value}</td>`
  return `<tr><th scope="row">${words[name] ?? name}</th>${cell('answered', share)}${cell('today', latency)}<td data-label="${words['days']}">${chart}</td></tr>`
}
