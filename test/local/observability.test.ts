/** Metrics, probes and traces of the local service, without a service process. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { ProxyTracerProvider, type Span, type SpanOptions, trace } from '@opentelemetry/api'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMetricsPort } from '../../src/local/observability/endpoints.ts'
import { OperatingMetrics } from '../../src/local/observability/metrics.ts'
import { PoolQuestion } from '../../src/local/observability/pool-question.ts'
import { measureGroup, parseStat } from '../../src/local/observability/process-group.ts'
import { type ReadinessSource, readinessOf } from '../../src/local/observability/readiness.ts'
import { traceJob } from '../../src/local/observability/tracing.ts'
import { openReverseProxy, type ReverseProxyOptions } from '../../src/local/reverse-proxy.ts'
import { parseTraceparent, traceField, validTraceparent } from '../../src/service/trace-context.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`
const TOKEN = 'operator-token'
const POOL = { queued: 3, oldestSeconds: 7.5, running: 2, ready: 4 }

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

const portOf = (server: Server) => (server.address() as AddressInfo).port

describe('a trace context', () => {
  it('is read from a valid header only (W3C Trace Context, section 3.2.2)', () => {
    expect(parseTraceparent(TRACEPARENT)).toEqual({ traceId: TRACE, parentId: PARENT, flags: 1 })
    expect(parseTraceparent(`cc-${TRACE}-${PARENT}-01-later-field`)?.traceId).toBe(TRACE)
    const invalid = [
      ...[`ff-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01-more`, `00-${'0'.repeat(32)}-${PARENT}-01`],
      ...[`00-${TRACE}-${'0'.repeat(16)}-01`, TRACEPARENT.toUpperCase(), ` ${TRACEPARENT}`, `${TRACEPARENT}\n`, '', '00'],
    ]
    for (const header of [undefined, ...invalid]) expect(parseTraceparent(header), header).toBeUndefined()
  })

  it('never passes on what a client wrote into the header, except the ids', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.string().map((tail) => `01-${TRACE}-${PARENT}-ff-${tail}`),
        ),
        (header) => {
          expect(validTraceparent(header) ?? TRACEPARENT).toMatch(/^00-[\da-f]{32}-[\da-f]{16}-0[01]$/)
        },
      ),
    )
    expect(traceField(TRACEPARENT)).toEqual({ trace_id: TRACE })
    expect(traceField('not one')).toEqual({})
  })
})

describe('the metrics', () => {
  const metrics = () => new OperatingMetrics(tmpdir())
  const samples = async (of: OperatingMetrics) => (await of.text()).split('\n').filter((line) => line.startsWith('whittle_'))
  const line = (change: object) =>
    JSON.stringify({ level: 'info', request_id: 'r', method: 'GET', route: '/healthz', status: 200, ms: 30, ...change })

  it('count requests by route and status, from log lines', async () => {
    const counted = metrics()
    for (const change of [{}, {}, { status: 503, level: 'error' }, { method: 'BREW' }]) counted.readLogLine(line(change))
    const all = await samples(counted)
    expect(all).toContain('whittle_http_requests_total{method="GET",route="/healthz",status="200"} 2')
    expect(all).toContain('whittle_http_requests_total{method="GET",route="/healthz",status="503"} 1')
    expect(all).toContain('whittle_http_requests_total{method="other",route="/healthz",status="200"} 1')
    expect(all).toContain('whittle_http_request_duration_seconds_bucket{le="0.025",route="/healthz"} 0')
    expect(all).toContain('whittle_http_request_duration_seconds_bucket{le="0.05",route="/healthz"} 4')
  })

  it('ignore other lines, and stay bounded whatever a press process prints', async () => {
    const counted = metrics()
    for (const text of ['', '{', line({ ms: 'x' }), line({ ms: -1 }), line({ route: 1 }), `${line({})}x`, line({ status: 1.5 })])
      counted.readLogLine(text)
    expect((await samples(counted)).filter((one) => one.startsWith('whittle_http_requests_total'))).toEqual([])
    for (let i = 0; i < 1000; i++) counted.readLogLine(line({ route: `/${i}` }))
    const routes = (await samples(counted)).filter((one) => one.startsWith('whittle_http_requests_total'))
    expect(routes).toHaveLength(201)
    expect(routes).toContain('whittle_http_requests_total{method="GET",route="other",status="200"} 800')
  })

  it('count jobs, press processes, refusals and lost log lines', async () => {
    const counted = metrics()
    counted.jobEnded({ format: 'pdf', step: 'whole', outcome: 'compressed', seconds: 3 })
    counted.pressEnded('crashed')
    counted.refused(503, 'disk_full')
    counted.logLineDropped()
    expect(await samples(counted)).toEqual(
      expect.arrayContaining([
        'whittle_jobs_total{format="pdf",outcome="compressed"} 1',
        'whittle_job_duration_seconds_sum{format="pdf"} 3',
        'whittle_press_restarts_total{reason="crashed"} 1',
        'whittle_proxy_refusals_total{status="503",reason="disk_full"} 1',
        'whittle_log_lines_dropped_total 1',
      ]),
    )
  })

  it('measure the pool, the checks, the processes and the disk at each scrape', async () => {
    const measured = metrics()
    let pool: typeof POOL | undefined = POOL
    const checks = { disk: { ok: true }, drain: { ok: false } }
    const source = { group: Number(await ownGroup()), poolState: async () => pool, readiness: async () => ({ ok: false, checks }) }
    measured.serviceStarted(source)
    const [first, atTheSameTime] = await Promise.all([samples(measured), samples(measured)])
    expect(atTheSameTime).toEqual(first)
    expect(first).toEqual(
      expect.arrayContaining([
        'whittle_queue_depth 3',
        'whittle_queue_oldest_seconds 7.5',
        'whittle_jobs_running 2',
        'whittle_press_processes 4',
        'whittle_ready{check="disk"} 1',
        'whittle_ready{check="drain"} 0',
        'whittle_service_starts_total 1',
      ]),
    )
    const value = (name: string) => Number(first.find((one) => one.startsWith(name))?.split(' ')[1])
    expect(value('whittle_disk_free_bytes')).toBeGreaterThan(0)
    expect(value('whittle_disk_size_bytes')).toBeGreaterThanOrEqual(value('whittle_disk_free_bytes'))
    if (process.platform === 'linux') expect(value('whittle_service_cpu_seconds_total')).toBeGreaterThan(0)
    pool = undefined
    measured.serviceStarted({ ...source, group: 0x7fffffff })
    const later = await samples(measured)
    expect(later.filter((one) => /^whittle_(queue|jobs_running|press_processes|service_resident)/.test(one))).toEqual([])
    expect(later).toContain('whittle_service_starts_total 2')
  })
})

const ownGroup = async () => {
  const { readFile } = await import('node:fs/promises')
  return parseStat(await readFile('/proc/self/stat', 'utf8').catch(() => ''))?.group ?? 0
}

it('CPU time and memory come from proc_pid_stat(5), whatever the name of the process', async () => {
  const fields = ['S', '1', '77', ...Array<string>(8).fill('0'), '100', '50', '20', '5', ...Array<string>(6).fill('0'), '1000', '0']
  const parsed = parseStat(`42 (a) R 9 9 (b)) ${fields.join(' ')}`)
  expect(parsed).toEqual({ pid: 42, name: 'a) R 9 9 (b)', group: 77, ownTicks: 150, childTicks: 25, pages: 1000 })
  expect(parseStat('')).toBeUndefined()
  expect(await measureGroup(0x7fffffff)).toBeUndefined()
})

describe('readiness', () => {
  const good: ReadinessSource = {
    isServing: () => true,
    isDraining: () => false,
    poolState: async () => POOL,
    hasDiskSpace: async () => true,
  }

  it.each<[string, Partial<ReadinessSource>]>([
    ['service', { isServing: () => false }],
    ['drain', { isDraining: () => true }],
    ['workers', { poolState: async () => undefined }],
    ['workers', { poolState: async () => ({ ...POOL, ready: 0 }) }],
    ['disk', { hasDiskSpace: async () => false }],
  ])('ends when the check "%s" fails', async (check, change) => {
    expect((await readinessOf(good)).ok).toBe(true)
    const { ok, checks } = await readinessOf({ ...good, ...change })
    expect(ok).toBe(false)
    expect(Object.keys(checks).filter((name) => !checks[name]?.ok)).toEqual([check])
  })

  it('gets one answer for questions at the same time', async () => {
    let asked = 0
    const question = new PoolQuestion(() => asked++)
    const answers = [question.ask(), question.ask()]
    question.answer(POOL)
    expect(await Promise.all(answers)).toEqual([POOL, POOL])
    expect(asked).toBe(1)
    question.answer(POOL)
    const again = question.ask()
    question.answer(undefined)
    expect(await again).toBeUndefined()
  })
})

/** A proxy in front of a server that answers with the `traceparent` it received. */
async function proxy(options: ReverseProxyOptions): Promise<string> {
  const upstream = createServer((request, response) => {
    response.writeHead(200, { 'x-request-id': 'r' }).end(JSON.stringify({ traceparent: request.headers.traceparent ?? null }))
  })
  servers.push(upstream)
  await new Promise<void>((done) => upstream.listen(0, '127.0.0.1', done))
  const server = await openReverseProxy(0, portOf(upstream), options)
  servers.push(server)
  return `http://127.0.0.1:${portOf(server)}`
}

