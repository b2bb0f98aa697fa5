/**
 * Stored form of a task, and its form in the API. Pure functions; the Durable Object `TaskRecord` stores it, `http/` sends it.
 * States: pending → processing → completed | failed.
 */

import type { Effort } from '../../core/catalog/effort.ts'
import type { EngineFacts } from '../../core/catalog/engines.ts'
import type { FormatId } from '../../core/catalog/index.ts'
import type { RemovingMode } from '../../core/catalog/metadata.ts'
import type { OutputId } from '../../core/catalog/outputs.ts'
import type { Outcome, Quality } from '../../core/model/codec.ts'
import { type ReceiptView, receiptView } from '../../core/model/receipt.ts'
import type { Rendition } from '../../core/model/rendition.ts'
import { type Language, type StoredApiMessage, translate } from '../i18n/message.ts'
import { type BucketDestination, type DeliveryState, type Destination, destinationKey } from './destinations.ts'
import { revivedOutcome, type StoredOutcome } from './outcome.ts'
import type { BucketObject, SourceOrder } from './sources.ts'
import { isTestAccount } from './test-accounts.ts'

type TaskStatus = 'pending' | 'processing' | 'completed' | 'failed'
export type Lane = 'quick' | 'slow'

/** New task as `submit` passes it to TaskRecord: everything the job needs and nothing the client may change later. */
export interface NewTask {
  readonly taskId: string
  readonly accountId: string
  readonly batchId?: string
  /** Id of the browser token that made the task. `undefined`: an API key did. */
  readonly tokenId?: string
  /** Position in the batch, from 0. */
  readonly position?: number
  readonly fileName: string
  /** Input format. `unknown` only if the task failed before its format was known. */
  readonly format: FormatId | 'unknown'
  readonly output: OutputId | 'unknown'
  readonly quality: Quality
  /** Rendition that the task makes instead of compressing the whole file. `undefined`: none. */
  readonly rendition?: Rendition
  readonly targetSize?: number
  /** Score that the client asked for instead of a level; `quality` is then not shown. `undefined`: the level decides. */
  readonly targetScore?: number
  /** Largest size of a picture in pixels. `undefined`: no limit. */
  readonly maxWidth?: number
  readonly maxHeight?: number
  /** Resolution of pictures in documents, in dots per inch. `undefined`: that of the level. */
  readonly dpi?: number
  /** How long the search for a small result may take. `undefined`: `balanced`. */
  readonly effort?: Effort
  /** Metadata that the result must not have. `undefined`: everything stays. */
  readonly metadata?: RemovingMode
  readonly usageRights?: 'drop'
  readonly originalSize: number
  readonly originalSha256: string
  readonly worker: 'press' | 'media'
  readonly lane: Lane
  /** Time of acceptance in epoch milliseconds. */
  readonly createdAt: number
  readonly retentionMs: number
  /** True: the client asked to keep nothing (`retention=0`). The task is removed after its first download, or after `retentionMs`. */
  readonly singleDownload?: true
  /** Largest estimated CPU time in seconds, from the plan. `undefined`: no limit, as in tasks created before 2026-12. */
  readonly maxWorkSeconds?: number
  /** Blob key of the upload. `undefined`: no blob, or a task of an earlier release (see `uploadKeyOf`). */
  readonly uploadKey?: string
  /** Origin of the client's request, for `download_url` in callbacks. */
  readonly baseUrl: string
  readonly requestId: string
  /** `traceparent` of the client's request (W3C Trace Context). `undefined`: it had none. */
  readonly traceparent?: string
  readonly callbackUrl?: string
  /** Password in clear text. The Durable Object encrypts it at once and deletes it at the end of the job. */
  readonly password?: string
  /** File that the task fetches first. Stored apart from the task, because its address may hold a signature. */
  readonly source?: SourceOrder
  /** Address of the source without its query. `undefined`: the file does not come from an address. */
  readonly sourceUrl?: string
  /** Object that the file comes from. `undefined`: it does not come from a bucket. */
  readonly sourceObject?: BucketObject
  /** Where the result is sent, too. The Durable Object encrypts it at once. */
  readonly destination?: Destination
}

/** Error of a failed task, with the fields of the API's error object. */
export interface TaskError {
  readonly code: number
  readonly type: string
  readonly message: StoredApiMessage
  readonly requestId: string
  readonly facts?: Readonly<Record<string, unknown>>
}

/** Final result of a task. `key` is its blob key; it equals the upload's key if the file stays unchanged. */
export interface TaskResult {
  readonly key: string
  readonly size: number
  readonly sha256: string
  /** Format of the result. If the result is encrypted, the format inside the archive. */
  readonly output: OutputId
  readonly outputName: string
  readonly contentType: string
  readonly outcome: Outcome
  readonly encrypted: boolean
  /** Share of the result, 0–1, that was decoded or compared byte by byte. `undefined`: not measured. */
  readonly verifiedShare?: number
  /** Engines, with versions, that may have produced the result. Absent in results of earlier releases. */
  readonly engines?: readonly EngineFacts[]
}

/** Progress of an attempt over time, to estimate its end. */
export interface Pace {
  /** Start of the attempt in epoch milliseconds. */
  readonly since: number
  /** Share of the attempt's work, 0–1, that was done at time `at`. */
  readonly share: number
  /** Time in epoch milliseconds at which `share` was reported first. */
  readonly at: number
}

/** Returns the pace after a report. A report of the same share changes nothing. */
export const pacedBy = (pace: Pace | undefined, share: number, now: number): Pace | undefined =>
  pace && (share > pace.share ? { ...pace, share, at: now } : pace)

