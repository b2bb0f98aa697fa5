import type { Env } from '../../src/service/env.ts'
import type { ClaimingWorker } from '../../src/service/store/tasks.ts'
import { forsakenJob, heavyJob, isForsaken, isHeavyAttempt } from '../../src/service/tasks/heavy-job.ts'
import type { Job } from '../../src/service/tasks/job.ts'
import type { TaskState } from './task-state.ts'

/** Where a deployment has containers, they have what isolates were too small for. */
export class ContainerLane {
  readonly #state: TaskState
  readonly #env: Env

  constructor(state: TaskState, env: Env) {
    this.#state = state
    this.#env = env
  }

  /**
   * The file was too much for `attempt`. If that was an isolate's, a container has it now.
   * @returns false: nobody has more room
   */
  take(attempt: number): boolean {
    const job = this.#state.job!
    if (!this.#isThere() || isHeavyAttempt(attempt) || job.overBudget !== undefined) return false
    // Whoever is late with it: it is in a container already.
    if (job.heavy) return true
    this.#state.job = heavyJob(job, Date.now())
    this.#state.save()
    return true
  }

  /** The job is a container's, and this worker is in an isolate. */
  refuses(job: Job, worker: ClaimingWorker | undefined): boolean {
    return job.heavy === true && this.#isThere() && !worker?.heavy
  }

  /** An isolate's part is of another plan. */
  refusesPart(job: Job, attempt: number): boolean {
    return job.heavy === true && !isHeavyAttempt(attempt)
  }

  /** A job that no container came for is given back. */
  giveBack(job: Job, now: number): Job | undefined {
    if (!isForsaken(job)) return undefined
    this.#state.job = forsakenJob(job, now)
    return this.#state.job
  }

  #isThere(): boolean {
    return this.#env.HEAVY_JOBS !== undefined
  }
}
