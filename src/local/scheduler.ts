/** Chooses which waiting step runs next. No side effects, so that tests can simulate a day of work. */
import type { Family } from '../core/catalog/format.ts'
import { FORMATS } from '../core/catalog/index.ts'
import type { WorkerKind } from '../service/lanes.ts'
import type { Task } from '../service/store/task.ts'
import type { Step } from '../service/tasks/run.ts'

export interface QueuedStep {
  readonly kind: WorkerKind
  readonly step: Step
  /** True if a client waits for the response. */
  readonly quick: boolean
  /** Estimated work of the whole task, in bytes of a simple format. `undefined`: not read yet. */
  readonly effort?: number
  /** True if the step exceeded an isolate's memory and may use all memory of a press process. */
  enlarged?: boolean
  /** Time of arrival, in milliseconds of any clock. */
  readonly queuedAtMs: number
}

/** Format families that take about five times as long per byte: 4 to 11 s/MB measured, other families 0.4 to 2 s/MB. */
const SLOW_FAMILIES: readonly Family[] = ['document', 'ebook', 'video']
const SLOW_FACTOR = 5

export function estimateEffort({ format, originalSize }: Pick<Task, 'format' | 'originalSize'>): number {
  const isSlow = format !== 'unknown' && SLOW_FAMILIES.includes(FORMATS[format].family)
  return originalSize * (isSlow ? SLOW_FACTOR : 1)
}

/** Memory of a press process whose job fits an isolate, in bytes. Measured: 150 to 312 MB. */
const ISOLATE_JOB_BYTES = 320 * 2 ** 20

/**
 * True if the machine has memory for one more step. Enlarged steps count with the full limit of a press process. The first step always
 * fits.
 */
export function hasMemory(working: readonly Pick<QueuedStep, 'enlarged'>[], machineBytes: number, pressBytes: number): boolean {
  const reservedBytes = working.reduce((sum, { enlarged }) => sum + (enlarged ? pressBytes : Math.min(ISOLATE_JOB_BYTES, pressBytes)), 0)
  return working.length === 0 || reservedBytes + Math.min(ISOLATE_JOB_BYTES, pressBytes) <= machineBytes
}

/** Waiting time in milliseconds after which a step goes before larger ones of the same rank. */
export const MAX_WAIT_MS = 30_000

/**
 * Picks the next step. Quick steps go first, in order of arrival. Then the task with the fewest running steps, so that a film of a
 * hundred parts does not block other tasks. Then steps that wait longer than `MAX_WAIT_MS`, then the one with the most work, because
 * short steps should start last.
 * @returns the index in `line`, or -1
 */
export function nextStepIndex(queue: readonly QueuedStep[], working: readonly QueuedStep[], now: number, quickOnly: boolean): number {
  const quick = queue.findIndex((waiting) => waiting.quick)
  if (quick >= 0 || quickOnly) return quick
  const shares = new Map<string, number>()
  for (const { step } of working) shares.set(step.taskId, (shares.get(step.taskId) ?? 0) + 1)
  const rank = ({ step, queuedAtMs: since, effort = 0 }: QueuedStep) => {
    const isLate = now - since > MAX_WAIT_MS
    return { late: isLate ? 0 : 1, share: shares.get(step.taskId) ?? 0, order: isLate ? since : -effort }
  }
  let best = -1
  for (const [at, waiting] of queue.entries()) {
    if (best < 0 || compare(rank(waiting), rank(queue[best]!)) < 0) best = at
  }
  return best
}

type Rank = { readonly late: number; readonly share: number; readonly order: number }
const compare = (a: Rank, b: Rank) => a.share - b.share || a.late - b.late || a.order - b.order
