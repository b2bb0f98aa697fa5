/** Places of waiting tasks in the queue of the worker pool: which start before them, and when they start. */
import type { WaitingPlace } from '../service/store/waiting.ts'
import { nextStepIndex, type QueuedStep, type WorkDone } from './scheduler.ts'

/** Longest queue whose order is simulated. In a longer one, order of arrival must do, because a simulation takes quadratic time. */
const MAX_SIMULATED = 400
/** Seconds of a step whose work is not known. */
const UNKNOWN_SECONDS = 1

export interface PoolView {
  readonly queue: readonly QueuedStep[]
  readonly working: readonly QueuedStep[]
  /** Number of steps that run in parallel. */
  readonly workers: number
  /** Time in milliseconds, of the clock of `queuedAtMs`. */
  readonly now: number
  readonly workDone: WorkDone
}

/** Returns the place of every task that waits or runs, by task id. */
export function queuePlaces(pool: PoolView): Map<string, WaitingPlace> {
  const places = new Map<string, WaitingPlace>()
  for (const { step } of pool.working) places.set(step.taskId, { position: 0, seconds: 0 })
  const running = places.size
  // A running step has on average half of its work left.
  const free = pool.working.map(({ workSeconds = UNKNOWN_SECONDS }) => workSeconds / 2)
  while (free.length < pool.workers) free.push(0)
  for (const { step, workSeconds = UNKNOWN_SECONDS } of inOrder(pool)) {
    const slot = free.reduce((best, seconds, at) => (seconds < free[best]! ? at : best), 0)
    const start = free[slot]!
    free[slot] = start + workSeconds
    if (!places.has(step.taskId)) places.set(step.taskId, { position: places.size - running, seconds: start })
  }
  return places
}

/** Waiting steps in the order in which they will probably start. */
function inOrder({ queue, working, workers, now, workDone }: PoolView): readonly QueuedStep[] {
  if (queue.length > MAX_SIMULATED) return queue
  const [left, running, order] = [[...queue], [...working], [] as QueuedStep[]]
  while (left.length > 0) {
    const [next] = left.splice(Math.max(0, nextStepIndex(left, running, now, false, workDone)), 1)
    order.push(next!)
    running.push(next!)
    if (running.length > workers) running.shift()
  }
  return order
}
