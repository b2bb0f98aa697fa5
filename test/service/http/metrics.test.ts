/** Tests of the Prometheus metrics of a deployment. */
import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { signedIn } from './browser.ts'
import { call, form, TEXT } from './client.ts'

const scrape = (token: string) => call(undefined, '/metrics', { headers: { Authorization: `Bearer ${token}` } })

it('reports requests, tasks, bytes and storage of every account only to the operator', async () => {
  const { browser, accountId } = await signedIn('pro')
  const task = await browser.json<{ status: string }>('POST', '/v1/compress', form({}, [['file', TEXT, 'a.txt']]))
  expect((await scrape('nobody')).status).toBe(401)
  const answer = await scrape(env.ADMIN_TOKEN ?? '')
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  const lines = (await answer.text()).trimEnd().split('\n')
  const figure = (name: string, more = '') => {
    const start = `${name}{account="${accountId}",plan="pro"${more}} `
    return Number(lines.find((line) => line.startsWith(start))?.slice(start.length))
  }
  expect(figure('whittle_api_calls_total')).toBe(1)
  expect(figure('whittle_tasks_total', ',result="failed"')).toBe(0)
  expect(figure('whittle_tasks_total', ',result="completed"')).toBe(task.status === 'completed' ? 1 : 0)
  expect(figure('whittle_storage_bytes')).toBeGreaterThan(0)
  expect(figure('whittle_storage_quota_bytes')).toBe(10e9)
  expect(lines).toContain('whittle_accounts_left_out 0')
  for (const line of lines) expect(line).toMatch(/^(# (HELP|TYPE) whittle_\w+ .+|whittle_\w+(\{(\w+="[^"\n]*",?)+\})? \d+)$/)
})
