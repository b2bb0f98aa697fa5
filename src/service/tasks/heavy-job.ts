/** The part of a job's life that containers have: what an isolate was too small for begins anew there. Pure, as `job.ts`. */
import { message } from '../../core/i18n/message.ts'
import { FIRST_HEAVY, firstStep, type Job, newStep, overBudgetJob } from './job.ts'

export const isHeavyAttempt = (attempt: number) => attempt > FIRST_HEAVY

/** The job after its file was found to need more than an isolate: it begins anew, in a container. */
export function heavyJob({ overBudget: _, released: __, ...job }: Job, now: number): Job {
  return {
    ...job,
    generation: job.generation + 1,
    phase: 'whole',
    step: firstStep({ heavy: true }, now),
    parts: 0,
    partsDone: 0,
    heavy: true,
  }
}

/** Messages for a container that nobody came for, hours of them. */
const MOST_HEAVY_MESSAGES = 8

/** Is there no container for it, though there should be? */
export const isForsaken = ({ heavy, phase, step }: Job) =>
  heavy === true && phase === 'whole' && step.attempts === FIRST_HEAVY && step.sent >= MOST_HEAVY_MESSAGES

/** The job that no container came for: the upload is the result, and an isolate says so. */
export function forsakenJob({ heavy: _, ...job }: Job, now: number): Job {
  return overBudgetJob({ ...job, step: newStep(now) }, message('no_container_came'), now)
}
