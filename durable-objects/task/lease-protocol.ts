import { englishText, revivedMessage, type StoredMessage } from '../../src/core/i18n/message.ts'
import type { PartPlan, PartReceipt } from '../../src/core/model/segmented.ts'
import { uploadKeyOf } from '../../src/service/store/blob-names.ts'
import type { StoredOutcome } from '../../src/service/store/outcome.ts'
import { pacedBy, revivedResult, type StoredResult, type Task, type TaskError } from '../../src/service/store/task.ts'
import {
  type Claim,
  type ClaimingWorker,
  CODED_MESSAGES,
  commonProtocol,
  type FailureCause,
  type JobMessage,
  OLDEST_PROTOCOL,
  SUPPORTED_PROTOCOLS,
} from '../../src/service/store/tasks.ts'
import { claimStep, firstStep, maxAttempts, newStep, overBudgetJob, releaseStep, renewLease } from '../../src/service/tasks/job.ts'
import { traceField } from '../../src/service/trace-context.ts'
import type { ContainerLane } from './container-lane.ts'
import type { SealedText } from './sealed-text.ts'
import { attemptsFailedError, type StepWatch } from './step-watch.ts'
import { hasEnded, type TaskEnd, type TaskState } from './task-state.ts'

interface Dependencies {
  readonly watch: StepWatch
  readonly containers: ContainerLane
  readonly password: SealedText
  readonly leaseMs: number
  readonly end: (change: TaskEnd) => Promise<void>
}

/** Lease protocol between a task and its workers: claim a step, renew the lease, report the result. */
export class LeaseProtocol {
  readonly #state: TaskState
  readonly #dependencies: Dependencies

  constructor(state: TaskState, dependencies: Dependencies) {
    this.#state = state
    this.#dependencies = dependencies
  }

