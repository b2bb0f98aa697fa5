/** Metrics of the local service for Prometheus. They live in the parent process, so they survive restarts of the service process. */
import { statfs } from 'node:fs/promises'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { type CountedJob, METRIC_NAMES } from '../../service/store/metrics.ts'
import { type GroupUsage, measureGroup } from './process-group.ts'
import type { Readiness } from './readiness.ts'
import type { PoolState, PressEnd } from './service-messages.ts'

/** What a scrape measures. Set anew whenever a service process starts. */
export interface MeasuredService {
  /** Process group of the service process. */
  readonly group: number
  poolState(): Promise<PoolState | undefined>
  readiness(): Promise<Readiness>
}

/** Upper bounds in seconds. A request without compression takes milliseconds, and `Prefer: wait` up to 60 s. */
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]
/** Upper bounds in seconds. A step may use 900 s of CPU time. */
const JOB_BUCKETS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 1800]
/** Most different values of the label `route`. There are about 100 routes, and log lines come from processes that read untrusted files. */
const MAX_ROUTES = 200
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
/** Text that every log line of a request contains. */
const REQUEST_LINE = /^\{"level":"(info|error)","request_id":/

export class OperatingMetrics {
  readonly registry = new Registry()
  readonly #state: string
  readonly #routes = new Set<string>()
  #measured: MeasuredService | undefined
  #usage: Promise<GroupUsage | undefined> | undefined
  #pool: Promise<PoolState | undefined> | undefined
  #scrape: Promise<string> | undefined
  readonly #requests = this.#counter(METRIC_NAMES.requests, 'Requests that the API answered.', ['method', 'route', 'status'])
  readonly #requestSeconds = this.#histogram(
    'whittle_http_request_duration_seconds',
    'Seconds from the first byte that the API received to its response.',
    ['route'],
    REQUEST_BUCKETS,
  )
  readonly #refusals = this.#counter('whittle_proxy_refusals_total', 'Requests that the reverse proxy refused.', ['status', 'reason'])
  readonly #jobs = this.#counter(METRIC_NAMES.jobs, 'Jobs (claimed steps of tasks) that ended.', ['format', 'outcome'])
  readonly #jobSeconds = this.#histogram('whittle_job_duration_seconds', 'Seconds that a job ran.', ['format'], JOB_BUCKETS)
  readonly #pressEnds = this.#counter('whittle_press_restarts_total', 'Press processes that ended, by reason.', ['reason'])
  readonly #serviceStarts = this.#counter('whittle_service_starts_total', 'Starts of the service process. More than one: restarts.')
  readonly #droppedLines = this.#counter('whittle_log_lines_dropped_total', 'Log lines that could not be written.')

  /** @param state state folder, whose disk is measured */
  constructor(state: string) {
    this.#state = state
    collectDefaultMetrics({ register: this.registry })
    this.#registerPool()
    this.#registerProcesses()
    this.#registerDisk()
    this.#gauge('whittle_ready', '1 if this check of /readyz passes, otherwise 0.', ['check'], async (gauge) => {
      const { checks } = (await this.#measured?.readiness()) ?? { checks: { service: { ok: false } } }
      for (const [check, { ok }] of Object.entries(checks)) gauge.set({ check }, Number(ok))
    })
  }

  /** Measures this service process from now on. */
  serviceStarted(measured: MeasuredService): void {
    this.#measured = measured
    this.#serviceStarts.inc()
  }

  /** Counts the request of a log line. Other lines are ignored. */
  readLogLine(line: string): void {
    if (!REQUEST_LINE.test(line)) return
    try {
      const { method, route, status, ms } = JSON.parse(line) as Record<string, unknown>
      if (typeof route !== 'string' || typeof ms !== 'number' || !Number.isInteger(status) || !(ms >= 0)) return
      const knownRoute = this.#knownRoute(route)
      this.#requests.inc({ method: METHODS.includes(String(method)) ? String(method) : 'other', route: knownRoute, status: Number(status) })
      this.#requestSeconds.observe({ route: knownRoute }, ms / 1000)
    } catch {
      // The line is no JSON.
    }
  }

  #knownRoute(route: string): string {
    if (this.#routes.size >= MAX_ROUTES && !this.#routes.has(route)) return 'other'
    this.#routes.add(route)
    return route
  }

  refused(status: number, reason: string): void {
    this.#refusals.inc({ status, reason })
  }

  jobEnded({ format, outcome, seconds }: CountedJob): void {
    this.#jobs.inc({ format, outcome })
    this.#jobSeconds.observe({ format }, seconds)
  }

  pressEnded(reason: PressEnd): void {
    this.#pressEnds.inc({ reason })
  }

  logLineDropped(): void {
    this.#droppedLines.inc()
  }

  /** All metrics in the text format of Prometheus (0.0.4). */
  text(): Promise<string> {
    // Scrapes at the same time share one measurement.
    this.#scrape ??= this.#measureAll().finally(() => {
      this.#scrape = undefined
    })
    return this.#scrape
  }

  #measureAll(): Promise<string> {
    this.#usage = this.#measured ? measureGroup(this.#measured.group) : undefined
    this.#pool = this.#measured?.poolState()
    return this.registry.metrics()
  }

  #registerPool(): void {
    const ofPool = (name: string, help: string, value: (pool: PoolState) => number) =>
      this.#gauge(name, help, [], async (gauge) => {
        const pool = await this.#pool
        if (pool) gauge.set(value(pool))
      })
    ofPool('whittle_queue_depth', 'Steps that wait for a press process.', ({ queued }) => queued)
    ofPool('whittle_queue_oldest_seconds', 'Seconds that the oldest waiting step has waited.', ({ oldestSeconds }) => oldestSeconds)
    ofPool('whittle_jobs_running', 'Steps that run.', ({ running }) => running)
    ofPool('whittle_press_processes', 'Press processes that run a step or can take one.', ({ ready }) => ready)
  }

  #registerProcesses(): void {
    const cpu: Counter = new Counter({
      name: 'whittle_service_cpu_seconds_total',
      help: 'CPU seconds of the service process and all processes that it started.',
      registers: [this.registry],
      collect: async () => {
        const seconds = (await this.#usage)?.cpuSeconds
        if (seconds === undefined) return
        // A new service process begins at 0, which Prometheus recognises as the reset of a counter.
        cpu.reset()
        cpu.inc(seconds)
      },
    })
    this.#gauge('whittle_service_resident_bytes', 'Resident memory, by kind of process.', ['process'], async (gauge) => {
      const usage = await this.#usage
      for (const [process, bytes] of Object.entries(usage?.residentBytes ?? {})) gauge.set({ process }, bytes)
    })
  }

  #registerDisk(): void {
    const disk = () => statfs(this.#state).catch(() => undefined)
    this.#gauge('whittle_disk_free_bytes', "Free bytes on the state folder's disk.", [], async (gauge) => {
      const found = await disk()
      if (found) gauge.set(found.bavail * found.bsize)
    })
    this.#gauge('whittle_disk_size_bytes', "Size of the state folder's disk.", [], async (gauge) => {
      const found = await disk()
      if (found) gauge.set(found.blocks * found.bsize)
    })
  }

  /** A gauge whose old values are dropped before each scrape, so that nothing is reported that could not be measured. */
  #gauge(name: string, help: string, labelNames: string[], measure: (gauge: Gauge) => Promise<void>): void {
    const gauge: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      collect: async () => {
        gauge.reset()
        if (labelNames.length === 0) gauge.remove()
        await measure(gauge)
      },
    })
  }

  #counter(name: string, help: string, labelNames: string[] = []): Counter {
    return new Counter({ name, help, labelNames, registers: [this.registry] })
  }

  #histogram(name: string, help: string, labelNames: string[], buckets: number[]): Histogram {
    return new Histogram({ name, help, labelNames, buckets, registers: [this.registry] })
  }
}
