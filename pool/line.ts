/** Which of the waiting steps is next. Pure, so that a day of work can be tried in a moment. */
import type { Step } from '../src/tasks/run.ts'
import type { Kind } from './link.ts'

export interface Waiting {
  readonly kind: Kind
  readonly step: Step
  /** Somebody waits for the answer. */
  readonly quick: boolean
  /** The account's, and bytes of the upload; unknown until the task has been read. */
  readonly accountId?: string
  readonly bytes?: number
  /** Milliseconds of any clock. */
  readonly since: number
}

/** The step of a task that waits longer than this is next, whatever its size. */
export const PATIENCE_MS = 30_000

/**
 * Quick ones in their order. Of the slow ones the task with the fewest steps at work is next, so that a film with a hundred parts
 * leaves room for others; then the largest, because what begins last should be short; but nobody waits for ever.
 * @returns its place, or -1
 */
export function nextOf(line: readonly Waiting[], working: readonly Waiting[], now: number, quickOnly: boolean): number {
  const quick = line.findIndex((waiting) => waiting.quick)
  if (quick >= 0 || quickOnly) return quick
  const shares = new Map<string, number>()
  for (const { step } of working) shares.set(step.taskId, (shares.get(step.taskId) ?? 0) + 1)
  const rank = ({ step, since, bytes = 0 }: Waiting) => {
    const late = now - since > PATIENCE_MS
    return { late: late ? 0 : 1, share: shares.get(step.taskId) ?? 0, order: late ? since : -bytes }
  }
  let best = -1
  for (const [at, waiting] of line.entries()) {
    if (best < 0 || compare(rank(waiting), rank(line[best]!)) < 0) best = at
  }
  return best
}

type Rank = { readonly late: number; readonly share: number; readonly order: number }
const compare = (a: Rank, b: Rank) => a.share - b.share || a.late - b.late || a.order - b.order
