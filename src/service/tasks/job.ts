/**
 * Internal state of a task: leases, attempts, parts, callback. Pure state transitions, testable without a Worker.
 * `durable-objects/task-record.ts` stores the states that these functions return.
 */
import type { StoredMessage } from '../../core/i18n/message.ts'
import type { CpuTime } from '../store/accounts.ts'
import { jittered } from '../store/retry.ts'
import type { Task } from '../store/task.ts'
import type { FailureCause, JobMessage } from '../store/tasks.ts'
import { estimatedSeconds } from './estimated-seconds.ts'
import type { Delivery } from './notify.ts'

/** Maximum number of attempts of a step that loses its worker or fails. */
export const MAX_ATTEMPTS = 3
/**
 * Maximum number of attempts that fail because of the platform. They do not count as attempts. With their pauses they take about an hour.
 */
export const MAX_PLATFORM_FAILURES = 20
const FIRST_PLATFORM_PAUSE_MS = 2000
const MAX_PLATFORM_PAUSE_MS = 300_000

export interface Lease {
  readonly attempt: number
  /** End of the lease in epoch milliseconds. */
  readonly until: number
  /** Id of the worker that claimed the step. Absent in records written before 2026-12. */
  readonly worker?: string
}

/** Step of a job, claimed by one worker at a time. */
export interface Step {
  /** Number of claims of the step so far. */
  attempts: number
  lease?: Lease
  /** Time in epoch milliseconds at which the next queue message is sent, unless a worker holds the lease. */
  sendAt: number
  /** Number of messages sent. Later repeats wait longer, because an unanswered message may just be in a long queue. */
  sent: number
  /** Number of attempts of the step that failed because of the platform. */
  troubles?: number
  /** Number of workers that stopped responding during this step. */
  lost?: number
  /** Attempt number of the last lost worker. The worker may have been only slow; then it may renew its lease. */
  silent?: number
  /**
   * Time in epoch milliseconds before which no worker may claim the step. A step that may have crashed its worker restarts after the steps
   * that ran beside it.
   */
  heldUntil?: number
}

export interface Callback {
  readonly url: string
  readonly messageId: string
  /** Body of the callback, fixed at the end of the task: every retry sends the same bytes. */
  readonly body: string
  nextAt?: number
  deliveries: Delivery[]
}

export interface Job {
  /** Number of the job's current plan. Queue messages of other generations are ignored. */
  generation: number
  /** Phase `fetch`: the task fetches its file itself; no worker may claim a step. */
  phase: 'fetch' | 'whole' | 'parts' | 'join' | 'ended'
  step: Step
  /** Number of parts of the job. 0: the job is not split. */
  parts: number
  partsDone: number
  /** Number of parts that are released to the queue; later parts wait. `undefined`: all are released, as in records before 2026-12. */
  released?: number
  /** Why the file exceeds the job's budget. The unchanged upload is the result then, encrypted if there is a password. */
  overBudget?: StoredMessage
  /** True if the job exceeded an isolate's budget and runs in containers. */
  heavy?: boolean
  /** CPU time of all attempts so far in milliseconds, as measured. `undefined`: not measured, as in isolates. */
  cpuMs?: number
  /** True if the account has given the task a place in the queues. `undefined`: not asked yet. */
  hasPlace?: boolean
  /** True if the account was above its CPU quota when it was asked for a place. */
  low?: boolean
}

/** CPU time of a job, measured or estimated. */
export const cpuTimeOf = (task: Pick<Task, 'format' | 'originalSize' | 'effort'>, job: Job): CpuTime => {
  if (job.cpuMs !== undefined) return { ms: job.cpuMs, estimated: false }
  const hasRun = job.step.attempts > 0 || job.parts > 0
  const seconds = hasRun ? estimatedSeconds(task) : 0
  return { ms: Math.round(seconds * 1000), estimated: true }
}

export const newStep = (sendAt: number): Step => ({ attempts: 0, sendAt, sent: 0 })

/** True if a worker holds the lease of the step at time `now`. */
export const isLeased = (step: Step, now: number) => step.lease !== undefined && step.lease.until > now

/** Attempt numbers of containers start above this value, so that late reports of isolates can be recognised. */
export const FIRST_CONTAINER_ATTEMPT = 1000

/** Returns a step that no worker has claimed yet. */
export const firstStep = (job: Pick<Job, 'heavy'>, sendAt: number): Step => ({
  ...newStep(sendAt),
  attempts: job.heavy ? FIRST_CONTAINER_ATTEMPT : 0,
})

/** Maximum number of claims for a step of this job. A job over budget gets additional ones, to complete its task with the upload. */
export const maxAttempts = (job: Job) =>
  (job.overBudget === undefined ? MAX_ATTEMPTS : 2 * MAX_ATTEMPTS) + (job.heavy ? FIRST_CONTAINER_ATTEMPT : 0)

/** Returns the number of attempts made in the current environment, isolate or container. */
export const attemptsOf = ({ heavy, step }: Job) => (heavy ? step.attempts - FIRST_CONTAINER_ATTEMPT : step.attempts)

/** True if the step has no attempts left. */
const isExhausted = ({ attempts, troubles = 0 }: Step, most: number) => attempts - troubles >= most || troubles >= MAX_PLATFORM_FAILURES

