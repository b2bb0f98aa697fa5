/**
 * The part of a task that only its Durable Object knows: leases, attempts, parts, the outbox. Pure state transitions,
 * so that they can be tested without a Worker; `durable-objects/task-record.ts` stores what they return.
 */
import type { JobMessage } from '../store/tasks.ts'
import type { Delivery } from './notify.ts'

/** A step that lost its worker, or broke, is tried this often. */
export const MAX_ATTEMPTS = 3

export interface Lease {
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly until: number
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
}

export const newStep = (sendAt: number): Step => ({ attempts: 0, sendAt, sent: 0 })

/** Does a worker hold it right now? */
export const isHeld = (step: Step, now: number) => step.lease !== undefined && step.lease.until > now

/** Takes the lease. undefined: somebody has it, or it was tried too often. */
export function claimStep(step: Step, now: number, leaseMs: number): Step | undefined {
  if (isHeld(step, now) || step.attempts >= MAX_ATTEMPTS) return undefined
  const attempt = step.attempts + 1
  return { ...step, attempts: attempt, lease: { attempt, until: now + leaseMs } }
}

/** Keeps the lease; undefined when another attempt has it. */
export function beatStep(step: Step, attempt: number, now: number, leaseMs: number): Step | undefined {
  return step.lease?.attempt === attempt ? { ...step, lease: { attempt, until: now + leaseMs } } : undefined
}

/** The attempt broke: try again a little later, later each time. */
export function releaseStep(step: Step, attempt: number, now: number): Step {
  if (step.lease && step.lease.attempt !== attempt) return step
  const { lease: _, ...rest } = step
  return { ...rest, sendAt: now + 1000 * 2 ** step.attempts }
}

/** What is to be done about a step at `now`: nothing until some moment, send a message, or give up. */
export function watch(step: Step, now: number): { kind: 'wait'; until: number } | { kind: 'send' } | { kind: 'give up' } {
  if (isHeld(step, now)) return { kind: 'wait', until: step.lease!.until }
  if (step.attempts >= MAX_ATTEMPTS) return { kind: 'give up' }
  return step.sendAt > now && !step.lease ? { kind: 'wait', until: step.sendAt } : { kind: 'send' }
}

/** The step after its message went out. */
export function sentStep(step: Step, now: number, leaseMs: number): Step {
  const { lease: _, ...rest } = step
  return { ...rest, sent: step.sent + 1, sendAt: now + leaseMs * 2 ** Math.min(step.sent, 5) }
}

export function messageFor(taskId: string, job: Job, part?: number): JobMessage {
  const step = job.phase === 'parts' ? 'part' : job.phase === 'join' ? 'join' : 'whole'
  return { taskId, generation: job.generation, step, ...(part === undefined ? {} : { part }) }
}
