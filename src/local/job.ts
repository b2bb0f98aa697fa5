/**
 * Runs one claimed step in one press process. The parent holds the lease and calls the task. The press process only gets files and
 * reports results. The parent rejects any message that does not concern the step.
 */

import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { message, type StoredMessage } from '../core/i18n/message.ts'
import type { PartReceipt } from '../core/model/segmented.ts'
import { partPrefix, resultPrefix } from '../service/store/blob-names.ts'
import { type JobOutcome, outcomeOfCall } from '../service/store/metrics.ts'
import type { TaskResult } from '../service/store/task.ts'
import type { TaskRecordApi } from '../service/store/tasks.ts'
import { MAX_ATTEMPTS } from '../service/tasks/job.ts'
import type { Step } from '../service/tasks/run.ts'
import type { BlobFiles } from './blob-files.ts'
import { jobMemoryBudget } from './budget.ts'
import { CpuMeter } from './cpu-meter.ts'
import { blobFileName, type ClaimedStep, type PressEvent, TASK_METHODS, type TaskMethod } from './ipc-messages.ts'
import { type FfmpegProgram, type FfmpegRequest, FfmpegRun } from './native.ts'
import type { JobLimits } from './options.ts'
import type { PressProcess } from './press-process.ts'
import type { TaskApiClient } from './task-api-client.ts'
import { readUsage } from './usage.ts'
import { Watchdog, type WatchdogVerdict } from './watchdog.ts'

export interface JobDeps {
  readonly taskApi: Pick<TaskApiClient, 'task' | 'upload' | 'remove'>
  readonly blobs: Pick<BlobFiles, 'linkInto' | 'addUploaded'>
  readonly limits: JobLimits
  readonly native?: FfmpegProgram
  /** Folder of the press process. Empty before and after the job. */
  readonly folder: string
  /** Number of press processes that have ended while they ran this step. */
  readonly processDeaths: number
  /** Called when the step starts to use more memory than an isolate has. */
  enlarged?(): void
}

const HEARTBEAT_MS = 4000
const CHECK_MS = 500

/**
 * Memory limit of FFmpeg as a multiple of the press process's limit. x265 uses 1.9 GB for 10-bit 3840 × 2160 with the decoder, even
 * with a short lookahead.
 */
const NATIVE_SHARE = 1.5

type Ending = { readonly kind: 'done' | 'stopped' | 'returned' } | { readonly kind: 'over_budget' | 'died'; readonly why: string }

/** Outcomes of jobs whose press process did not say how they ended. */
const OUTCOME_OF_ENDING: Partial<Record<Ending['kind'], JobOutcome>> = {
  returned: 'released',
  over_budget: 'over_budget',
  died: 'lost',
  stopped: 'stopped',
}

export class Job {
  readonly #press: PressProcess
  readonly #step: Step
  readonly #claim: ClaimedStep
  readonly #record: TaskRecordApi
  readonly #deps: JobDeps
  readonly #ending = Promise.withResolvers<Ending>()
  readonly #watchdog: Watchdog
  readonly #cpu = new CpuMeter()
  /** Number of calls of the press process that the parent has not answered yet. */
  #pendingCalls = 0
  #progress = 0
  #outcome: JobOutcome = 'stopped'
  /** The FFmpeg process, while it runs. */
  #ffmpeg: FfmpegRun | undefined

  constructor(press: PressProcess, step: Step, claim: ClaimedStep, deps: JobDeps) {
    this.#press = press
    this.#step = step
    this.#claim = claim
    this.#record = deps.taskApi.task(step.taskId)
    this.#deps = deps
    this.#watchdog = new Watchdog({ sample: () => this.#sample() }, { limits: deps.limits, everyMs: CHECK_MS })
    void this.#watchdog.verdict.then((verdict) => this.#ending.resolve(this.#endingOf(verdict)))
  }

  /** How the job ended. */
  get outcome(): JobOutcome {
    return this.#outcome
  }