export interface ClaimOptions {
  readonly leaseMs: number
  readonly maxAttempts?: number
  /** Id of the claiming worker. A worker whose claim's response was lost may repeat the claim. */
  readonly worker?: string | undefined
}

/** Takes the lease of a step. `undefined`: another worker has it, the step must wait, or it has no attempts left. */
export function claimStep(step: Step, now: number, { leaseMs, maxAttempts: most = MAX_ATTEMPTS, worker }: ClaimOptions): Step | undefined {
  const own = worker === undefined ? {} : { worker }
  const until = now + leaseMs
  if (step.lease && worker !== undefined && step.lease.worker === worker) return { ...step, lease: { ...step.lease, until } }
  if (step.lease || (step.heldUntil ?? 0) > now || isExhausted(step, most)) return undefined
  const attempt = step.attempts + 1
  return { ...step, attempts: attempt, lease: { attempt, until, ...own } }
}

/**
 * Renews the lease of a step. `undefined`: another attempt has it. A worker that counted as lost gets the lease back if no other worker
 * claimed the step.
 */
export function renewLease(step: Step, attempt: number, now: number, leaseMs: number): Step | undefined {
  const lease = { ...step.lease, attempt, until: now + leaseMs }
  if (step.lease) return step.lease.attempt === attempt ? { ...step, lease } : undefined
  if (step.silent !== attempt) return undefined
  const { silent: _, heldUntil: __, ...rest } = step
  return { ...rest, lost: (step.lost ?? 1) - 1, lease }
}

/** Ends a failed attempt. The next one starts after a pause that doubles each time. */
export function releaseStep(step: Step, attempt: number, now: number, cause: FailureCause = 'codec'): Step {
  if (step.lease?.attempt !== attempt) return step
  const { lease: _, ...rest } = step
  if (cause === 'codec') return { ...rest, sendAt: now + 1000 * 2 ** (step.attempts - (step.troubles ?? 0)) }
  const troubles = (step.troubles ?? 0) + 1
  const pauseMs = Math.min(MAX_PLATFORM_PAUSE_MS, FIRST_PLATFORM_PAUSE_MS * 2 ** (troubles - 1))
  return { ...rest, troubles, sendAt: now + jittered(pauseMs) }
}

/**
 * Ends an attempt whose worker stopped responding.
 * @param pauseMs pause before the next attempt in milliseconds; doubles with each loss
 */
export function lostStep(step: Step, now: number, pauseMs: number): Step {
  const { lease, ...rest } = step
  const lost = (step.lost ?? 0) + 1
  return { ...rest, ...(lease ? { silent: lease.attempt } : {}), lost, heldUntil: now + pauseMs * 2 ** (lost - 1), sendAt: now }
}

/**
 * Marks a job as over budget: the next worker completes the task with the upload.
 * Attempt numbers continue, because result keys contain them.
 */
export function overBudgetJob(job: Job, why: StoredMessage, now: number): Job {
  const { attempts, troubles = 0 } = job.step
  const step = { ...newStep(now), attempts: Math.max(attempts, troubles + MAX_ATTEMPTS), troubles }
  return { ...job, generation: job.generation + 1, phase: 'whole', step, overBudget: why }
}

/** Returns how many parts are released to the queue, if at most `most` unfinished parts may be released at a time. */
export function releasedParts({ parts, released = parts }: Job, open: number, most: number): number {
  return Math.min(parts, released + Math.max(0, most - open))
}

type Action = { kind: 'wait'; until: number } | { kind: 'send' } | { kind: 'lost' } | { kind: 'give up'; lost: boolean }

/** Returns the next action for a step at time `now`: wait, send a queue message, mark its worker as lost, or give up. */
export function nextAction(step: Step, now: number, most = MAX_ATTEMPTS): Action {
  if (isLeased(step, now)) return { kind: 'wait', until: step.lease!.until }
  if (isExhausted(step, most)) return { kind: 'give up', lost: step.lease !== undefined }
  if (step.lease) return { kind: 'lost' }
  const soonest = Math.max(step.sendAt, step.heldUntil ?? 0)
  return soonest > now ? { kind: 'wait', until: soonest } : { kind: 'send' }
}

/** Maximum number of times the pause between repeated messages doubles. Large for durable queues, which may be long. */
export const RESEND_DOUBLINGS = { durable: 5, inMemory: 1 }

/**
 * Returns the step after its message was sent.
 * @param doublings maximum number of times that `leaseMs` is doubled
 */
export function sentStep(step: Step, now: number, { leaseMs, doublings }: { leaseMs: number; doublings: number }): Step {
  const { lease: _, ...rest } = step
  return { ...rest, sent: step.sent + 1, sendAt: now + leaseMs * 2 ** Math.min(step.sent, doublings) }
}

export function messageFor({ taskId, originalSize }: Task, job: Job, part?: number): JobMessage {
  const step = job.phase === 'parts' ? 'part' : job.phase === 'join' ? 'join' : 'whole'
  const low = job.low ? { low: true } : {}
  return { taskId, generation: job.generation, step, ...(part === undefined ? {} : { part }), bytes: originalSize, ...low }
}