  async claim(generation: number | null, step: JobMessage['step'], part?: number, worker?: ClaimingWorker): Promise<Claim> {
    const state = this.#state
    const { live: task, job, parts } = state
    const protocol = commonProtocol(worker ?? { protocol: OLDEST_PROTOCOL })
    if (protocol === undefined) return { kind: 'incompatible', spoken: SUPPORTED_PROTOCOLS }
    if (!task || !job || hasEnded(task) || (generation !== null && generation !== job.generation)) return { kind: 'forget' }
    if (step !== (job.phase === 'parts' ? 'part' : job.phase) || this.#dependencies.containers.refusesWorker(job, worker))
      return { kind: 'forget' }
    const known = step === 'part' ? parts.step(part ?? -1) : job.step
    const { leaseMs } = this.#dependencies
    const claimed = known && claimStep(known, Date.now(), { leaseMs, maxAttempts: maxAttempts(job), worker: worker?.id })
    if (!claimed?.lease) return { kind: 'forget' }
    state.putStep(job, part, claimed)
    if (part !== undefined) job.released = Math.max(part + 1, job.released ?? job.parts)
    const now = Date.now()
    const pace = step === 'whole' || !task.pace ? { since: now, share: 0, at: now } : task.pace
    const processing = { ...task, status: 'processing' as const, pace }
    state.task = processing
    state.save()
    await this.#dependencies.watch.watch()
    const password = await this.#dependencies.password.open(task.taskId)
    return {
      kind: 'claimed',
      protocol,
      attempt: claimed.lease.attempt,
      generation: job.generation,
      task: processing,
      uploadKey: uploadKeyOf(task),
      ...(password === undefined ? {} : { password }),
      parts: step === 'part' ? parts.records(part) : step === 'join' ? parts.records() : [],
      soFar: step === 'part' ? parts.replacedSums() : { bytes: 0, replaces: 0 },
      alone: (claimed.lost ?? 0) > 0,
      ...(job.overBudget === undefined
        ? {}
        : { overBudget: protocol < CODED_MESSAGES ? englishText(revivedMessage(job.overBudget)) : job.overBudget }),
    }
  }

  beat(attempt: number, progress: number, part?: number, cpuMs?: number): 'go on' | 'stop' {
    const state = this.#state
    const { live: task, job, parts } = state
    if (!task || !job || hasEnded(task)) return 'stop'
    // CPU time of an attempt that lost its lease was used, too.
    if (cpuMs !== undefined) job.cpuMs = (job.cpuMs ?? 0) + cpuMs
    const known = part === undefined ? job.step : state.partStep(job, part)
    const renewed = known && renewLease(known, attempt, Date.now(), this.#dependencies.leaseMs)
    if (!renewed) return 'stop'
    if (part === undefined) job.step = renewed
    else parts.putStep(part, renewed, progress)
    const share = part === undefined ? progress : parts.progress()
    state.task = withProgress(task, share)
    state.save()
    return 'go on'
  }

  async split(attempt: number, plans: readonly PartPlan[]): Promise<void> {
    const { live: task, job, parts } = this.#state
    if (!task || !job || job.phase !== 'whole' || job.step.lease?.attempt !== attempt) return
    job.generation++
    job.phase = 'parts'
    job.step = newStep(Number.POSITIVE_INFINITY)
    job.parts = plans.length
    job.released = 0
    parts.fill(plans, firstStep(job, Date.now()))
    await this.#changed()
  }

  async completePart(attempt: number, part: number, receipt: PartReceipt, key: string, size: number): Promise<boolean> {
    const { live: task, job, parts } = this.#state
    if (!task || !job || hasEnded(task) || job.phase !== 'parts' || attempt < 1) return false
    if (this.#dependencies.containers.refusesPart(job, attempt)) return false
    if (!parts.finish(part, receipt, key, size)) return false
    job.partsDone = parts.done()
    this.#state.task = withProgress(task, parts.progress())
    if (job.partsDone === job.parts) {
      job.phase = 'join'
      job.step = firstStep(job, Date.now())
    }
    await this.#changed()
    return true
  }

  /**
   * Completes the task. Accepts results in the stored format of the previous release, too, because its workers may still run during a
   * rollout.
   */
  async complete(attempt: number, result: StoredResult): Promise<boolean> {
    const task = this.#state.live
    // Results of attempts whose lease has expired are accepted, too, because every result was verified.
    if (!task || hasEnded(task) || attempt < 1) return false
    const { outcome } = result
    if (isOverMachineBudget(outcome) && this.#dependencies.containers.moveToContainer(attempt)) {
      await this.#dependencies.watch.watch()
      return false
    }
    await this.#dependencies.end({ status: 'completed', progress: 1, result: revivedResult(result) })
    return true
  }

  async fail(attempt: number, error: TaskError): Promise<void> {
    const task = this.#state.live
    if (!task || hasEnded(task) || attempt < 1) return
    await this.#dependencies.end({ status: 'failed', error })
  }

  async giveUp(attempt: number, why: StoredMessage): Promise<void> {
    const { live: task, job } = this.#state
    if (!task || !job || hasEnded(task) || attempt < 1) return
    if (job.overBudget !== undefined) return this.#dependencies.end({ status: 'failed', error: attemptsFailedError(task) })
    if (this.#dependencies.containers.moveToContainer(attempt)) return this.#dependencies.watch.watch()
    this.#state.job = overBudgetJob(job, why, Date.now())
    await this.#changed()
  }

  async toQueue(worker?: string): Promise<void> {
    const { live: task, job } = this.#state
    if (!task || !job || hasEnded(task)) return
    const now = Date.now()
    if (job.phase === 'fetch') return this.#fetchNow(now)
    if (job.phase !== 'whole') return
    const { lease } = job.step
    if (lease && worker !== undefined && lease.worker === worker)
      this.#dependencies.watch.markWorkerLost(task, job, undefined, job.step, now)
    else if (!lease) job.step = { ...job.step, sendAt: now }
    await this.#changed()
  }

  /** The account has a free place in the queues: a task that waits to fetch its file begins. */
  async #fetchNow(now: number): Promise<void> {
    const { source } = this.#state
    if (source) this.#state.source = { ...source, nextAt: Math.min(source.nextAt, now) }
    await this.#changed()
  }

  async release(attempt: number, why: string, part?: number, whose: FailureCause = 'codec'): Promise<void> {
    const state = this.#state
    const { live: task, job } = state
    if (!task || !job || hasEnded(task)) return
    console.warn(
      JSON.stringify({
        level: 'warn',
        event: 'attempt_failed',
        task_id: task.taskId,
        ...traceField(task.traceparent),
        attempt,
        part,
        whose,
        why,
      }),
    )
    const step = part === undefined ? job.step : state.partStep(job, part)
    if (step) state.putStep(job, part, releaseStep(step, attempt, Date.now(), whose))
    await this.#changed()
  }

  async #changed(): Promise<void> {
    this.#state.save()
    await this.#dependencies.watch.watch()
  }
}

/** Returns the task with the share of its work, 0–1, that is done now. Its progress never goes back. */
function withProgress(task: Task, share: number): Task {
  const pace = pacedBy(task.pace, share, Date.now())
  return { ...task, progress: Math.max(task.progress, Math.min(0.99, share)), ...(pace ? { pace } : {}) }
}

/** True if the job exceeded the budget of its machine. A container has more; the limit of the plan is the same everywhere. */
function isOverMachineBudget(outcome: StoredOutcome): boolean {
  if (outcome.kind !== 'unchanged' || outcome.reason !== 'over_budget') return false
  return typeof outcome.detail !== 'object' || outcome.detail.code !== 'work_over_limit'
}
