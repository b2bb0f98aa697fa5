import type { Env } from '../../src/service/env.ts'
import type { ClaimingWorker } from '../../src/service/store/tasks.ts'
import { isContainerAttempt, isUnclaimedByContainers, restartInContainer, returnToIsolate } from '../../src/service/tasks/heavy-job.ts'
import type { Job } from '../../src/service/tasks/job.ts'
import type { TaskState } from './task-state.ts'

/** Moves tasks to containers if they exceed the budget of an isolate. Does nothing in deployments without containers. */
export class ContainerLane {
  readonly #state: TaskState
  readonly #env: Env

  constructor(state: TaskState, env: Env) {
    this.#state = state
    this.#env = env
  }

  /**
   * Moves the job to a container if `attempt`, made in an isolate, exceeded its budget.
   * @returns `false` if no container can take the job
   */
  moveToContainer(attempt: number): boolean {
    const job = this.#state.job!
    if (!this.#hasContainers() || isContainerAttempt(attempt) || job.overBudget !== undefined) return false
    // The job was moved to a container before; a late report of an isolate changes nothing.
    if (job.heavy) return true
    this.#state.job = restartInContainer(job, Date.now())
    this.#state.save()
    return true
  }

  /** True if the job belongs to a container and `worker` runs in an isolate. */
  refusesWorker(job: Job, worker: ClaimingWorker | undefined): boolean {
    return job.heavy === true && this.#hasContainers() && !worker?.heavy
  }

  /** True if the job has moved to a container and `attempt` was made in an isolate. Its part follows an outdated plan. */
  refusesPart(job: Job, attempt: number): boolean {
    return job.heavy === true && !isContainerAttempt(attempt)
  }

  /**
   * Returns a job to isolates if no container claimed it.
   * @returns the changed job; `undefined`: the job stays with the containers
   */
  returnUnclaimed(job: Job, now: number): Job | undefined {
    if (!isUnclaimedByContainers(job)) return undefined
    this.#state.job = returnToIsolate(job, now)
    return this.#state.job
  }

  #hasContainers(): boolean {
    return this.#env.HEAVY_JOBS !== undefined
  }
}
