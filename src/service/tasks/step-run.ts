/** Work of a claimed step: source → plan, part, join or compress → encrypt → blob → TaskRecord. */

import { enginesOf } from '../../core/catalog/engines.ts'
import { FORMATS } from '../../core/catalog/index.ts'
import type { KnownFormat, OutputId } from '../../core/catalog/outputs.ts'
import { message, revivedMessage } from '../../core/i18n/message.ts'
import type { Codecs, Outcome, Source } from '../../core/model/codec.ts'
import { overBudget } from '../../core/model/error.ts'
import type { ExternalFilmCodec } from '../../core/model/external-encoder.ts'
import { requiredBox } from '../../core/model/picture-box.ts'
import type { ResultSink } from '../../core/model/sink.ts'
import { TimeBudget } from '../../core/model/time-budget.ts'
import { type CompressionResult, expectedFailure, outputOfResult, verifiedShareOf } from '../../core/pipeline/compress.ts'
import { contentTypeOf } from '../../core/pipeline/content-type.ts'
import { encryptResult } from '../../core/pipeline/encrypt.ts'
import { type Job, openJob } from '../../core/pipeline/job.ts'
import { outputName } from '../../core/pipeline/output-name.ts'
import type { WorkerEnv } from '../env.ts'
import { apiMessage, translate } from '../i18n/message.ts'
import { ISOLATE_BYTES } from '../lanes.ts'
import { partPrefix, resultPrefix } from '../store/blob-names.ts'
import { r2Sink, r2Source, sha256OfBlob } from '../store/blobs.ts'
import { BlockCache, MAX_READS } from '../store/blocks.ts'
import { countDefect } from '../store/metrics.ts'
import { outcomeInEnglish } from '../store/outcome.ts'
import type { Task, TaskError } from '../store/task.ts'
import { type Claim, CODED_MESSAGES, type JobMessage, OLDEST_PROTOCOL, type TaskRecordApi } from '../store/tasks.ts'
import { traceField } from '../trace-context.ts'
import { blockCacheBytes } from './block-cache-size.ts'

export type { Codecs }
export type Step = Omit<JobMessage, 'generation'> & { generation: number | null }

/** Limits of a job in its environment (isolate, process or container). */
export interface Runtime {
  /** Memory budget in bytes, heap and Wasm together. */
  readonly memoryBudget: number
  /** Maximum number of blob reads of one attempt. */
  readonly mostReads: number
  /** CPU seconds for embedded pictures. `undefined`: the isolate's budget. */
  readonly pictureSeconds?: number
  readonly native?: ExternalFilmCodec
  /** Called once when a job exceeds the isolate's budget, so that the watchdog allows longer calls. */
  enlarged?(): void
}

export const ISOLATE: Runtime = { memoryBudget: ISOLATE_BYTES, mostReads: MAX_READS }

/** Lease of a running step. */
export interface Lease {
  /** Signal that aborts when the task was removed or the lease was lost. */
  readonly signal: AbortSignal
  progress(share: number): void
  end(): void
}

export interface ClaimedStep {
  readonly env: WorkerEnv
  readonly codecs: Codecs
  readonly record: TaskRecordApi
  readonly claim: Extract<Claim, { kind: 'claimed' }>
  readonly step: Step
  readonly lease: Lease
  readonly runtime: Runtime
}

/** A stored result: the output of the codec, or that output encrypted with the client's password. */
interface ResultBlob {
  readonly key: string
  readonly size: number
  readonly output: OutputId
  readonly name: string
}

export class StepRun implements Disposable {
  readonly #job: ClaimedStep
  readonly #task: Task
  readonly #blocks: BlockCache
  readonly #source: Source

  constructor(job: ClaimedStep) {
    this.#job = job
    this.#task = job.claim.task
    this.#blocks = new BlockCache(blockCacheBytes(this.#task), job.runtime.mostReads)
    this.#source = r2Source(job.env.BLOBS, job.claim.uploadKey, this.#task.originalSize, this.#task.fileName, this.#blocks)
  }

