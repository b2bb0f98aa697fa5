/**
 * The part of a task that only its Durable Object knows: leases, attempts, parts, the outbox. Pure state transitions,
 * so that they can be tested without a Worker; `durable-objects/task-record.ts` stores what they return.
 */
import type { StoredMessage } from '../../core/i18n/message.ts'
import { jittered } from '../store/retry.ts'
import type { Task } from '../store/task.ts'
import type { JobMessage, Whose } from '../store/tasks.ts'
import type { Delivery } from './notify.ts'

/** A step that lost its worker, or broke, is tried this often. */
export const MAX_ATTEMPTS = 3
/** Attempts that the platform broke do not count, so many of them. With the pauses between them they take an hour. */
export const MAX_TROUBLES = 20
const FIRST_TROUBLE_MS = 2000
const LONGEST_TROUBLE_MS = 300_000

export interface Lease {
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly until: number
  /** Who claimed it. Absent in records of before 2026-12. */
  readonly worker?: string
}

/** A step that is claimed by one worker at a time. */
export interface Step {
  /** Claims so far. */
  attempts: number
  lease?: Lease
  /** When a message for it goes out (again) unless somebody holds the lease. */
  sendAt: number
  /** How often it was sent: later repeats wait longer, because a long queue is not a lost message. */
  sent: number
  /** Attempts that the platform broke. */
  troubles?: number
  /** Workers that fell silent with it. */
  lost?: number
  /** The attempt of the last of them: it may only have been slow. */
  silent?: number
  /** Nobody may have it before: what took its worker along comes late, after those that were only beside it. */
  heldUntil?: number
}

export interface Callback {
  readonly url: string
  readonly messageId: string
  /** Fixed at the task's end: every retry sends the same bytes. */
  readonly body: string
  nextAt?: number
  deliveries: Delivery[]
}

export interface Job {
  /** Messages of other generations are ignored. */
  generation: number
  phase: 'whole' | 'parts' | 'join' | 'ended'
  step: Step
  /** Number of parts, while there are any. */
  parts: number
  partsDone: number
  /** Parts from this number on wait for others to be done. Absent: none does, as before 2026-12. */
  released?: number
  /** Why the file needs more than a job has. The upload is the result then; a worker puts it under its password, if there is one. */
  overBudget?: StoredMessage
  /** Isolates were too small for it: containers have it, as long as there are any. */
  heavy?: boolean
}

export const newStep = (sendAt: number): Step => ({ attempts: 0, sendAt, sent: 0 })

/** Does a worker hold it right now? */
export const isHeld = (step: Step, now: number) => step.lease !== undefined && step.lease.until > now

/** Attempts of containers have numbers from here on, so that what an isolate says late is known for what it is. */
export const FIRST_HEAVY = 1000

/** A step that nobody has had. */
export const firstStep = (job: Pick<Job, 'heavy'>, sendAt: number): Step => ({ ...newStep(sendAt), attempts: job.heavy ? FIRST_HEAVY : 0 })

/** Claims that a step of this job may have. A job that was given up has some more, to complete its task with the upload. */
export const mostAttempts = (job: Job) => (job.overBudget === undefined ? MAX_ATTEMPTS : 2 * MAX_ATTEMPTS) + (job.heavy ? FIRST_HEAVY : 0)

/** Attempts that were made, by whomever. */
export const attemptsOf = ({ heavy, step }: Job) => (heavy ? step.attempts - FIRST_HEAVY : step.attempts)

/** Was it tried too often? */
const isSpent = ({ attempts, troubles = 0 }: Step, most: number) => attempts - troubles >= most || troubles >= MAX_TROUBLES

export interface Claiming {
  readonly leaseMs: number
  readonly most?: number
  /** A worker whose claim arrived, but not the answer to it, asks again. */
  readonly worker?: string | undefined
}

/** Takes the lease. undefined: somebody has it (or had, and `watch` does not know yet), it must wait, or it was tried too often. */
export function claimStep(step: Step, now: number, { leaseMs, most = MAX_ATTEMPTS, worker }: Claiming): Step | undefined {
  const own = worker === undefined ? {} : { worker }
  const until = now + leaseMs
  if (step.lease && worker !== undefined && step.lease.worker === worker) return { ...step, lease: { ...step.lease, until } }
  if (step.lease || (step.heldUntil ?? 0) > now || isSpent(step, most)) return undefined
  const attempt = step.attempts + 1
  return { ...step, attempts: attempt, lease: { attempt, until, ...own } }
}

