/** Chooses which waiting step runs next. No side effects, so that tests can simulate a day of work. */
import type { WorkerKind } from '../service/lanes.ts'
import type { Step } from '../service/tasks/run.ts'

export interface QueuedStep {
  readonly kind: WorkerKind
  readonly step: Step
  /** True if a client waits for the response. */
  readonly quick: boolean
  /** Account of the task. `undefined`: not read yet. */
  accountId?: string
  /** Estimated work of the whole task in CPU seconds. `undefined`: not read yet. */
  readonly workSeconds?: number
  /** True if the step exceeded an isolate's memory and may use all memory of a press process. */
  enlarged?: boolean
  /** Time of arrival, in milliseconds of any clock. */
  readonly queuedAtMs: number
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
/** Waiting time in milliseconds after which a step of an account above its CPU quota ranks like any other step. */
export const MAX_LOW_WAIT_MS = 600_000

/** Work of an account so far, as `AccountTurns` counts it. The account with the least goes first. */
export type WorkDone = (accountId: string | undefined) => number

/**
 * Picks the next step. Quick steps go first, then the others by rank:
 * 1. accounts within their CPU quota
 * 2. the account with the fewest running steps, then the one with the least work done, so that accounts take turns
 * 3. the task with the fewest running steps, so that a film of a hundred parts does not block other tasks
 * 4. steps that wait longer than `MAX_WAIT_MS`, the oldest first
 * 5. the step with the most work, because short steps should start last
 *
 * Quick steps take turns by account, too, in order of arrival.
 * @returns the index in `queue`, or -1
 */
export function nextStepIndex(
  queue: readonly QueuedStep[],
  working: readonly QueuedStep[],
  now: number,
  quickOnly: boolean,
  workDone: WorkDone = () => 0,
): number {
  const hasQuick = queue.some((waiting) => waiting.quick)
  if (!hasQuick && quickOnly) return -1
  const byAccount = countBy(working, ({ accountId }) => accountId ?? '')
  const byTask = countBy(working, ({ step }) => step.taskId)
  const rank = ({ quick, step, accountId, queuedAtMs, workSeconds = 0 }: QueuedStep): readonly number[] => {
    const isLate = now - queuedAtMs > MAX_WAIT_MS
    const turn = [byAccount.get(accountId ?? '') ?? 0, workDone(accountId)]
    if (quick) return [...turn, queuedAtMs]
    const low = step.low && now - queuedAtMs <= MAX_LOW_WAIT_MS ? 1 : 0
    return [low, ...turn, byTask.get(step.taskId) ?? 0, isLate ? 0 : 1, isLate ? queuedAtMs : -workSeconds]
  }
  let [best, bestRank]: [number, readonly number[]] = [-1, []]
  for (const [at, waiting] of queue.entries()) {
    if (hasQuick && !waiting.quick) continue
    const ranked = rank(waiting)
    if (best < 0 || compare(ranked, bestRank) < 0) [best, bestRank] = [at, ranked]
  }
  return best
}

function countBy(working: readonly QueuedStep[], keyOf: (step: QueuedStep) => string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const step of working) counts.set(keyOf(step), (counts.get(keyOf(step)) ?? 0) + 1)
  return counts
}

/** Compares two ranks of the same length. Negative: `a` goes first. */
function compare(a: readonly number[], b: readonly number[]): number {
  const at = a.findIndex((value, i) => value !== b[i])
  return at < 0 ? 0 : a[at]! - b[at]!
}
