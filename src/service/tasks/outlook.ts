/** When a task will probably end, and how many tasks start before it. */
import { maxOf, minOf } from '../../core/bytes/min-max.ts'
import type { Env } from '../env.ts'
import type { Pace, Task } from '../store/task.ts'
import type { WaitingPlace } from '../store/waiting.ts'
import { estimatedSeconds } from './estimated-seconds.ts'

export interface Outlook {
  /** Estimated seconds until the task ends. `null`: unknown. */
  readonly etaSeconds: number | null
  /** Number of tasks that start before this one. 0 for a running task. `null`: unknown. */
  readonly queuePosition: number | null
}

export const UNKNOWN_OUTLOOK: Outlook = { etaSeconds: null, queuePosition: null }

/** Share of the work from which on the pace of the job alone decides. Before it, the estimate from format and size counts as well. */
const MEASURED_SHARE = 0.1
const MIN_WORK_SECONDS = 0.05

export const isOpen = ({ status }: Task) => status === 'pending' || status === 'processing'

/** @param place place among the waiting tasks. `undefined`: unknown, or the task runs */
export function outlookOf(task: Task, now: number, place?: WaitingPlace): Outlook {
  if (task.status === 'processing' && task.pace) return { etaSeconds: rounded(remainingSeconds(task, task.pace, now)), queuePosition: 0 }
  if (!place) return UNKNOWN_OUTLOOK
  const etaSeconds = place.seconds === null ? null : rounded(place.seconds + estimatedSeconds(task))
  return { etaSeconds, queuePosition: place.position }
}

/**
 * Estimated seconds until the last of several tasks ends: at first from format and size, then from the pace of all of them together, which
 * knows how fast this machine is and how many others use it. `null`: unknown.
 */
export function jointEta(tasks: readonly Task[], now: number, places: Readonly<Record<string, WaitingPlace>>): number | null {
  const open = tasks.filter(isOpen)
  const etas = open.flatMap((task) => outlookOf(task, now, places[task.taskId]).etaSeconds ?? [])
  const estimated = etas.length < open.length ? null : maxOf(etas)
  const pace = tasks.length > 1 ? jointPace(tasks) : undefined
  if (!pace || pace.share <= 0 || open.length === 0) return estimated
  const weight = Math.min(1, pace.share / MEASURED_SHARE)
  if (estimated === null && weight < 1) return null
  const measured = Math.max(paceSeconds(pace, now), longestSeconds(tasks))
  return rounded(measured * weight + (estimated ?? 0) * (1 - weight))
}

/** Pace of several tasks together, by estimated work. `undefined`: none has run yet. */
function jointPace(tasks: readonly Task[]): Pace | undefined {
  // A task that failed before it ran says nothing about the pace.
  const counted = tasks.filter((task) => task.pace !== undefined || isOpen(task))
  const begun = counted.flatMap((task) => (task.pace ? [task as Task & { readonly pace: Pace }] : []))
  if (begun.length === 0) return undefined
  const whole = counted.reduce((sum, task) => sum + workOf(task), 0)
  const done = begun.reduce((sum, task) => sum + workOf(task) * doneShare(task), 0)
  return {
    since: minOf(begun.map(({ pace }) => pace.since)),
    share: done / whole,
    at: maxOf(begun.map(({ pace, completedAt }) => completedAt ?? pace.at)),
  }
}

/** Seconds of the open task that will take longest, at the speed of single tasks so far. 0: no work has been done. */
function longestSeconds(tasks: readonly Task[]): number {
  const begun = tasks.flatMap((task) => (task.pace ? [{ task, pace: task.pace }] : []))
  const seconds = begun.reduce((sum, { task, pace }) => sum + ((task.completedAt ?? pace.at) - pace.since) / 1000, 0)
  const work = begun.reduce((sum, { task, pace }) => sum + workOf(task) * (isOpen(task) ? pace.share : 1), 0)
  const left = tasks.filter(isOpen).map((task) => workOf(task) * (1 - doneShare(task)))
  return work > 0 ? (maxOf(left) * seconds) / work : 0
}

const doneShare = (task: Task) => (isOpen(task) ? task.progress : 1)
/** Estimated work in CPU seconds. Even an empty file has some. */
const workOf = (task: Task) => estimatedSeconds(task) + MIN_WORK_SECONDS

/** Seconds until the end, from the pace of the running attempt so far. */
function remainingSeconds(task: Task, pace: Pace, now: number): number {
  const elapsed = Math.max(0, now - pace.since) / 1000
  const estimated = Math.max(estimatedSeconds(task) - elapsed, estimatedSeconds(task) / 10)
  if (pace.share <= 0) return estimated
  const weight = Math.min(1, pace.share / MEASURED_SHARE)
  return paceSeconds(pace, now) * weight + estimated * (1 - weight)
}

/** Seconds until the end at the pace so far. */
function paceSeconds({ since, share, at }: Pace, now: number): number {
  const elapsed = Math.max(0, now - since) / 1000
  // Reported progress is as old as its report, so the truth is between the pace until the report and the pace until now.
  const fast = Math.max(0, at - since) / 1000 / share - elapsed
  const slow = (elapsed * (1 - share)) / share
  return Math.max(fast, slow / 2)
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