/** Keeps the lease; undefined when another attempt has it. Who was written off too soon has it again, if nobody else came. */
export function beatStep(step: Step, attempt: number, now: number, leaseMs: number): Step | undefined {
  const lease = { ...step.lease, attempt, until: now + leaseMs }
  if (step.lease) return step.lease.attempt === attempt ? { ...step, lease } : undefined
  if (step.silent !== attempt) return undefined
  const { silent: _, heldUntil: __, ...rest } = step
  return { ...rest, lost: (step.lost ?? 1) - 1, lease }
}

/** The attempt broke: try again a little later, later each time. */
export function releaseStep(step: Step, attempt: number, now: number, whose: Whose = 'codec'): Step {
  if (step.lease?.attempt !== attempt) return step
  const { lease: _, ...rest } = step
  if (whose === 'codec') return { ...rest, sendAt: now + 1000 * 2 ** (step.attempts - (step.troubles ?? 0)) }
  const troubles = (step.troubles ?? 0) + 1
  const pauseMs = Math.min(LONGEST_TROUBLE_MS, FIRST_TROUBLE_MS * 2 ** (troubles - 1))
  return { ...rest, troubles, sendAt: now + jittered(pauseMs) }
}

/** Its worker fell silent. `pauseMs` is how long it waits the first time; twice as long the second. */
export function lostStep(step: Step, now: number, pauseMs: number): Step {
  const { lease, ...rest } = step
  const lost = (step.lost ?? 0) + 1
  return { ...rest, ...(lease ? { silent: lease.attempt } : {}), lost, heldUntil: now + pauseMs * 2 ** (lost - 1), sendAt: now }
}

/** The job after its file was found to need too much: a worker only completes the task. Attempts go on, results are named by them. */
export function overBudgetJob(job: Job, why: StoredMessage, now: number): Job {
  const { attempts, troubles = 0 } = job.step
  const step = { ...newStep(now), attempts: Math.max(attempts, troubles + MAX_ATTEMPTS), troubles }
  return { ...job, generation: job.generation + 1, phase: 'whole', step, overBudget: why }
}

/** Parts of this job whose turn has come are those before this number: so many more that `most` of them are open. */
export function released({ parts, released = parts }: Job, open: number, most: number): number {
  return Math.min(parts, released + Math.max(0, most - open))
}

type Action = { kind: 'wait'; until: number } | { kind: 'send' } | { kind: 'lost' } | { kind: 'give up'; lost: boolean }

/** What is to be done about a step at `now`: nothing until some moment, send a message, write off its worker, or give up. */
export function watch(step: Step, now: number, most = MAX_ATTEMPTS): Action {
  if (isHeld(step, now)) return { kind: 'wait', until: step.lease!.until }
  if (isSpent(step, most)) return { kind: 'give up', lost: step.lease !== undefined }
  if (step.lease) return { kind: 'lost' }
  const soonest = Math.max(step.sendAt, step.heldUntil ?? 0)
  return soonest > now ? { kind: 'wait', until: soonest } : { kind: 'send' }
}

/** How often the wait for a message that may be lost is doubled, as long as queues are. */
export const RESEND_DOUBLINGS = { durable: 5, inMemory: 1 }

/** The step after its message went out. @param doublings  of `leaseMs`, at most */
export function sentStep(step: Step, now: number, { leaseMs, doublings }: { leaseMs: number; doublings: number }): Step {
  const { lease: _, ...rest } = step
  return { ...rest, sent: step.sent + 1, sendAt: now + leaseMs * 2 ** Math.min(step.sent, doublings) }
}

export function messageFor({ taskId, originalSize }: Task, job: Job, part?: number): JobMessage {
  const step = job.phase === 'parts' ? 'part' : job.phase === 'join' ? 'join' : 'whole'
  return { taskId, generation: job.generation, step, ...(part === undefined ? {} : { part }), bytes: originalSize }
}
