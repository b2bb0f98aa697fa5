/** Creates tasks from received files: chooses output and lane. Quick tasks call the press directly. */

import { DEFAULT_EFFORT } from '../../core/catalog/effort.ts'
import { FORMATS } from '../../core/catalog/index.ts'
import { formatFor, type KnownFormat, type OutputId } from '../../core/catalog/outputs.ts'
import { otherTypeOf } from '../../core/pipeline/other-types.ts'
import { passwordObstacle } from '../../core/pipeline/password.ts'
import { type Env, outgoingRules } from '../env.ts'
import { apiMessage } from '../i18n/message.ts'
import { LANES } from '../lanes.ts'
import type { StorageRefusal } from '../store/accounts.ts'
import { longestRetentionMs, newUploadKey, taskIdOfBlob } from '../store/blob-names.ts'
import type { KeyRecord } from '../store/keys.ts'
import { maxWorkSeconds, type Plan } from '../store/plans.ts'
import { type SourcePlace, shownAddress } from '../store/sources.ts'
import type { Lane, NewTask, Task } from '../store/task.ts'
import type { TokenGrant } from '../store/upload-tokens.ts'
import { traceField } from '../trace-context.ts'
import { ApiError } from './api-error.ts'
import { estimatedSeconds } from './estimated-seconds.ts'
import { chargeGuestTime } from './guests.ts'
import { emptyFile, type IngestedFile, newTaskId, unsupportedFormat } from './ingest.ts'
import {
  checkMetadata,
  checkOutputName,
  checkPictureOptions,
  checkQuality,
  chooseOutput,
  type JobOptions,
  withoutReplacedGoal,
  withPreset,
} from './job-options.ts'
import { checkOutgoingUrl } from './outgoing-url.ts'
import { checkTokenFormat, claimTokenFile, settleTokenFile } from './token-rules.ts'
import { waitForTask } from './wait-for-task.ts'

export interface Submission {
  readonly env: Env
  readonly key: Pick<KeyRecord, 'accountId'>
  /** Browser token of the request. `undefined`: an API key made it. */
  readonly token?: TokenGrant | undefined
  readonly plan: Plan
  readonly requestId: string
  /** Valid `traceparent` of the request. `undefined`: it had none. */
  readonly traceparent?: string | undefined
  /** Origin of the client's request. */
  readonly baseUrl: string
  /** Job options of the request. They apply to every file of a batch. */
  readonly jobOptions: Partial<JobOptions>
  readonly batchId?: string
}

/** Longest time in milliseconds that a response waits for a quick task, unless the client sends `Prefer: wait`. */
const QUICK_WAIT_MS = 25_000

/** What one request stores. */
export interface StorageDemand {
  readonly bytes: number
  /** Number of tasks that the request creates. */
  readonly objects: number
}

/**
 * Reserves storage quota for a task, or for several under one id.
 * @throws ApiError if they do not fit
 */
export async function reserveStorage(env: Env, key: KeyRecord, id: string, { bytes, objects }: StorageDemand): Promise<void> {
  const answer = await env.ACCOUNTS.getByName(key.accountId).admit(id, bytes, objects)
  if (!answer.ok) throw storageQuotaError(answer)
}

export function storageQuotaError({ used, quota, objects, maxObjects }: StorageRefusal): ApiError {
  const facts = { used_bytes: used, quota_bytes: quota }
  if (maxObjects !== undefined) {
    const message = apiMessage('too_many_tasks', { limit: maxObjects })
    return new ApiError('storage_quota_exceeded', message, { ...facts, tasks: objects, max_tasks: maxObjects })
  }
  return new ApiError('storage_quota_exceeded', 'storage_full', facts)
}

/** Releases reserved storage of tasks that were not created. If the call fails, the reservation expires after 15 minutes. */
export async function releaseStorage(env: Env, key: KeyRecord, ids: readonly string[]): Promise<void> {
  await env.ACCOUNTS.getByName(key.accountId)
    .giveBack(ids)
    .catch(() => undefined)
}

/**
 * Validates a callback URL and returns it normalised.
 * @throws ApiError if the plan has no callbacks or the URL is unsafe
 */