describe('the endpoints of the parent process', () => {
  const operator = (ok: boolean) => ({
    readiness: async () => ({ ok, checks: { disk: { ok } } }),
    metrics: async () => 'whittle_ready 1\n',
    token: TOKEN,
  })

  it('answer apart from the service', async () => {
    const url = await proxy({ operator: operator(false) })
    expect((await fetch(`${url}/livez`)).status).toBe(200)
    const ready = await fetch(`${url}/readyz`)
    expect([ready.status, ready.headers.get('retry-after')]).toEqual([503, '5'])
    expect(await ready.json()).toEqual({ status: 'unavailable', checks: { disk: { ok: false } } })
    expect((await fetch(`${await proxy({ operator: operator(true) })}/readyz`)).status).toBe(200)
    expect((await fetch(`${url}/livez`, { method: 'POST', body: 'x' })).status).toBe(405)
    expect(await (await fetch(`${url}/livez/more`)).json()).toEqual({ traceparent: null })
  })

  it('show the metrics to the operator only', async () => {
    const url = `${await proxy({ operator: operator(true) })}/metrics/service`
    for (const Authorization of ['', 'Bearer ', `Bearer ${TOKEN}x`, `bearer ${TOKEN}`, TOKEN])
      expect((await fetch(url, { headers: { Authorization } })).status, Authorization).toBe(401)
    const answer = await fetch(url, { headers: { Authorization: `Bearer ${TOKEN}` } })
    expect([answer.status, await answer.text()]).toEqual([200, 'whittle_ready 1\n'])
    const without = await proxy({ operator: { ...operator(true), token: undefined } })
    expect(await (await fetch(`${without}/metrics/service`)).json()).toEqual({ traceparent: null })
  })

  it('show the metrics without a token on a port of loopback, to no web page', async () => {
    const server = await openMetricsPort(0, operator(true))
    servers.push(server)
    expect((server.address() as AddressInfo).address).toBe('127.0.0.1')
    const url = `http://127.0.0.1:${portOf(server)}`
    expect(await (await fetch(`${url}/metrics`)).text()).toBe('whittle_ready 1\n')
    expect((await fetch(`${url}/`)).status).toBe(404)
    expect(await statusWithHost(portOf(server), 'rebound.example.com')).toBe(404)
  })

  it('count what the proxy refuses', async () => {
    const refused: [number, string][] = []
    const url = await proxy({ disk: { fits: async () => false }, onRefusal: (...refusal) => refused.push(refusal) })
    await fetch(`${url}/v1/compress`, { method: 'POST', headers: { Authorization: 'Bearer k' }, body: 'x' })
    expect(refused).toEqual([[503, 'disk_full']])
  })
})

