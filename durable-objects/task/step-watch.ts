import { minOf } from '../../src/core/bytes/min-max.ts'
import { message } from '../../src/core/i18n/message.ts'
import type { Env } from '../../src/service/env.ts'
import { apiMessage } from '../../src/service/i18n/message.ts'
import type { Task, TaskError } from '../../src/service/store/task.ts'
import type { JobMessage } from '../../src/service/store/tasks.ts'
import {
  isLeased,
  type Job,
  lostStep,
  MAX_ATTEMPTS,
  maxAttempts,
  messageFor,
  nextAction,
  overBudgetJob,
  RESEND_DOUBLINGS,
  releasedParts,
  type Step,
  sentStep,
} from '../../src/service/tasks/job.ts'
import { queueFor } from '../../src/service/tasks/queues.ts'
import type { ContainerLane } from './container-lane.ts'
import { hasEnded, RETRY_PAUSE_MS, type TaskState } from './task-state.ts'

/** Number of parallel parts if the account does not respond. */
const DEFAULT_PARALLEL_PARTS = 4
/** Pause after a worker was lost, as a share of the lease time. The pause is randomised (up to 2 ×) and doubles with each loss. */
const LOST_PAUSE_SHARE = 1 / 3
/** Pause in milliseconds before a task sends queue messages after a restart of its object, so that the service can start first. */
const RESTART_PAUSE_MS = 2000
/** Maximum number of messages in one `sendBatch` call (Cloudflare Queues). */
const MAX_BATCH_MESSAGES = 100

/** Error of a task whose attempts all failed. */
export const attemptsFailedError = (task: Task): TaskError => ({
  code: 500,
  type: 'internal',
  message: apiMessage('attempts_broke'),
  requestId: task.requestId,
})

/** Returns `ms` times a random factor of 1 to 2, so that many tasks do not act at the same moment. */
const lengthened = (ms: number) => ms * (1 + Math.random())

interface Dependencies {
  readonly env: Env
  readonly containers: ContainerLane
  readonly leaseMs: number
  /** Ends the task as failed. */
  readonly fail: (error: TaskError) => Promise<void>
}

/** Watchdog of a task's steps: sends or repeats queue messages, detects lost workers, and stops after too many attempts. */
export class StepWatch {
  readonly #state: TaskState
  readonly #dependencies: Dependencies
  readonly #resend: { readonly leaseMs: number; readonly doublings: number }
  /** Time in epoch milliseconds before which no message is sent. Spreads the load after a restart of the service. */
  readonly #sendAfter: number

  constructor(state: TaskState, dependencies: Dependencies) {
    this.#state = state
    this.#dependencies = dependencies
    const { env, leaseMs } = dependencies
    // A service on one machine keeps queues in memory, so a restart loses their messages.
    this.#resend = { leaseMs, doublings: RESEND_DOUBLINGS[env.ENVIRONMENT === 'local' ? 'inMemory' : 'durable'] }
    this.#sendAfter = state.task ? Date.now() + lengthened(RESTART_PAUSE_MS) : 0
  }

