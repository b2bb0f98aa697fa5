import type { Env } from '../../src/service/env.ts'
import { uploadKeyOf } from '../../src/service/store/blob-names.ts'
import { PLANS } from '../../src/service/store/plans.ts'
import type { SourcePlace, SourceState } from '../../src/service/store/sources.ts'
import type { Task, TaskError } from '../../src/service/store/task.ts'
import { ApiError } from '../../src/service/tasks/api-error.ts'
import { fetchSource } from '../../src/service/tasks/fetch-source.ts'
import type { IngestedFile } from '../../src/service/tasks/ingest.ts'
import { newStep } from '../../src/service/tasks/job.ts'
import { isOnRequest } from '../../src/service/tasks/job-options.ts'
import { isPassing, sourceUnreachable } from '../../src/service/tasks/source-trouble.ts'
import { type FetchedFields, fetchedFields, type Submission } from '../../src/service/tasks/submit.ts'
import { traceField } from '../../src/service/trace-context.ts'
import { OneRun } from './one-run.ts'
import type { SealedText } from './sealed-text.ts'
import { attemptsFailedError } from './step-watch.ts'
import { hasEnded, RETRY_PAUSE_MS, type TaskState } from './task-state.ts'

/** Starts of one fetch. A restart of the service, an error of the platform, or a bucket that is overloaded makes a second one. */
const MAX_ATTEMPTS = 5
/** Pause in milliseconds before a task asks again for a place in the queues. Usually the account reports a free place earlier. */
const PLACE_PAUSE_MS = 60_000

interface Dependencies {
  readonly env: Env
  readonly password: SealedText
  /** Ends the task as failed. */
  readonly fail: (error: TaskError) => Promise<void>
}

/**
 * Fetches the file of a task from its place. The task's alarm runs it, so that a restart of the service repeats a fetch that was cut off.
 * No worker of the queues waits for a slow source.
 */
export class SourceFetcher {
  readonly #state: TaskState
  readonly #dependencies: Dependencies
  readonly #run = new OneRun()
  #isStopped = false

  constructor(state: TaskState, dependencies: Dependencies) {
    this.#state = state
    this.#dependencies = dependencies
  }

  /** Fetches the file if it is time to. */
  async run(): Promise<void> {
    const { live: task, source } = this.#state
    if (!task || !source || hasEnded(task) || this.#run.isRunning || this.#isStopped || source.nextAt > Date.now()) return
    await this.#run.start(
      (signal) => this.#attempt(task, source, signal),
      (runs) => {
        this.#state.fetching = runs
      },
    )
  }

  /** Ends a running fetch for good and resolves when nothing of it is stored any more. */
  async stop(): Promise<void> {
    this.#isStopped = true
    await this.#run.stop('The task was removed.')
  }

  async #attempt(task: Task, source: SourceState, signal: AbortSignal): Promise<void> {
    if (!(await this.#hasPlace(task))) return this.#wait(source, PLACE_PAUSE_MS)
    if (source.attempts >= MAX_ATTEMPTS) return this.#fail(task, sourceUnreachable('interrupted'))
    await this.#removeMultipart(task, source)
    const { multipartId: _, ...rest } = source
    const started = { ...rest, attempts: source.attempts + 1 }
    this.#keep(started)
    try {
      await this.#fetch(task, started, signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ApiError && error.type === 'overloaded')
        return this.#wait({ ...started, attempts: source.attempts }, RETRY_PAUSE_MS)
      this.#log(task, started, error)
      if (started.attempts >= MAX_ATTEMPTS) return this.#dependencies.fail(attemptsFailedError(task))
      this.#wait(started, RETRY_PAUSE_MS * 2 ** started.attempts)
    }
  }

  /** Limits the fetches of one account, as its other tasks are limited. */
  async #hasPlace({ accountId, taskId }: Task): Promise<boolean> {
    const { granted, low } = await this.#dependencies.env.ACCOUNTS.getByName(accountId)
      .queuePlace(taskId)
      .catch(() => ({ granted: true, low: false }))
    const { job } = this.#state
    if (job) {
      job.hasPlace = granted
      job.low = low
    }
    return granted
  }

  async #fetch(task: Task, source: SourceState, signal: AbortSignal): Promise<void> {
    const { env } = this.#dependencies
    const { format } = source.options
    const staged = await fetchSource(env, {
      place: placeOf(source),
      taskId: task.taskId,
      accountId: task.accountId,
      uploadKey: uploadKeyOf(task),
      plan: PLANS[source.planId],
      mayBePacked: format !== undefined && isOnRequest(format),
      signal,
      onMultipart: (multipartId) => this.#keep({ ...source, multipartId }),
    })
    if ('refusal' in staged.outcome && isPassing(staged.outcome.refusal) && source.attempts < MAX_ATTEMPTS)
      return this.#wait(source, RETRY_PAUSE_MS * 2 ** source.attempts)
    const fields = await this.#decide(task, source, staged)
    if (fields instanceof ApiError) {
      if ('upload' in staged.outcome) await staged.outcome.upload.discard()
      return this.#fail(task, fields)
    }
    if (!this.#state.live) return
    this.#begin(fields)
  }

  /** Returns what the format of the file decides, or the refusal of the file. */
  async #decide(task: Task, { planId, options }: SourceState, staged: IngestedFile): Promise<FetchedFields | ApiError> {
    const password = await this.#dependencies.password.open(task.taskId)
    const submission: Submission = {
      env: this.#dependencies.env,
      key: { accountId: task.accountId },
      plan: PLANS[planId],
      requestId: task.requestId,
      baseUrl: task.baseUrl,
      jobOptions: { ...options, ...(password === undefined ? {} : { password }) },
    }
    try {
      return await fetchedFields(submission, staged)
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }

  /** Turns the task into one whose file was uploaded. The watchdog then queues it. */
  #begin(fields: FetchedFields): void {
    const state = this.#state
    const task: Task = { ...state.task!, ...fields }
    state.task = task
    state.job = { ...state.job!, phase: 'whole', step: newStep(Date.now()) }
    state.source = undefined
    state.events = [...state.events, { kind: 'sized', taskId: task.taskId, size: fields.originalSize }]
    state.saveWithAlarm()
  }

  #fail(task: Task, error: ApiError): Promise<void> {
    return this.#dependencies.fail(error.asTaskError(task.requestId))
  }

  #wait(source: SourceState, ms: number): void {
    this.#keep({ ...source, nextAt: Date.now() + ms })
  }

  #keep(source: SourceState): void {
    if (!this.#state.live) return
    this.#state.source = source
    this.#state.save()
  }

  /** Removes what an attempt left that a restart of the service cut off. */
  async #removeMultipart(task: Task, { multipartId }: SourceState): Promise<void> {
    if (multipartId === undefined) return
    const upload = this.#dependencies.env.BLOBS.resumeMultipartUpload(uploadKeyOf(task), multipartId)
    await upload.abort().catch((error: unknown) => this.#log(task, undefined, error))
  }

  #log({ taskId: task_id, traceparent }: Task, source: SourceState | undefined, error: unknown): void {
    const attempt = source?.attempts
    console.warn(
      JSON.stringify({ level: 'warn', event: 'fetch_failed', task_id, ...traceField(traceparent), attempt, error: String(error) }),
    )
  }
}

const placeOf = (source: SourceState): SourcePlace => ('url' in source ? { url: source.url } : { object: source.object })
