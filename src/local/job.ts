/**
 * One claimed step in the hands of one press. The parent holds the lease and speaks with the task; the press gets files and says
 * what it made of them. A press that says anything but what its own step may say is not believed.
 */

import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { message, type StoredMessage } from '../core/i18n/message.ts'
import type { PartReceipt } from '../core/model/segmented.ts'
import { partsOf, resultsOf } from '../service/store/blob-names.ts'
import type { TaskResult } from '../service/store/task.ts'
import type { TaskRecordFace } from '../service/store/tasks.ts'
import { MAX_ATTEMPTS } from '../service/tasks/job.ts'
import type { Step } from '../service/tasks/run.ts'
import type { BlobFiles } from './blob-files.ts'
import { budgetOf } from './budget.ts'
import { CALLS, type Call, type Claimed, type FromProcess, fileOf } from './ipc-messages.ts'
import { type NativeProgram, type NativeRequest, NativeRun } from './native.ts'
import type { JobLimits } from './options.ts'
import type { PressProcess } from './press-process.ts'
import type { TaskApiClient } from './task-api-client.ts'
import { type Verdict, Watchdog } from './watchdog.ts'

export interface JobDeps {
  readonly door: Pick<TaskApiClient, 'task' | 'upload' | 'remove'>
  readonly blobs: Pick<BlobFiles, 'lend' | 'adopt'>
  readonly limits: JobLimits
  readonly native?: NativeProgram
  /** The press's own; empty before and after. */
  readonly folder: string
  /** How many presses this step has taken along so far. */
  readonly deaths: number
  /** The step takes more than an isolate has from now on. */
  enlarged?(): void
}

const BEAT_MS = 4000
const CHECK_MS = 500

/** x265 holds 1.9 GB for ten bits in 3840 × 2160, decoder included, however short its lookahead. */
const NATIVE_SHARE = 1.5

type Ending = { readonly kind: 'done' } | { readonly kind: 'stopped' } | { readonly kind: 'over_budget' | 'died'; readonly why: string }

export class Job {
  readonly #press: PressProcess
  readonly #step: Step
  readonly #claim: Claimed
  readonly #record: TaskRecordFace
  readonly #deps: JobDeps
  readonly #ending = Promise.withResolvers<Ending>()
  readonly #watchdog: Watchdog
  /** Answers that are on their way to the press. */
  #owed = 0
  #progress = 0
  /** The program beside the press, while it runs. */
  #running: NativeRun | undefined

  constructor(press: PressProcess, step: Step, claim: Claimed, deps: JobDeps) {
    this.#press = press
    this.#step = step
    this.#claim = claim
    this.#record = deps.door.task(step.taskId)
    this.#deps = deps
    this.#watchdog = new Watchdog({ sample: () => this.#sample() }, { limits: deps.limits, everyMs: CHECK_MS })
    void this.#watchdog.verdict.then((verdict) => this.#ending.resolve(this.#endingOf(verdict)))
  }

  /** Resolves when the step has ended, one way or another, and the task knows. */
  async run(): Promise<'done' | 'stopped' | 'died'> {
    const { folder, blobs, limits, native } = this.#deps
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    await using lent = new AsyncDisposableStack()
    const beats = setInterval(() => void this.#beat(), BEAT_MS)
    try {
      for (const key of this.#reads()) lent.use(await blobs.lend(key, folder))
      this.#press.onMessage((message) => this.#hear(message))
      this.#press.send({
        kind: 'work',
        step: this.#step,
        claim: this.#claim,
        folder,
        memoryBudget: budgetOf(limits.memoryBytes),
        ...(native && { native: native.name }),
      })
      const ending = await this.#ending.promise
      if (ending.kind !== 'done') this.#press.kill()
      await this.#tell(ending)
      return ending.kind === 'over_budget' ? 'died' : ending.kind
    } finally {
      clearInterval(beats)
      this.#watchdog.stop()
      this.#running?.kill()
      this.#press.onMessage(() => undefined)
      await rm(folder, { recursive: true, force: true })
    }
  }

  /** Blobs that the step reads: the upload, and for a join the parts. */
  #reads(): string[] {
    const { uploadKey, parts } = this.#claim
    return [uploadKey, ...(this.#step.step === 'join' ? parts.flatMap(({ key }) => (key === undefined ? [] : [key])) : [])]
  }

  async #tell(ending: Ending): Promise<void> {
    const { attempt } = this.#claim
    const deaths = this.#deps.deaths + 1
    if (ending.kind === 'over_budget') return this.#record.giveUp(attempt, ending.why)
    if (ending.kind !== 'died') return
    // A file that takes all of its presses along needs more than a job has.
    if (deaths >= MAX_ATTEMPTS) return this.#record.giveUp(attempt, message('job_lost_worker', { times: deaths }))
    return this.#record.release(attempt, `its press ended: ${ending.why}`, this.#step.part)
  }

