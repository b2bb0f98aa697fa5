/**
 * Metrics of a deployment, written to Workers Analytics Engine and queried by SQL (docs/operators/self-hosting.md).
 * The position of a field in a data point is its meaning and must never change, because old points remain.
 */
import type { Task } from './task.ts'

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