  [Symbol.dispose](): void {
    this.#blocks[Symbol.dispose]()
  }

  /** Runs the claimed step. Expected errors, such as a malformed file, complete the task as unchanged; other errors fail the attempt. */
  async run(): Promise<void> {
    const { claim, lease } = this.#job
    try {
      if (claim.overBudget !== undefined) throw overBudget(revivedMessage(claim.overBudget))
      await this.#step()
    } catch (error) {
      const expected = lease.signal.aborted ? undefined : expectedFailure(this.#task.format, error)
      if (!expected) throw error
      await this.#finish(expected)
    }
  }

  async #step(): Promise<void> {
    const { codecs, claim, step, record } = this.#job
    const codec = this.#task.format === 'unknown' ? undefined : codecs[this.#task.format]
    if (!codec) return this.#finish(unchanged({ reason: 'unsupported_feature', detail: message('format_has_no_codec_yet') }))
    const { quality, output, rendition, targetSize, targetScore, dpi, effort, metadata, usageRights, maxWorkSeconds } = this.#task
    const { signal, progress } = this.#job.lease
    const { memoryBudget, pictureSeconds, native, enlarged: onMemoryIncrease } = this.#job.runtime
    const request = {
      quality,
      output: output as OutputId,
      targetSize,
      targetScore,
      fitWithin: requiredBox(this.#task),
      rendition,
      dotsPerInch: dpi,
      effort,
      metadata,
      usageRights,
      maxWorkSeconds,
      memoryBudget,
      native,
      signal,
      progress,
      onMemoryIncrease,
    }
    const job = openJob(codec, this.#source, codecs, { ...request, timeBudget: () => new TimeBudget(pictureSeconds) })
    if (step.step === 'part') return this.#part(job, step.part ?? 0)
    if (step.step === 'join') return this.#finish(await this.#join(job))
    const started = await job.start(this.#openSink)
    return started.kind === 'cut' ? record.split(claim.attempt, started.parts) : this.#finish(started.pressed)
  }

  get #resultKey(): string {
    return `${resultPrefix(this.#job.claim.uploadKey)}${this.#job.claim.attempt}`
  }

  // Sinks of joins are not patchable: a join writes sequentially, and saves the memory of a buffered first part.
  readonly #openSink = async (): Promise<ResultSink> =>
    r2Sink(this.#job.env.BLOBS, this.#resultKey, this.#source.size, this.#task.fileName, {
      patchable: this.#job.step.step !== 'join',
      blockCache: this.#blocks,
    })

  async #part(job: Job, part: number): Promise<void> {
    const { env, claim, record } = this.#job
    const [planned] = claim.parts
    if (!planned) throw new Error(`The claim of part ${part} has no plan.`)
    const key = `${partPrefix(this.#task.taskId)}${claim.generation}/${part}/${claim.attempt}`
    const sink = r2Sink(env.BLOBS, key, Number.POSITIVE_INFINITY, this.#task.fileName, { patchable: false, blockCache: this.#blocks })
    try {
      const receipt = await job.part(planned.plan, sink, claim.soFar)
      const { size } = await sink.finish()
      const accepted = await record.completePart(claim.attempt, part, receipt, key, size)
      if (!accepted) await sink.abort()
    } catch (error) {
      await sink.abort()
      throw error
    }
  }

  #join(job: Job): Promise<CompressionResult> {
    const { env, claim } = this.#job
    const parts = claim.parts.map(({ index, plan, receipt, key, size }) => {
      if (!receipt || key === undefined || size === undefined)
        throw new Error(`Part ${index} has no result, so the parts cannot be joined.`)
      return { plan, receipt, result: r2Source(env.BLOBS, key, size, this.#task.fileName, this.#blocks) }
    })
    return job.join(parts, this.#openSink, () => this.#blocks[Symbol.dispose]())
  }

  /** Completes the task with the verified result, encrypted if the client gave a password. */
  async #finish(pressed: CompressionResult): Promise<void> {
    const { env, claim, record } = this.#job
    const task = this.#task
    this.#blocks.assertNoFailure()
    if (pressed.result === undefined && pressed.defect) {
      logDefect(task, pressed.outcome, pressed.defect)
      countDefect(env.METRICS, task.format)
    }
    const plain = pressed.result ?? this.#source
    if (task.targetSize !== undefined && plain.size > task.targetSize) {
      await record.fail(claim.attempt, targetUnreachable(claim, plain.size))
      if (pressed.result) await env.BLOBS.delete(this.#resultKey)
      return
    }
    const format: KnownFormat = FORMATS[task.format as KnownFormat['id']]
    const output = outputOfResult(pressed, format, task.output as OutputId)
    const name = outputName(task.fileName, format, output)
    const stored = await this.#encrypted(plain, format, {
      key: pressed.result ? this.#resultKey : claim.uploadKey,
      size: plain.size,
      output,
      name,
    })
    const accepted = await record.complete(claim.attempt, {
      key: stored.key,
      size: stored.size,
      sha256: stored.key === claim.uploadKey ? task.originalSha256 : await sha256OfBlob(env.BLOBS, stored.key),
      output,
      outputName: stored.name,
      contentType: await contentTypeOf(stored.output, plain),
      outcome: knowsCodes(claim) ? pressed.outcome : outcomeInEnglish(pressed.outcome),
      encrypted: claim.password !== undefined,
      ...verifiedShareOf(pressed),
      engines: pressed.result ? enginesOf(format.id, output) : [],
    })
    if (!accepted && stored.key !== claim.uploadKey) await env.BLOBS.delete(stored.key)
  }

  /** Encrypts `plain`, whose blob is `stored.key`, with the client's password. Returns `stored` if there is no password. */
  async #encrypted(plain: Source, format: KnownFormat, stored: ResultBlob): Promise<ResultBlob> {
    const { env, claim } = this.#job
    if (claim.password === undefined) return stored
    const key = `${this.#resultKey}-encrypted`
    const openSink = async (name: string) => r2Sink(env.BLOBS, key, Number.POSITIVE_INFINITY, name, { blockCache: this.#blocks })
    const result = { source: plain, output: stored.output, format, name: stored.name }
    const { encrypted, output, name } = await encryptResult(result, claim.password, openSink)
    if (stored.key !== claim.uploadKey) await env.BLOBS.delete(stored.key)
    return { key, size: encrypted.size, output, name }
  }
}

function unchanged({ reason, detail }: Omit<Extract<Outcome, { kind: 'unchanged' }>, 'kind'>): CompressionResult {
  return { outcome: { kind: 'unchanged', reason, ...(detail === undefined ? {} : { detail }) }, result: undefined }
}

/** True if the task record stores messages as codes. A record of the release before stores English text. */
export const knowsCodes = ({ protocol = OLDEST_PROTOCOL }: Pick<ClaimedStep['claim'], 'protocol'>): boolean => protocol >= CODED_MESSAGES

/**
 * Error of a task whose `target_size` no result reaches.
 * @param bestSize size in bytes of the smallest result that meets the quality floors
 */
export function targetUnreachable(claim: Pick<ClaimedStep['claim'], 'protocol' | 'task'>, bestSize: number): TaskError {
  const { task } = claim
  const message = apiMessage('target_unreachable', { target: String(task.targetSize), best: bestSize })
  return {
    code: 400,
    type: 'target_unreachable',
    message: knowsCodes(claim) ? message : translate('en', message),
    requestId: task.requestId,
    facts: { target_size: task.targetSize, best_size: bestSize },
  }
}

function logDefect(task: Task, outcome: Outcome, defect: string) {
  const { taskId: task_id, requestId: request_id, traceparent, format } = task
  const ids = { task_id, request_id, ...traceField(traceparent) }
  console.error(JSON.stringify({ level: 'error', event: 'defect', ...ids, format, outcome, defect }))
}