export interface Task extends Omit<NewTask, 'password' | 'source' | 'destination'> {
  readonly status: TaskStatus
  readonly progress: number
  /** Pace of the running attempt. `undefined`: no attempt has begun, or it began in an earlier release. */
  readonly pace?: Pace
  readonly completedAt?: number
  readonly expiresAt?: number
  readonly result?: TaskResult
  readonly error?: TaskError
  /** Address of the destination without its query. `undefined`: the result is not sent to an address. */
  readonly destinationUrl?: string
  /** Place in a bucket that the result is sent to. `undefined`: it is not sent to a bucket. */
  readonly destinationBucket?: BucketDestination
  readonly delivery?: DeliveryState
}

/** Task in the stored form of any release. */
export type StoredTask = Omit<Task, 'result'> & { readonly result?: StoredResult }
export type StoredResult = Omit<TaskResult, 'outcome'> & { readonly outcome: StoredOutcome }

export const revivedResult = (result: StoredResult): TaskResult => ({ ...result, outcome: revivedOutcome(result.outcome) })

export function revivedTask(stored: StoredTask | undefined): Task | undefined {
  if (!stored) return undefined
  const { result, ...task } = stored
  return result ? { ...task, result: revivedResult(result) } : task
}

/** Task as the API shows it to its owner. */
export interface TaskView {
  task_id: string
  status: TaskStatus
  original_size: number
  created_at: string
  file_name: string
  format: string
  /** `null`: the client asked for a score. */
  quality: string | null
  target_score?: number
  batch_id?: string
  source?: { url: string } | { connection: string; key: string }
  destination?: { url: string } | { connection: string; prefix?: string; key?: string }
  delivery?: { status: DeliveryState['status']; attempts: number; last_status: number | null }
  test?: true
  progress?: number
  eta_seconds?: number | null
  queue_position?: number | null
  download_url?: string
  compressed_size?: number
  compression_ratio?: string
  completed_at?: string
  output_format?: string
  output_name?: string
  expires_at?: string
  result?: ReceiptView
  error?: { code: number; message: string; request_id: string }
  error_detail?: { type: string; [fact: string]: unknown }
}

const iso = (ms: number) => new Date(ms).toISOString()

/** Returns the share of bytes saved in percent with one decimal, such as "54.0%". Never "-0.0%". */
function compressionRatio(originalSize: number, compressedSize: number): string {
  const percent = originalSize > 0 ? (1 - compressedSize / originalSize) * 100 : 0
  const text = percent.toFixed(1)
  return `${text === '-0.0' ? '0.0' : text}%`
}

/** Parts of the form in the API that do not depend on the task alone. */
export interface ViewOptions {
  /** Language of messages. Default: English. */
  readonly language?: Language
  /** Estimates for a task that has not ended. Default: unknown. */
  readonly outlook?: { readonly etaSeconds: number | null; readonly queuePosition: number | null }
}

/** Source, destination and delivery of a task. */
function placesOf(task: Task): Pick<TaskView, 'source' | 'destination' | 'delivery'> {
  const { sourceUrl, sourceObject, destinationUrl, destinationBucket, delivery } = task
  const source = sourceUrl === undefined ? sourceObject : { url: sourceUrl }
  const destination = destinationUrl === undefined ? bucketView(destinationBucket, task.result) : { url: destinationUrl }
  return {
    ...(source && { source }),
    ...(destination && { destination }),
    ...(delivery && { delivery: { status: delivery.status, attempts: delivery.attempts, last_status: delivery.lastStatus } }),
  }
}

/** The key is known when the result has its name. */
function bucketView(destination: BucketDestination | undefined, result: TaskResult | undefined) {
  if (!destination) return undefined
  const { connection } = destination
  const key = 'key' in destination ? destination.key : result && destinationKey(destination, result.outputName)
  return { connection, ...('prefix' in destination ? { prefix: destination.prefix } : {}), ...(key === undefined ? {} : { key }) }
}

export function toTaskView(task: Task, baseUrl: string, { language = 'en', outlook }: ViewOptions = {}): TaskView {
  const view: TaskView = {
    task_id: task.taskId,
    status: task.status,
    original_size: task.originalSize,
    created_at: iso(task.createdAt),
    file_name: task.fileName,
    format: task.format,
    quality: task.targetScore === undefined ? task.quality : null,
  }
  if (task.targetScore !== undefined) view.target_score = task.targetScore
  if (task.batchId) view.batch_id = task.batchId
  Object.assign(view, placesOf(task))
  if (isTestAccount(task.accountId)) view.test = true
  if (task.status === 'pending' || task.status === 'processing') {
    view.progress = task.progress
    view.eta_seconds = outlook?.etaSeconds ?? null
    view.queue_position = outlook?.queuePosition ?? null
  }
  if (task.completedAt !== undefined) view.completed_at = iso(task.completedAt)
  if (task.status === 'completed' && task.result) {
    view.download_url = `${baseUrl}/v1/tasks/${task.taskId}/download`
    view.compressed_size = task.result.size
    view.compression_ratio = compressionRatio(task.originalSize, task.result.size)
    view.output_format = task.result.output
    view.output_name = task.result.outputName
    view.expires_at = iso(task.expiresAt ?? task.createdAt + task.retentionMs)
    view.result = receiptView(task.result, task.originalSha256, (said) => translate(language, said))
  }
  if (task.status === 'failed' && task.error) {
    view.error = { code: task.error.code, message: translate(language, task.error.message), request_id: task.error.requestId }
    view.error_detail = { type: task.error.type, ...task.error.facts, doc_url: `${baseUrl}/docs#${task.error.type}` }
  }
  return view
}