export function checkCallback(env: Env, plan: Plan, callbackUrl: string): string {
  if (!plan.callbacks) throw new ApiError('plan_not_allowed', apiMessage('plan_has_no_callbacks', { plan: plan.id }), { plan: plan.id })
  const checked = checkOutgoingUrl(callbackUrl, outgoingRules(env))
  if (checked.ok) return checked.url
  throw new ApiError('unsafe_callback_url', apiMessage('field_unusable', { name: 'callback_url', why: checked.why }), {
    param: 'callback_url',
  })
}

/**
 * Creates the task of a single file. Small files of suitable formats use the quick lane, unless `fastest` is `slow`.
 * @throws ApiError if the file or its options are refused
 */
export async function submit(submission: Submission, staged: IngestedFile, fastest: Lane = 'quick'): Promise<Task> {
  if ('refusal' in staged.outcome) throw staged.outcome.refusal
  if ('place' in staged.outcome) return createWithSource(submission, staged, staged.outcome.place)
  const { format, upload } = staged.outcome
  try {
    return await create(submission, staged, await chooseOutputAndLane(submission, staged, format, fastest))
  } catch (error) {
    await upload.discard()
    throw error
  }
}

/** Creates the task of one file of a batch. If the file is refused, only its own task fails. Batches always use the queue. */
export async function submitBatchFile(submission: Submission, staged: IngestedFile, position: number): Promise<Task> {
  if ('refusal' in staged.outcome) return createFailed(submission, staged, staged.outcome.refusal, position)
  if ('place' in staged.outcome) return createWithSource(submission, staged, staged.outcome.place, position)
  const { format, upload } = staged.outcome
  try {
    return await create(submission, staged, { ...(await chooseOutputAndLane(submission, staged, format, 'slow')), position })
  } catch (error) {
    await upload.discard()
    // Give the failed task of a resumable upload a new id, because the upload may still become another task.
    const failed = staged.uploadId === undefined ? staged : { ...staged, taskId: newTaskId(submission.key.accountId) }
    if (error instanceof ApiError) return createFailed(submission, failed, error, position)
    throw error
  }
}

/**
 * Merges job options. Options of the request take precedence over those of the upload's metadata, and both over the options of a preset.
 */
const mergedOptions = ({ jobOptions }: Submission, { metadataOptions: wishes, outcome }: IngestedFile): JobOptions =>
  withPreset({ ...withoutReplacedGoal(wishes ?? {}, jobOptions), ...jobOptions }, 'upload' in outcome ? outcome.format : FORMATS.data)

export type FetchedFields = Decision &
  Pick<NewTask, 'quality' | JobField | 'fileName' | 'originalSize' | 'originalSha256' | 'maxWorkSeconds'>

type Decision = Pick<NewTask, 'format' | 'output' | 'worker' | 'lane' | 'position'>

async function chooseOutputAndLane(submission: Submission, staged: IngestedFile, found: KnownFormat, fastest: Lane): Promise<Decision> {
  const jobOptions = mergedOptions(submission, staged)
  const format = formatFor(found, jobOptions.format) ?? found
  if (submission.token) checkTokenFormat(submission.token, format)
  checkQuality(format, jobOptions.quality)
  checkMetadata(format, jobOptions.metadata)
  checkPictureOptions(format, jobOptions)
  const output = await outputOf(staged, format, jobOptions.format)
  if (jobOptions.password !== undefined) await refusePassword(staged, format)
  const { worker, quickUpTo } = LANES[format.id]
  // Only queued tasks wait for those of accounts.
  const quick = fastest === 'quick' && submission.plan.id !== 'guest' && worker === 'press' && staged.size <= quickUpTo
  return { format: format.id, output, worker, lane: quick ? 'quick' : 'slow' }
}

/** Chooses the output. Files that no compressor recognises, or that are only converted, need a named one. */
async function outputOf(staged: IngestedFile, format: KnownFormat, wanted: string | undefined): Promise<OutputId> {
  if (!format.isOnRequest || wanted !== undefined) return chooseOutput(format, wanted)
  throw unsupportedFormat('upload' in staged.outcome ? await otherTypeOf(staged.outcome.upload.source(staged.fileName)) : undefined)
}

const PASSWORD_REFUSALS = { signed: 'signed_pdf_with_password', encrypted: 'document_has_password' } as const

async function refusePassword({ outcome, fileName }: IngestedFile, format: KnownFormat): Promise<void> {
  const obstacle = 'upload' in outcome ? await passwordObstacle(outcome.upload.source(fileName), format) : undefined
  if (obstacle) throw new ApiError('password_not_applicable', PASSWORD_REFUSALS[obstacle], { param: 'password' })
}