async function statusWithHost(port: number, host: string): Promise<number | undefined> {
  const { get } = await import('node:http')
  return new Promise((resolve, reject) => {
    get({ port, host: '127.0.0.1', path: '/metrics', headers: { Host: host } }, (response) => {
      response.resume()
      resolve(response.statusCode)
    }).once('error', reject)
  })
}

describe('traces', () => {
  /** Spans that ended: name, parent and attributes. */
  let ended: { name: string; parent: string | undefined; attributes: Record<string, unknown> }[]
  beforeEach(() => {
    ended = []
  })
  afterEach(() => trace.disable())

  /** Stands for an SDK that the operator loads. */
  function loadSdk(): void {
    const provider = new ProxyTracerProvider()
    const startSpan = (
      name: string,
      { attributes: given = {} }: SpanOptions = {},
      context?: Parameters<typeof trace.getSpanContext>[0],
    ): Span => {
      const attributes: Record<string, unknown> = { ...given }
      const parent = context && trace.getSpanContext(context)
      const span = {
        spanContext: () => ({ traceId: parent?.traceId ?? TRACE, spanId: 'b'.repeat(16), traceFlags: 1 }),
        setAttribute: (key: string, value: unknown) => {
          attributes[key] = value
        },
        setStatus: () => undefined,
        end: () => ended.push({ name, parent: parent?.spanId, attributes }),
      }
      return span as unknown as Span
    }
    provider.setDelegate({ getTracer: () => ({ startSpan }) } as unknown as Parameters<typeof provider.setDelegate>[0])
    trace.setGlobalTracerProvider(provider)
  }
  const sent = async (url: string, headers: Record<string, string>) =>
    ((await (await fetch(url, { headers })).json()) as { traceparent: string | null }).traceparent

  it('without an SDK, pass on the trace of the caller, and start none', async () => {
    const url = await proxy({})
    expect(await sent(url, { traceparent: TRACEPARENT })).toBe(TRACEPARENT)
    expect(await sent(url, {})).toBe(null)
    expect(await sent(url, { traceparent: 'invalid' })).toBe(null)
    expect(ended).toEqual([])
  })

  it('with an SDK, have a span for each request that is a child of the caller', async () => {
    loadSdk()
    const url = await proxy({})
    expect(await sent(`${url}/v1/tasks/tsk_1`, { traceparent: TRACEPARENT })).toBe(`00-${TRACE}-${'b'.repeat(16)}-01`)
    await expect
      .poll(() => ended)
      .toEqual([{ name: 'GET', parent: PARENT, attributes: { 'http.request.method': 'GET', 'http.response.status_code': 200 } }])
  })

  it('with an SDK, have a span for each job that is a child of the request', async () => {
    loadSdk()
    const about = { traceparent: TRACEPARENT, format: 'pdf', step: 'whole' }
    expect(await traceJob(about, { outcome: 'unchanged', run: async () => 'done' })).toBe('done')
    const failing = traceJob(about, { outcome: 'lost', run: () => Promise.reject(new Error('gone')) })
    await expect(failing).rejects.toThrow('gone')
    const attributes = { 'whittle.format': 'pdf', 'whittle.step': 'whole' }
    expect(ended).toEqual([
      { name: 'job', parent: PARENT, attributes: { ...attributes, 'whittle.outcome': 'unchanged' } },
      { name: 'job', parent: PARENT, attributes },
    ])
  })
})