  /** Sends due messages, ends steps that were tried too often, and sets the alarm for the next due time. */
  async watch(): Promise<void> {
    const state = this.#state
    if (state.job?.phase === 'parts') await this.#releaseParts()
    else if (this.#needsPlace(Date.now())) await this.#requestPlace()
    if (state.job && state.task && !hasEnded(state.task)) await this.#watchSteps(state.task, state.job, Date.now())
    // Compute the due times only now, after all awaits. No `await` until the alarm is set, so that no change is missed.
    const now = Date.now()
    const next = minOf(this.#dueTimes(now))
    if (Number.isFinite(next)) await state.setAlarmBy(Math.max(next, now))
  }

  /** Marks the worker of a step as lost and schedules the next attempt. */
  markWorkerLost(task: Task, job: Job, part: number | undefined, step: Step, now: number): void {
    const lost = this.#state.putStep(job, part, lostStep(step, now, lengthened(LOST_PAUSE_SHARE * this.#dependencies.leaseMs)))
    console.warn(
      JSON.stringify({ level: 'warn', event: 'worker_lost', task_id: task.taskId, part, attempt: step.attempts, lost: lost.lost }),
    )
    this.#state.save()
  }

  /** Releases parts to the queue a few at a time, so that one film does not block the tasks of other accounts. */
  async #releaseParts(): Promise<void> {
    const { taskId, accountId } = this.#state.task!
    const maxParts = await this.#dependencies.env.ACCOUNTS.getByName(accountId)
      .partsAtOnce(taskId)
      .catch(() => DEFAULT_PARALLEL_PARTS)
    const { job } = this.#state
    if (job?.phase === 'parts') job.released = releasedParts(job, this.#state.openSteps(job).length, maxParts)
  }

  /** True if the task is about to send a message and has no place in the queues yet. */
  #needsPlace(now: number): boolean {
    const { task, job } = this.#state
    if (!task || !job || hasEnded(task) || job.phase !== 'whole' || job.hasPlace || now < this.#sendAfter) return false
    return nextAction(job.step, now, maxAttempts(job)).kind === 'send'
  }

  /** Asks the account for a place in the queues. Without one, the task waits until the account calls `toQueue`, or asks again later. */
  async #requestPlace(): Promise<void> {
    const { taskId, accountId } = this.#state.task!
    const { granted, low } = await this.#dependencies.env.ACCOUNTS.getByName(accountId)
      .queuePlace(taskId)
      .catch(() => ({ granted: true, low: false }))
    const now = Date.now()
    // A worker may have claimed the step meanwhile, or the task may be gone.
    if (!this.#needsPlace(now)) return
    const job = this.#state.job!
    job.hasPlace = granted
    job.low = low
    if (!granted) job.step = sentStep(job.step, now, this.#resend)
    this.#state.save()
  }

  /** Times in epoch milliseconds at which the task must act: expiry, callback, delivery, events, and its steps. */
  #dueTimes(now: number): number[] {
    const { task, job, callback, source, fetching, sendAt, sending, events } = this.#state
    if (!task || !job) return []
    const times = [
      task.expiresAt,
      callback?.nextAt,
      fetching ? undefined : source?.nextAt,
      sending ? undefined : sendAt,
      events.length > 0 ? now + RETRY_PAUSE_MS : undefined,
    ]
    for (const [, step] of hasEnded(task) ? [] : this.#state.openSteps(job)) {
      const action = nextAction(step, now, maxAttempts(job))
      times.push(action.kind === 'wait' ? action.until : action.kind === 'send' ? Math.max(now, this.#sendAfter) : now)
    }
    return times.filter((time) => time !== undefined)
  }

  async #watchSteps(task: Task, job: Job, now: number): Promise<void> {
    const due: [number | undefined, Step][] = []
    for (const [part, step] of this.#state.openSteps(job)) {
      const action = nextAction(step, now, maxAttempts(job))
      if (action.kind === 'give up') return this.#giveUpStep(task, job, action.lost, now)
      if (action.kind === 'lost') this.markWorkerLost(task, job, part, step, now)
      if (action.kind === 'send' && now >= this.#sendAfter) due.push([part, step])
    }
    if (due.length === 0) return
    const returnedJob = this.#dependencies.containers.returnUnclaimed(job, now)
    if (returnedJob) return this.#watchSteps(task, returnedJob, now)
    await this.#sendSteps(task, job, due, now)
  }

  async #sendSteps(task: Task, job: Job, due: readonly [number | undefined, Step][], now: number): Promise<void> {
    const state = this.#state
    // Mark the messages as sent before `sendBatch`: a worker may claim the step before `sendBatch` returns.
    for (const [part, step] of due) state.putStep(job, part, sentStep(step, now, this.#resend))
    state.save()
    const messages = due.map(([part]) => messageFor(task, job, part))
    if (await this.#send(task, messages, job.heavy)) return
    for (const [part] of due) {
      const step = part === undefined ? job.step : state.partStep(job, part)
      if (step && !isLeased(step, now)) state.putStep(job, part, { ...step, sendAt: now + RETRY_PAUSE_MS })
    }
    state.save()
  }

  /**
   * Ends a step that was tried too often. If its workers were lost, the file exceeds the budget and the upload becomes the result. If its
   * attempts failed with an error, the task fails.
   */
  async #giveUpStep(task: Task, job: Job, lost: boolean, now: number): Promise<void> {
    if (!lost || job.overBudget !== undefined) return this.#dependencies.fail(attemptsFailedError(task))
    console.error(JSON.stringify({ level: 'error', event: 'workers_lost', task_id: task.taskId, format: task.format }))
    if (!this.#dependencies.containers.moveToContainer(job.step.attempts)) {
      this.#state.job = overBudgetJob(job, message('job_lost_worker', { times: MAX_ATTEMPTS }), now)
      this.#state.save()
    }
    return this.#watchSteps(task, this.#state.job!, now)
  }

  async #send({ worker, taskId }: Task, messages: readonly JobMessage[], heavy?: boolean): Promise<boolean> {
    try {
      for (const [queue, batch] of Map.groupBy(messages, (message) => queueFor(this.#dependencies.env, worker, message, heavy))) {
        for (let at = 0; at < batch.length; at += MAX_BATCH_MESSAGES)
          await queue.sendBatch(batch.slice(at, at + MAX_BATCH_MESSAGES).map((body) => ({ body })))
      }
      return true
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', event: 'queue_send_failed', task_id: taskId, error: String(error) }))
      return false
    }
  }
}