/** Time in milliseconds that a result waits for its only download, if nothing is to be kept. */
const SINGLE_DOWNLOAD_MS = 3_600_000

/** Limits the retention of a task to the retention in its upload's blob key. The plan may have changed since the upload. */
function retentionOf(plan: Plan, { retention }: JobOptions, staged: IngestedFile): Pick<NewTask, 'retentionMs' | 'uploadKey'> {
  const wantedMs = retention === undefined ? plan.retentionMs : retention === 0 ? SINGLE_DOWNLOAD_MS : retention * 1000
  const retentionMs = Math.min(wantedMs, plan.retentionMs)
  if ('place' in staged.outcome) return { retentionMs, uploadKey: newUploadKey(staged.taskId, plan.retentionMs) }
  if ('refusal' in staged.outcome) return { retentionMs }
  const { key } = staged.outcome.upload
  // The failed task of a resumable upload does not own the upload's blob.
  if (taskIdOfBlob(key) !== staged.taskId) return { retentionMs }
  return { retentionMs: Math.min(retentionMs, longestRetentionMs(key)), uploadKey: key }
}

function commonFields(submission: Submission, staged: IngestedFile) {
  const { key, token, plan, requestId, traceparent, baseUrl, batchId } = submission
  const jobOptions = mergedOptions(submission, staged)
  return {
    taskId: staged.taskId,
    accountId: key.accountId,
    ...(token === undefined ? {} : { tokenId: token.id }),
    fileName: staged.fileName,
    quality: jobOptions.quality,
    ...(jobOptions.targetScore === undefined ? {} : { targetScore: jobOptions.targetScore }),
    originalSize: staged.size,
    originalSha256: staged.sha256,
    createdAt: Date.now(),
    maxWorkSeconds: maxWorkSeconds(plan, staged.size),
    ...retentionOf(plan, jobOptions, staged),
    ...(jobOptions.retention === 0 ? { singleDownload: true as const } : {}),
    baseUrl,
    requestId,
    ...(traceparent === undefined ? {} : { traceparent }),
    ...(batchId === undefined ? {} : { batchId }),
    ...(jobOptions.callbackUrl === undefined ? {} : { callbackUrl: jobOptions.callbackUrl }),
    ...(jobOptions.destination === undefined ? {} : { destination: jobOptions.destination }),
  }
}

type JobField = 'rendition' | 'targetSize' | 'targetScore' | 'maxWidth' | 'maxHeight' | 'dpi' | 'effort' | 'metadata' | 'usageRights'

/** Fields of a task that its job needs besides quality and output. */
const jobFields = ({
  rendition,
  targetSize,
  targetScore,
  maxWidth,
  maxHeight,
  dpi,
  effort,
  metadata,
  usageRights,
}: JobOptions): Pick<NewTask, JobField> => ({
  ...(rendition === undefined ? {} : { rendition }),
  ...(targetSize === undefined ? {} : { targetSize }),
  ...(targetScore === undefined ? {} : { targetScore }),
  ...(maxWidth === undefined ? {} : { maxWidth }),
  ...(maxHeight === undefined ? {} : { maxHeight }),
  ...(dpi === undefined ? {} : { dpi }),
  ...(effort === undefined || effort === DEFAULT_EFFORT ? {} : { effort }),
  ...(metadata === undefined || metadata === 'keep' ? {} : { metadata }),
  ...(usageRights === 'drop' ? { usageRights } : {}),
})

/** What is unknown until the file of a task is there. */
const UNKNOWN_FILE = { format: 'unknown', output: 'unknown', worker: 'press', lane: 'slow' } as const

/** Creates a task that fetches its file itself. Its options are checked against the format of the file afterwards. */
async function createWithSource(submission: Submission, staged: IngestedFile, place: SourcePlace, position?: number): Promise<Task> {
  const { env, jobOptions, plan } = submission
  const { password, destination: _, rendition: __, ...options } = jobOptions
  if (options.format !== undefined) checkOutputName(options.format)
  return env.TASKS.getByName(staged.taskId).create({
    ...commonFields(submission, staged),
    ...UNKNOWN_FILE,
    ...(position === undefined ? {} : { position }),
    ...(password === undefined ? {} : { password }),
    source: { ...place, planId: plan.id, options },
    ...('url' in place ? { sourceUrl: shownAddress(place.url) } : { sourceObject: place.object }),
  })
}