  async #beat(): Promise<void> {
    const answer = await this.#record.beat(this.#claim.attempt, this.#progress, this.#step.part).catch(() => 'go on' as const)
    if (answer === 'stop') this.#ending.resolve({ kind: 'stopped' })
  }

  async #sample() {
    const usage = await this.#press.usage()
    return usage && { ...usage, waits: this.#owed > 0 }
  }

  #endingOf(verdict: Verdict): Ending {
    const seconds = (ms: number) => `${Math.round(ms / 1000)} s`
    const { stalledMs } = this.#deps.limits
    if (verdict === 'stalled') return { kind: 'died', why: `it did nothing for ${seconds(stalledMs)}` }
    const reasons = {
      silent: `one call of its codec did not end within ${seconds(this.#watchdog.silence.limitMs)} of processor time`,
      processor: 'more processor time than a job has',
      memory: 'more memory than a job has',
    }
    return { kind: 'over_budget', why: reasons[verdict] }
  }

  #hear(message: FromProcess): void {
    if (message.kind !== 'gone') this.#watchdog.hear()
    if (message.kind === 'gone') this.#ending.resolve({ kind: 'died', why: message.why })
    else if (message.kind === 'progress') this.#progress = message.share
    else if (message.kind === 'enlarged') this.#enlarge()
    else if (message.kind === 'done') {
      if (message.error === undefined) this.#ending.resolve({ kind: 'done' })
      else this.#ending.resolve({ kind: 'died', why: message.error })
    } else if (message.kind === 'call') this.#owe(message.call, this.#answer(message.method, message.args))
    else if (message.kind === 'native') this.#owe(message.call, this.#runNative(message.request))
  }

  #enlarge(): void {
    this.#watchdog.enlarge()
    this.#deps.enlarged?.()
  }

  #owe(call: number, answer: Promise<unknown>): void {
    this.#owed++
    answer
      .then(
        (value) => this.#press.send({ kind: 'answer', call, value }),
        (error: unknown) => this.#press.send({ kind: 'answer', call, error: String(error) }),
      )
      .finally(() => this.#owed--)
  }

  /** One at a time, with as much processor time as the press, and half as much memory again. @returns what went wrong, if anything */
  async #runNative(request: NativeRequest): Promise<string | undefined> {
    const { native, folder, limits } = this.#deps
    if (!native || this.#running) throw new Error('there is no program for that')
    const running = new NativeRun(native, request, folder, { ...limits, memoryBytes: NATIVE_SHARE * limits.memoryBytes })
    this.#running = running
    try {
      return await running.ended
    } finally {
      this.#running = undefined
    }
  }

  /** In the name of the attempt that this job holds, whatever the press says it is. */
  async #answer(method: Call, [, ...args]: readonly unknown[]): Promise<unknown> {
    if (!CALLS.includes(method)) throw new Error(`a press may not ask for ${String(method)}`)
    const { attempt } = this.#claim
    const { part } = this.#step
    if (method === 'complete') return this.#complete(args[0] as TaskResult)
    if (method === 'completePart') return this.#completePart(args[1] as PartReceipt, args[2] as string)
    if (method === 'release') return this.#record.release(attempt, String(args[0]), part, args[2] === 'platform' ? 'platform' : 'codec')
    if (method === 'giveUp') return this.#record.giveUp(attempt, args[0] as StoredMessage)
    if (method === 'fail') return this.#record.fail(attempt, args[0] as Parameters<TaskRecordFace['fail']>[1])
    return this.#record.split(attempt, args[0] as Parameters<TaskRecordFace['split']>[1])
  }

  /** Stores the file that the press made, and only then tells the task. The hash is of what was stored. */
  async #complete(result: TaskResult): Promise<boolean> {
    const { uploadKey, task, attempt } = this.#claim
    if (result.key === uploadKey) {
      if (result.sha256 !== task.originalSha256 || result.size !== task.originalSize) throw new Error('the upload is not what it was')
      return this.#record.complete(attempt, result)
    }
    if (![this.#resultKey, `${this.#resultKey}-encrypted`].includes(result.key)) throw new Error(`${result.key} is not this job's`)
    const stored = await this.#store(result.key)
    if (stored.sha256 !== result.sha256 || stored.size !== result.size) throw new Error('the result is not what it was verified to be')
    const counted = await this.#record.complete(attempt, result)
    if (!counted) await this.#deps.door.remove(result.key)
    return counted
  }

  async #completePart(receipt: PartReceipt, key: string): Promise<boolean> {
    const { generation, attempt, task } = this.#claim
    const { part } = this.#step
    if (part === undefined || key !== `${partsOf(task.taskId)}${generation}/${part}/${attempt}`) throw new Error(`${key} is not this job's`)
    const { size } = await this.#store(key)
    const counted = await this.#record.completePart(attempt, part, receipt, key, size)
    if (counted) await this.#deps.blobs.adopt(key, join(this.#deps.folder, fileOf(key)))
    else await this.#deps.door.remove(key)
    return counted
  }

  get #resultKey(): string {
    return `${resultsOf(this.#claim.uploadKey)}${this.#claim.attempt}`
  }

  #store(key: string): Promise<{ sha256: string; size: number }> {
    return this.#deps.door.upload(join(this.#deps.folder, fileOf(key)), key)
  }
}
