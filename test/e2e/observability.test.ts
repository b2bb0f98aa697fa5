/** A whole service: its probes, its metrics, and the trace of a request in its log. */
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Running, startService } from './running.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
let service: Running
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service?.stop())

async function compress(traceparent: string): Promise<void> {
  const form = new FormData()
  form.append('file', new Blob(['a line of text\n'.repeat(500)]), 'a.txt')
  const headers = { Authorization: `Bearer ${service.keys.enterprise}`, traceparent }
  const answer = await fetch(`${service.baseUrl}/v1/compress`, { method: 'POST', headers, body: form })
  expect(answer.status).toBe(200)
}

async function metrics(): Promise<string> {
  const answer = await fetch(`${service.baseUrl}/metrics/service`, { headers: { Authorization: `Bearer ${service.adminToken}` } })
  expect(answer.status).toBe(200)
  return answer.text()
}

it('is alive and ready', async () => {
  expect((await fetch(`${service.baseUrl}/livez`)).status).toBe(200)
  await expect
    .poll(async () => (await fetch(`${service.baseUrl}/readyz`)).json())
    .toEqual({
      status: 'ok',
      checks: { service: { ok: true }, workers: { ok: true }, disk: { ok: true }, drain: { ok: true } },
    })
})

it('counts a job, and names its trace in the log lines of the request and of the worker', async () => {
  await compress(`00-${TRACE}-00f067aa0ba902b7-01`)
  await expect.poll(metrics).toContain('whittle_jobs_total{format="text",outcome="compressed"} 1')
  const text = await metrics()
  expect(text).toContain('whittle_http_requests_total{method="POST",route="/v1/compress",status="200"} 1')
  expect(text).toMatch(/^whittle_press_processes [1-9]/m)
  expect(text).toMatch(/^whittle_job_duration_seconds_count\{format="text"\} 1$/m)
  if (process.platform === 'linux') {
    expect(text).toMatch(/^whittle_service_resident_bytes\{process="workerd"\} [1-9]/m)
    expect(text).toMatch(/^whittle_service_cpu_seconds_total 0*[1-9.]/m)
  }
  const traced = () =>
    readFileSync(service.logFile, 'utf8')
      .split('\n')
      .filter((line) => line.includes(TRACE))
      .map((line) => JSON.parse(line) as { route?: string; event?: string; outcome?: string })
  await expect.poll(() => traced().map(({ route, event }) => route ?? event)).toEqual(expect.arrayContaining(['/v1/compress', 'job_ended']))
  expect(traced().find(({ event }) => event === 'job_ended')?.outcome).toBe('compressed')
})
