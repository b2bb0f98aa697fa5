/** Tests of the status page: results of the checks every ten minutes, by day. */
import { createExecutionContext, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import edge from '../../../src/index.ts'
import type { Env } from '../../../src/service/env.ts'
import { serialiseStatus, statusPage } from '../../../src/service/http/routes/status.ts'
import { type HealthCheckResult, recordHealthCheck, statusHistory } from '../../../src/service/store/status-history.ts'
import { call } from './client.ts'

const DAY_MS = 86_400_000
const NOON = Date.UTC(2026, 10, 20, 12)
const look = (press: { ok: boolean; ms: number }): HealthCheckResult => ({ blobs: { ok: true, ms: 4 }, press })

describe('the service status', () => {
  it('counts checks, failures and response times by day, and deletes them after 90 days', async () => {
    await env.BLOBS.delete('status/days.json')
    for (let day = 95; day > 0; day--) await recordHealthCheck(env.BLOBS, NOON - day * DAY_MS, look({ ok: true, ms: 10 }))
    await recordHealthCheck(env.BLOBS, NOON, look({ ok: true, ms: 10 }))
    await recordHealthCheck(env.BLOBS, NOON + 1, look({ ok: true, ms: 30 }))
    await recordHealthCheck(env.BLOBS, NOON + 2, look({ ok: false, ms: 5000 }))
    const view = serialiseStatus(await statusHistory(env.BLOBS), NOON + 1000)
    expect(view).toMatchObject({ status: 'degraded', looked_at: '2026-11-20T12:00:00.002Z' })
    expect(view.days).toHaveLength(90)
    expect(view.days.at(-1)).toEqual({
      day: '2026-11-20',
      parts: { blobs: { looks: 3, failures: 0, mean_ms: 4, max_ms: 4 }, press: { looks: 3, failures: 1, mean_ms: 20, max_ms: 30 } },
    })
    const page = statusPage(await statusHistory(env.BLOBS), NOON + 1000, 'en')
    expect(page).toContain('Some components do not respond')
    expect(page, '92 checks of compression, one of them failed').toContain('98.913 %')
    expect(page).toContain('2026-11-20. Checks: 3. Failures: 1')
  })

  it('is `unknown` without recent checks', async () => {
    expect(serialiseStatus({ days: [] }, NOON)).toEqual({ status: 'unknown', days: [] })
    await recordHealthCheck(env.BLOBS, NOON, look({ ok: true, ms: 1 }))
    const history = await statusHistory(env.BLOBS)
    expect([1000, DAY_MS].map((laterMs) => serialiseStatus(history, NOON + laterMs).status)).toEqual(['ok', 'unknown'])
  })

  it('is checked by the cron trigger, and shown to browsers in their language', async () => {
    const ctx = createExecutionContext()
    await edge.scheduled({ cron: '*/10 * * * *', scheduledTime: Date.now(), noRetry: () => undefined }, env as unknown as Env, ctx)
    await waitOnExecutionContext(ctx)
    const said = (await (await call(undefined, '/status')).json()) as ReturnType<typeof serialiseStatus>
    expect(said.status).toBe('ok')
    expect(Object.keys(said.days.at(-1)!.parts).sort()).toEqual(['blobs', 'durable_objects', 'media', 'press'])
    const page = await call(undefined, '/status', { headers: { Accept: 'text/html', 'Accept-Language': 'zh-CN' } })
    expect([page.headers.get('Content-Type'), await page.text()]).toEqual(['text/html; charset=utf-8', expect.stringContaining('一切正常')])
  })

  it('is checked by the first visit after a start, so that it is never empty', async () => {
    await env.BLOBS.delete('status/days.json')
    const said = (await (await call(undefined, '/status')).json()) as ReturnType<typeof serialiseStatus>
    expect([said.status, said.days.length]).toEqual(['ok', 1])
    const page = await (await call(undefined, '/status', { headers: { Accept: 'text/html' } })).text()
    expect(page).toContain('All components respond')
    expect(page).toContain('The history begins today.')
  })
})
