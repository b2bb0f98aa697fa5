/**
 * What is counted about a deployment: points in Workers Analytics Engine, asked by SQL (docs/operators/self-hosting.md). Places are given for good:
 * what an old point holds there must not mean something else.
 */
import type { Task } from './task.ts'

export interface Metrics {
  writeDataPoint(point: { indexes?: string[]; blobs?: (string | null)[]; doubles?: number[] }): void
}

/** A task that has ended. */
export function countTask(metrics: Metrics | undefined, task: Task, attempts: number): void {
  const { format, output, quality, worker, lane, result, error } = task
  const { outcome } = result ?? {}
  metrics?.writeDataPoint({
    indexes: [format],
    // event, format, output, quality, worker, lane, how it ended, why
    blobs: ['task', format, output, quality, worker, lane, outcome?.kind ?? 'failed', reasonOf(outcome) ?? error?.type ?? ''],
    // bytes before, bytes after, milliseconds from acceptance to end, attempts
    doubles: [task.originalSize, result?.size ?? 0, (task.completedAt ?? task.createdAt) - task.createdAt, attempts],
  })
}

const reasonOf = (outcome: NonNullable<Task['result']>['outcome'] | undefined) =>
  outcome?.kind === 'unchanged' ? outcome.reason : undefined

export function countDeadLetter(metrics: Metrics | undefined, queue: string): void {
  metrics?.writeDataPoint({ indexes: ['dead_letter'], blobs: ['dead_letter', queue] })
}