/**
 * Returns the fields of a task whose file was fetched, from the format of the file.
 * @throws ApiError if the file or an option is refused
 */
export async function fetchedFields(submission: Submission, staged: IngestedFile): Promise<FetchedFields> {
  if (!('upload' in staged.outcome)) throw 'refusal' in staged.outcome ? staged.outcome.refusal : emptyFile()
  const jobOptions = mergedOptions(submission, staged)
  return {
    ...(await chooseOutputAndLane(submission, staged, staged.outcome.format, 'slow')),
    ...jobFields(jobOptions),
    quality: jobOptions.quality,
    fileName: staged.fileName,
    originalSize: staged.size,
    originalSha256: staged.sha256,
    maxWorkSeconds: maxWorkSeconds(submission.plan, staged.size),
  }
}

async function create(submission: Submission, staged: IngestedFile, decision: Decision): Promise<Task> {
  const { env, token } = submission
  const jobOptions = mergedOptions(submission, staged)
  // A resumable upload has counted its file when it began.
  const estimated = { format: decision.format, originalSize: staged.size, ...jobFields(jobOptions) }
  if (token) await chargeGuestTime(env, token, estimatedSeconds(estimated))
  if (token && staged.uploadId === undefined) await claimTokenFile(env, token, staged.taskId)
  const task = await env.TASKS.getByName(staged.taskId).create({
    ...commonFields(submission, staged),
    ...decision,
    ...jobFields(jobOptions),
    ...(jobOptions.password === undefined ? {} : { password: jobOptions.password }),
  })
  if (token) await settleTokenFile(env, token, staged.taskId, 'used')
  if ('upload' in staged.outcome) await staged.outcome.upload.handOver()
  return task
}

/**
 * Creates a failed task for a refused file.
 * @param position position in the batch
 */
export function createFailed(submission: Submission, staged: IngestedFile, error: ApiError, position?: number): Promise<Task> {
  const decision = { ...UNKNOWN_FILE, ...('upload' in staged.outcome ? { format: staged.outcome.format.id } : {}) }
  const task: NewTask = { ...commonFields(submission, staged), ...decision, ...(position === undefined ? {} : { position }) }
  return submission.env.TASKS.getByName(staged.taskId).createFailed(task, error.asTaskError(submission.requestId))
}

/**
 * Runs a quick task and waits for it, for `waitMs` or 25 s. Waits for a queued task only if `waitMs` is given.
 * @param keepAlive keeps the job running after the response
 */
export async function runAndWait(
  env: Env,
  task: Task,
  waitMs: number | undefined,
  keepAlive: (work: Promise<unknown>) => void,
): Promise<Task> {
  if (task.lane === 'slow') return waitMs ? ((await waitForTask(env, task.taskId, waitMs)) ?? task) : task
  const run = runInPress(env, task)
  keepAlive(run)
  const limitMs = waitMs ?? QUICK_WAIT_MS
  if (limitMs === 0) return task
  const startedMs = Date.now()
  await Promise.race([run, new Promise((resolve) => setTimeout(resolve, limitMs))])
  const now = (await env.TASKS.getByName(task.taskId).read()) ?? task
  const leftMs = limitMs - (Date.now() - startedMs)
  // Another worker is running the task, for another request with the same Idempotency-Key or from the queue.
  if (now.status === 'completed' || now.status === 'failed' || leftMs <= 0) return now
  return (await waitForTask(env, task.taskId, leftMs)) ?? now
}

/**
 * Runs a quick task in the press. If the press is busy or fails, the task moves to the queue. If that call fails too, the task's watchdog
 * queues it.
 */
async function runInPress(env: Env, { taskId, originalSize, traceparent }: Task): Promise<void> {
  const record = env.TASKS.getByName(taskId)
  const worker = crypto.randomUUID()
  try {
    if ((await env.PRESS.run(taskId, originalSize, worker)) === 'busy') await record.toQueue()
  } catch (error) {
    console.error(
      JSON.stringify({ level: 'error', event: 'press_failed', task_id: taskId, ...traceField(traceparent), error: String(error) }),
    )
    await record.toQueue(worker).catch(() => undefined)
  }
}
