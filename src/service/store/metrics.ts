/**
 * Metrics of a deployment, written to Workers Analytics Engine and queried by SQL (docs/operators/observability.md). The local service
 * exposes metrics of the same names to Prometheus (`src/local/observability/metrics.ts`).
 * The position of a field in a data point is its meaning and must never change, because old points remain.
 */
import type { Task, TaskResult } from './task.ts'

export interface Metrics {
  writeDataPoint(point: { indexes?: string[]; blobs?: (string | null)[]; doubles?: number[] }): void
}

/** Writes a data point for a task that has ended. */
export function countTask(metrics: Metrics | undefined, task: Task, attempts: number): void {
  const { format, output, quality, worker, lane, result, error } = task
  const { outcome } = result ?? {}
  metrics?.writeDataPoint({
    indexes: [format],
    // data point fields: event, format, output, quality, worker, lane, outcome, reason or error type
    blobs: ['task', format, output, quality, worker, lane, outcome?.kind ?? 'failed', reasonOf(outcome) ?? error?.type ?? ''],
    // data point fields: original bytes, result bytes, milliseconds from acceptance to end, attempts
    doubles: [task.originalSize, result?.size ?? 0, (task.completedAt ?? task.createdAt) - task.createdAt, attempts],
  })
}

const reasonOf = (outcome: NonNullable<Task['result']>['outcome'] | undefined) =>
  outcome?.kind === 'unchanged' ? outcome.reason : undefined

export function countDeadLetter(metrics: Metrics | undefined, queue: string): void {
  metrics?.writeDataPoint({ indexes: ['dead_letter'], blobs: ['dead_letter', queue] })
}

/** Counts a result that failed its own verification, or a codec that crashed. The log, which may be sampled, has the facts. */
export function countDefect(metrics: Metrics | undefined, format: string): void {
  metrics?.writeDataPoint({ indexes: ['defect'], blobs: ['defect', format] })
}

/** Names that both Analytics Engine (first blob of a point) and Prometheus use. */
export const METRIC_NAMES = { requests: 'whittle_http_requests_total', jobs: 'whittle_jobs_total' } as const

export interface CountedRequest {
  readonly method: string
  /** Path pattern of the route, such as `/v1/tasks/{task_id}`. */
  readonly route: string
  readonly status: number
  readonly ms: number
}

export function countRequest(metrics: Metrics | undefined, { method, route, status, ms }: CountedRequest): void {
  metrics?.writeDataPoint({
    indexes: [route.slice(0, MAX_INDEX_BYTES)],
    // data point fields: metric, method, route, status
    blobs: [METRIC_NAMES.requests, method, route, String(status)],
    // data point fields: seconds
    doubles: [ms / 1000],
  })
}

/** Maximum length of an index in Analytics Engine, in bytes. */
const MAX_INDEX_BYTES = 96

/** How a job ended: a claimed step of a task. `lost`: its worker ended. `stopped`: the task was removed, or another worker has its lease. */
export type JobOutcome = 'compressed' | 'unchanged' | 'failed' | 'over_budget' | 'split' | 'part' | 'released' | 'lost' | 'stopped'

export interface CountedJob {
  readonly format: string
  readonly step: string
  readonly outcome: JobOutcome
  readonly seconds: number
}

export function countJob(metrics: Metrics | undefined, { format, step, outcome, seconds }: CountedJob): void {
  metrics?.writeDataPoint({
    indexes: [format],
    // data point fields: metric, format, step, outcome
    blobs: [METRIC_NAMES.jobs, format, step, outcome],
    // data point fields: seconds
    doubles: [seconds],
  })
}

/**
 * Outcome of a job that ends with this call of its task's record. `undefined`: the call does not end a job, or its arguments are invalid.
 * @param args arguments, which may come from a process that read untrusted files
 */
export function outcomeOfCall(method: string, args: readonly unknown[]): JobOutcome | undefined {
  if (method !== 'complete') return OUTCOMES[method]
  const kind = (args[1] as Partial<TaskResult> | undefined)?.outcome?.kind
  return kind === 'compressed' || kind === 'unchanged' ? kind : undefined
}

const OUTCOMES: Readonly<Record<string, JobOutcome>> = {
  fail: 'failed',
  giveUp: 'over_budget',
  split: 'split',
  completePart: 'part',
  release: 'released',
}
