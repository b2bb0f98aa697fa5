/** When a task will probably end, and how many tasks start before it. */
import { FORMATS } from '../../core/catalog/index.ts'
import { averageSeconds } from '../../core/model/work-estimate.ts'
import type { Env } from '../env.ts'
import type { Task } from '../store/task.ts'
import type { WaitingPlace } from '../store/waiting.ts'

export interface Outlook {
  /** Estimated seconds until the task ends. `null`: unknown. */
  readonly etaSeconds: number | null
  /** Number of tasks that start before this one. 0 for a running task. `null`: unknown. */
  readonly queuePosition: number | null
}

export const UNKNOWN_OUTLOOK: Outlook = { etaSeconds: null, queuePosition: null }

/** Share of the work from which on the pace of the job alone decides. Before it, the estimate from format and size counts as well. */
const MEASURED_SHARE = 0.1

export const isOpen = ({ status }: Task) => status === 'pending' || status === 'processing'

/** @param place place among the waiting tasks. `undefined`: unknown, or the task runs */
export function outlookOf(task: Task, now: number, place?: WaitingPlace): Outlook {
  if (task.status === 'processing' && task.pace) return { etaSeconds: rounded(remainingSeconds(task, task.pace, now)), queuePosition: 0 }
  if (!place) return UNKNOWN_OUTLOOK
  const etaSeconds = place.seconds === null ? null : rounded(place.seconds + estimatedSeconds(task))
  return { etaSeconds, queuePosition: place.position }
}

const estimatedSeconds = ({ format, originalSize }: Task) =>
  averageSeconds(format === 'unknown' ? undefined : FORMATS[format].family, originalSize)

/** Seconds until the end, from the pace of the running attempt so far. */
function remainingSeconds(task: Task, { since, share, at }: NonNullable<Task['pace']>, now: number): number {
  const elapsed = Math.max(0, now - since) / 1000
  const estimated = Math.max(estimatedSeconds(task) - elapsed, estimatedSeconds(task) / 10)
  if (share <= 0) return estimated
  // Reported progress is as old as its report, so the truth is between the pace until the report and the pace until now.
  const fast = Math.max(0, at - since) / 1000 / share - elapsed
  const slow = (elapsed * (1 - share)) / share
  const measured = Math.max(fast, slow / 2)
  const weight = Math.min(1, share / MEASURED_SHARE)
  return measured * weight + estimated * (1 - weight)
}

const rounded = (seconds: number) => (seconds < 10 ? Math.round(seconds * 10) / 10 : Math.round(seconds))

/**
 * Places of waiting tasks. One machine knows its whole queue; on Cloudflare, the account knows those of its tasks that it holds back.
 * Empty if the call fails, because an answer without these figures is better than none.
 */
export async function placesOf(
  env: Pick<Env, 'WAITING' | 'ACCOUNTS'>,
  tasks: readonly Task[],
): Promise<Readonly<Record<string, WaitingPlace>>> {
  const waiting = tasks.filter(({ status }) => status === 'pending')
  const [first] = waiting
  if (!first) return {}
  const ids = waiting.map(({ taskId }) => taskId)
  try {
    return await (env.WAITING ? env.WAITING.places(ids) : env.ACCOUNTS.getByName(first.accountId).waitingPlaces(ids))
  } catch (error) {
    console.warn(JSON.stringify({ level: 'warn', event: 'places_unknown', error: String(error) }))
    return {}
  }
}