  /** Resolves when the step has ended and the task has been notified. */
  async run(): Promise<'done' | 'stopped' | 'died'> {
    const { folder, blobs, limits, native } = this.#deps
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await using blobLinks = new AsyncDisposableStack()
    const heartbeats = setInterval(() => void this.#heartbeat(), HEARTBEAT_MS)
    try {
      const before = await this.#press.usage()
      if (before) this.#cpu.note(this.#press.pid, before.processorMs, before.processorMs)
      for (const key of this.#inputKeys()) blobLinks.use(await blobs.linkInto(key, folder))
      this.#press.onMessage((message) => this.#handle(message))
      this.#press.send({
        kind: 'work',
        step: this.#step,
        claim: this.#claim,
        folder,
        memoryBudget: jobMemoryBudget(limits.memoryBytes),
        ...(native && { native: native.name }),
      })
      const ending = await this.#ending.promise
      if (ending.kind !== 'done') this.#press.kill()
      await this.#notifyTask(ending)
      if (ending.kind === 'returned') return 'stopped'
      return ending.kind === 'over_budget' ? 'died' : ending.kind
    } finally {
      clearInterval(heartbeats)
      this.#watchdog.stop()
      this.#ffmpeg?.kill()
      this.#press.onMessage(() => undefined)
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** Ends the step without a result, because the service stops. Its task starts it again at once, without waiting for the lease. */
  handBack(): void {
    this.#ending.resolve({ kind: 'returned' })
  }

  /** Keys of the blobs that the step reads: the upload, and for a join also its parts. */
  #inputKeys(): string[] {
    const { uploadKey, parts } = this.#claim
    return [uploadKey, ...(this.#step.step === 'join' ? parts.flatMap(({ key }) => (key === undefined ? [] : [key])) : [])]
  }

  async #notifyTask(ending: Ending): Promise<void> {
    const { attempt } = this.#claim
    if (ending.kind !== 'done' && ending.kind !== 'stopped') await this.#heartbeat()
    const deaths = this.#deps.processDeaths + 1
    this.#outcome = OUTCOME_OF_ENDING[ending.kind] ?? this.#outcome
    if (ending.kind === 'over_budget') return this.#record.giveUp(attempt, ending.why)
    if (ending.kind === 'returned') return this.#record.release(attempt, 'the service stops', this.#step.part, 'platform')
    if (ending.kind !== 'died') return
    // A file that ends every press process needs more than a job may use.
    if (deaths >= MAX_ATTEMPTS) return this.#record.giveUp(attempt, message('job_lost_worker', { times: deaths }))
    return this.#record.release(attempt, `its press process ended: ${ending.why}`, this.#step.part)
  }

  /** Renews the lease, and reports progress and CPU time. */
  async #heartbeat(): Promise<void> {
    const cpuMs = this.#cpu.take()
    const answer = await this.#record.beat(this.#claim.attempt, this.#progress, this.#step.part, cpuMs).catch(() => {
      this.#cpu.giveBack(cpuMs)
      return 'go on' as const
    })
    if (answer === 'stop') this.#ending.resolve({ kind: 'stopped' })
  }

  async #sample() {
    const ffmpegPid = this.#ffmpeg?.pid
    const [usage, ofFfmpeg] = await Promise.all([this.#press.usage(), ffmpegPid === undefined ? undefined : readUsage(ffmpegPid)])
    if (usage) this.#cpu.note(this.#press.pid, usage.processorMs)
    if (ofFfmpeg && ffmpegPid !== undefined) this.#cpu.note(ffmpegPid, ofFfmpeg.processorMs)
    return usage && { ...usage, isWaiting: this.#pendingCalls > 0 }
  }

  #endingOf(verdict: WatchdogVerdict): Ending {
    const seconds = (ms: number) => `${Math.round(ms / 1000)} s`
    const { stalledMs } = this.#deps.limits
    if (verdict === 'stalled') return { kind: 'died', why: `it made no progress for ${seconds(stalledMs)}` }
    const reasons = {
      silent: `one codec call used more than ${seconds(this.#watchdog.silence.limitMs)} of CPU time`,
      processor: 'the job used more CPU time than a job may',
      memory: 'the job used more memory than a job may',
    }
    return { kind: 'over_budget', why: reasons[verdict] }
  }

  #handle(message: PressEvent): void {
    if (message.kind !== 'gone') this.#watchdog.recordHeartbeat()
    if (message.kind === 'gone') this.#ending.resolve({ kind: 'died', why: message.why })
    else if (message.kind === 'progress') this.#progress = message.share
    else if (message.kind === 'enlarged') this.#enlarge()
    else if (message.kind === 'done') {
      if (message.error === undefined) this.#ending.resolve({ kind: 'done' })
      else this.#ending.resolve({ kind: 'died', why: message.error })
    } else if (message.kind === 'call') this.#answerCall(message.call, this.#callTask(message.method, message.args))
    else if (message.kind === 'native') this.#answerCall(message.call, this.#runNative(message.request))
  }

  #enlarge(): void {
    this.#watchdog.enlarge()
    this.#deps.enlarged?.()
  }

  #answerCall(call: number, answer: Promise<unknown>): void {
    this.#pendingCalls++
    answer
      .then(
        (value) => this.#press.send({ kind: 'answer', call, value }),
        (error: unknown) => this.#press.send({ kind: 'answer', call, error: String(error) }),
      )
      .finally(() => this.#pendingCalls--)
  }

  /**
   * Runs FFmpeg with the CPU time of a press process and 1.5 times its memory. Only one can run at a time. @returns the error message,
   * if it failed
   */
  async #runNative(request: FfmpegRequest): Promise<string | undefined> {
    const { native, folder, limits } = this.#deps
    if (!native || this.#ffmpeg) throw new Error('FFmpeg is not available, or is running already')
    const running = new FfmpegRun(native, request, folder, { ...limits, memoryBytes: NATIVE_SHARE * limits.memoryBytes })
    this.#ffmpeg = running
    try {
      return await running.ended
    } finally {
      this.#ffmpeg = undefined
    }
  }

  /** Calls the task method, with the attempt number of this job instead of the one that the press process sent. */
  async #callTask(method: TaskMethod, called: readonly unknown[]): Promise<unknown> {
    if (!TASK_METHODS.includes(method)) throw new Error(`a press process may not call ${String(method)}`)
    const answer = await this.#callRecord(method, called)
    this.#outcome = outcomeOfCall(method, called) ?? this.#outcome
    return answer
  }

  async #callRecord(method: TaskMethod, [, ...args]: readonly unknown[]): Promise<unknown> {
    const { attempt } = this.#claim
    const { part } = this.#step
    // Every method ends the step, so this is the last report of its CPU time.
    await this.#sample()
    await this.#heartbeat()
    if (method === 'complete') return this.#complete(args[0] as TaskResult)
    if (method === 'completePart') return this.#completePart(args[1] as PartReceipt, args[2] as string)
    if (method === 'release') return this.#record.release(attempt, String(args[0]), part, args[2] === 'platform' ? 'platform' : 'codec')
    if (method === 'giveUp') return this.#record.giveUp(attempt, args[0] as StoredMessage)
    if (method === 'fail') return this.#record.fail(attempt, args[0] as Parameters<TaskRecordApi['fail']>[1])
    return this.#record.split(attempt, args[0] as Parameters<TaskRecordApi['split']>[1])
  }

  /**
   * Uploads the result file, then completes the task. The hash is computed during the upload. @throws Error if it differs from the
   * verified hash
   */
  async #complete(result: TaskResult): Promise<boolean> {
    const { uploadKey, task, attempt } = this.#claim
    if (result.key === uploadKey) {
      if (result.sha256 !== task.originalSha256 || result.size !== task.originalSize)
        throw new Error('the result claims to be the upload, but its hash or size differs')
      return this.#record.complete(attempt, result)
    }
    if (![this.#resultKey, `${this.#resultKey}-encrypted`].includes(result.key))
      throw new Error(`${result.key} does not belong to this job`)
    const stored = await this.#store(result.key)
    if (stored.sha256 !== result.sha256 || stored.size !== result.size) throw new Error('the stored result differs from the verified one')
    const counted = await this.#record.complete(attempt, result)
    if (!counted) await this.#deps.taskApi.remove(result.key)
    return counted
  }

  async #completePart(receipt: PartReceipt, key: string): Promise<boolean> {
    const { generation, attempt, task } = this.#claim
    const { part } = this.#step
    if (part === undefined || key !== `${partPrefix(task.taskId)}${generation}/${part}/${attempt}`)
      throw new Error(`${key} does not belong to this job`)
    const { size } = await this.#store(key)
    const counted = await this.#record.completePart(attempt, part, receipt, key, size)
    if (counted) await this.#deps.blobs.addUploaded(key, join(this.#deps.folder, blobFileName(key)))
    else await this.#deps.taskApi.remove(key)
    return counted
  }

  get #resultKey(): string {
    return `${resultPrefix(this.#claim.uploadKey)}${this.#claim.attempt}`
  }

  #store(key: string): Promise<{ sha256: string; size: number }> {
    return this.#deps.taskApi.upload(join(this.#deps.folder, blobFileName(key)), key)
  }
}
