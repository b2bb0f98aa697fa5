/** Which of the waiting steps is next. Pure, so that a day of work can be tried in a moment. */
import type { Family } from '../core/catalog/format.ts'
import { FORMATS } from '../core/catalog/index.ts'
import type { Kind } from '../service/lanes.ts'
import type { Task } from '../service/store/task.ts'
import type { Step } from '../service/tasks/run.ts'

export interface Waiting {
  readonly kind: Kind
  readonly step: Step
  /** Somebody waits for the answer. */
  readonly quick: boolean
  /** What the whole task is likely to take, in bytes of a simple format; unknown until it has been read. */
  readonly effort?: number
  /** An isolate's memory was not enough: it may take all that a press has. */
  enlarged?: boolean
  /** Milliseconds of any clock. */
  readonly since: number
}

/** A byte of these takes some five times as long as one of others (measured: 4 to 11 seconds a megabyte, and 0.4 to 2). */
const HARD: readonly Family[] = ['document', 'ebook', 'video']
const HARDNESS = 5

export function effortOf({ format, originalSize }: Pick<Task, 'format' | 'originalSize'>): number {
  const isHard = format !== 'unknown' && HARD.includes(FORMATS[format].family)
  return originalSize * (isHard ? HARDNESS : 1)
}

/** A press whose job has what an isolate has; 150 to 312 MB were measured. */
const PLAIN_BYTES = 320 * 2 ** 20

/** Is there memory for one more beside those at work? Who may take all of a press counts as such; the first always finds room. */
export function hasMemory(working: readonly Pick<Waiting, 'enlarged'>[], machineBytes: number, pressBytes: number): boolean {
  const promised = working.reduce((sum, { enlarged }) => sum + (enlarged ? pressBytes : Math.min(PLAIN_BYTES, pressBytes)), 0)
  return working.length === 0 || promised + Math.min(PLAIN_BYTES, pressBytes) <= machineBytes
}

/** The step of a task that waits longer than this is next, whatever its size. */
export const MOST_WAIT_MS = 30_000

/**
 * Quick ones in their order. Of the slow ones the task with the fewest steps at work is next, so that a film with a hundred parts
 * leaves room for others; then the one that takes longest, because what begins last should be short; but nobody waits for ever.
 * @returns its place, or -1
 */
export function nextOf(line: readonly Waiting[], working: readonly Waiting[], now: number, quickOnly: boolean): number {
  const quick = line.findIndex((waiting) => waiting.quick)
  if (quick >= 0 || quickOnly) return quick
  const shares = new Map<string, number>()
  for (const { step } of working) shares.set(step.taskId, (shares.get(step.taskId) ?? 0) + 1)
  const rank = ({ step, since, effort = 0 }: Waiting) => {
    const late = now - since > MOST_WAIT_MS
    return { late: late ? 0 : 1, share: shares.get(step.taskId) ?? 0, order: late ? since : -effort }
  }
  let best = -1
  for (const [at, waiting] of line.entries()) {
    if (best < 0 || compare(rank(waiting), rank(line[best]!)) < 0) best = at
  }
  return best
}

type Rank = { readonly late: number; readonly share: number; readonly order: number }
const compare = (a: Rank, b: Rank) => a.share - b.share || a.late - b.late || a.order - b.order
