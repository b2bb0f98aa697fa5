import { leastOf } from '../../src/core/bytes/min-max.ts'
import { message } from '../../src/core/i18n/message.ts'
import type { Env } from '../../src/service/env.ts'
import { apiMessage } from '../../src/service/i18n/message.ts'
import type { Task, TaskError } from '../../src/service/store/task.ts'
import type { JobMessage } from '../../src/service/store/tasks.ts'
import {
  isHeld,
  type Job,
  lostStep,
  MAX_ATTEMPTS,
  messageFor,
  mostAttempts,
  overBudgetJob,
  RESEND_DOUBLINGS,
  released,
  type Step,
  sentStep,
  watch,
} from '../../src/service/tasks/job.ts'
import { queueFor } from '../../src/service/tasks/queues.ts'
import type { ContainerLane } from './container-lane.ts'
import { hasEnded, SOON_MS, type TaskState } from './task-state.ts'

/** Parts at once while the account does not say how many. */
const FEW_PARTS = 4
/** A step that lost its worker waits this share of a lease, up to twice as long by chance, and twice that the next time. */
const LOST_PAUSE = 1 / 3
/** A task that was found again waits as long as a service that has just been started needs to answer. */
const FOUND_PAUSE_MS = 2000
/** Messages of one call (Cloudflare Queues). */
const MOST_MESSAGES = 100

/** What a task fails with whose attempts broke. */
export const gaveUp = (task: Task): TaskError => ({
  code: 500,
  type: 'internal',
  message: apiMessage('attempts_broke'),
  requestId: task.requestId,
})

/** Once to twice as long, so that many do not come at the same moment. */
const spread = (ms: number) => ms * (1 + Math.random())

interface Beside {
  readonly env: Env
  readonly containers: ContainerLane
  readonly leaseMs: number
  /** Ends the task. */
  readonly fail: (error: TaskError) => Promise<void>
}

/** Looks after the steps of a task: messages that must be sent (again), workers that are gone, what was tried too often. */
export class StepWatch {
  readonly #state: TaskState
  readonly #beside: Beside
  readonly #resend: { readonly leaseMs: number; readonly doublings: number }
  /** No message is sent before: after a start, jobs begin once the service answers, and not all at once. */
  readonly #quietUntil: number

  constructor(state: TaskState, beside: Beside) {
    this.#state = state
    this.#beside = beside
    const { env, leaseMs } = beside
    // A service on one machine has its queues in memory: they are gone with it.
    this.#resend = { leaseMs, doublings: RESEND_DOUBLINGS[env.ENVIRONMENT === 'local' ? 'inMemory' : 'durable'] }
    this.#quietUntil = state.task ? Date.now() + spread(FOUND_PAUSE_MS) : 0
  }

  /** Sends what must be sent, gives up what was tried too often, and sets the alarm for the next moment of interest. */
  async watch(): Promise<void> {
    const state = this.#state
    if (state.job?.phase === 'parts') await this.#releaseParts()
    if (state.job && state.task && !hasEnded(state.task)) await this.#watchSteps(state.task, state.job, Date.now())
    // Whatever happened while that was awaited is in these moments, and nothing is awaited between them and the alarm.
    const now = Date.now()
    const next = leastOf(this.#moments(now))
    if (Number.isFinite(next)) await state.ringAt(Math.max(next, now))
  }

  /** Its worker is gone, with or because of it. */
  writeOff(task: Task, job: Job, part: number | undefined, step: Step, now: number): void {
    const lost = this.#state.putStep(job, part, lostStep(step, now, spread(LOST_PAUSE * this.#beside.leaseMs)))
    console.warn(
      JSON.stringify({ level: 'warn', event: 'worker_lost', task_id: task.taskId, part, attempt: step.attempts, lost: lost.lost }),
    )
    this.#state.save()
  }

  /** Not all parts of a film stand in the queue at once: others want to be served, too. */
  async #releaseParts(): Promise<void> {
    const { taskId, accountId } = this.#state.task!
    const most = await this.#beside.env.ACCOUNTS.getByName(accountId)
      .partsAtOnce(taskId)
      .catch(() => FEW_PARTS)
    const { job } = this.#state
    if (job?.phase === 'parts') job.released = released(job, this.#state.openSteps(job).length, most)
  }

  /** When something is to be done, as things stand. */
  #moments(now: number): number[] {
    const { task, job, callback, events } = this.#state
    if (!task || !job) return []
    const moments = [task.expiresAt, callback?.nextAt, events.length > 0 ? now + SOON_MS : undefined]
    for (const [, step] of hasEnded(task) ? [] : this.#state.openSteps(job)) {
      const action = watch(step, now, mostAttempts(job))
      moments.push(action.kind === 'wait' ? action.until : action.kind === 'send' ? Math.max(now, this.#quietUntil) : now)
    }
    return moments.filter((moment) => moment !== undefined)
  }

  async #watchSteps(task: Task, job: Job, now: number): Promise<void> {
    const due: [number | undefined, Step][] = []
    for (const [part, step] of this.#state.openSteps(job)) {
      const action = watch(step, now, mostAttempts(job))
      if (action.kind === 'give up') return this.#giveUpStep(task, job, action.lost, now)
      if (action.kind === 'lost') this.writeOff(task, job, part, step, now)
      if (action.kind === 'send' && now >= this.#quietUntil) due.push([part, step])
    }
    if (due.length === 0) return
    const back = this.#beside.containers.giveBack(job, now)
    if (back) return this.#watchSteps(task, back, now)
    await this.#sendSteps(task, job, due, now)
  }

  async #sendSteps(task: Task, job: Job, due: readonly [number | undefined, Step][], now: number): Promise<void> {
    const state = this.#state
    // Marked as sent before it is sent: a worker may have claimed the step before `sendBatch` returns.
    for (const [part, step] of due) state.putStep(job, part, sentStep(step, now, this.#resend))
    state.save()
    const messages = due.map(([part]) => messageFor(task, job, part))
    if (await this.#send(task, messages, job.heavy)) return
    for (const [part] of due) {
      const step = part === undefined ? job.step : state.partStep(job, part)
      if (step && !isHeld(step, now)) state.putStep(job, part, { ...step, sendAt: now + SOON_MS })
    }
    state.save()
  }

  /** A file that took all of its workers along needs more than a job has: the upload stands. What broke each time is our bug. */
  async #giveUpStep(task: Task, job: Job, lost: boolean, now: number): Promise<void> {
    if (!lost || job.overBudget !== undefined) return this.#beside.fail(gaveUp(task))
    console.error(JSON.stringify({ level: 'error', event: 'workers_lost', task_id: task.taskId, format: task.format }))
    if (!this.#beside.containers.take(job.step.attempts)) {
      this.#state.job = overBudgetJob(job, message('job_lost_worker', { times: MAX_ATTEMPTS }), now)
      this.#state.save()
    }
    return this.#watchSteps(task, this.#state.job!, now)
  }

  async #send({ worker, taskId }: Task, messages: readonly JobMessage[], heavy?: boolean): Promise<boolean> {
    try {
      for (const [queue, own] of Map.groupBy(messages, (message) => queueFor(this.#beside.env, worker, message, heavy))) {
        for (let at = 0; at < own.length; at += MOST_MESSAGES)
          await queue.sendBatch(own.slice(at, at + MOST_MESSAGES).map((body) => ({ body })))
      }
      return true
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', event: 'queue_send_failed', task_id: taskId, error: String(error) }))
      return false
    }
  }
}
