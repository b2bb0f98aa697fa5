/** Job transitions for containers, which restart jobs that exceed an isolate's budget. Pure functions, as in `job.ts`. */
import { message } from '../../core/i18n/message.ts'
import { FIRST_CONTAINER_ATTEMPT, firstStep, type Job, newStep, overBudgetJob } from './job.ts'

export const isContainerAttempt = (attempt: number) => attempt > FIRST_CONTAINER_ATTEMPT

/** Restarts a job in a container, after its file exceeded an isolate's budget. */
export function restartInContainer({ overBudget: _, released: __, ...job }: Job, now: number): Job {
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

/** Number of unclaimed messages to containers, sent over hours, after which the job returns to an isolate. */
const MAX_CONTAINER_MESSAGES = 8

/** True if the job waits for a container and none has claimed it. */
export const isUnclaimedByContainers = ({ heavy, phase, step }: Job) =>
  heavy === true && phase === 'whole' && step.attempts === FIRST_CONTAINER_ATTEMPT && step.sent >= MAX_CONTAINER_MESSAGES

/** Returns a job to an isolate after no container claimed it. The isolate completes the task with the unchanged upload. */
export function returnToIsolate({ heavy: _, ...job }: Job, now: number): Job {
  return overBudgetJob({ ...job, step: newStep(now) }, message('no_container_came'), now)
}
