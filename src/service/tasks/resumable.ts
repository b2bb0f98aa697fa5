/** Creates resumable uploads and the tasks that they become. */

import { Sha256 } from '../../core/bytes/sha256.ts'
import { FORMATS } from '../../core/catalog/index.ts'
import { identify } from '../../core/pipeline/identify.ts'
import type { Env } from '../env.ts'
import { apiMessage } from '../i18n/message.ts'
import { newUploadKey } from '../store/blob-names.ts'
import { PART_BYTES, r2Source } from '../store/blobs.ts'
import { idPattern } from '../store/ids.ts'
import { PLANS, type Plan } from '../store/plans.ts'
import { finishUpload, uploadBlobKey } from '../store/resumable.ts'
import type { Task } from '../store/task.ts'
import { type NewUpload, taskIdOfUpload, type UploadRecordApi, type UploadState, type UseUploadResult } from '../store/upload-records.ts'
import type { TokenGrant } from '../store/upload-tokens.ts'
import { ApiError } from './api-error.ts'
import { emptyFile, fileTooLarge, type IngestedFile, newTaskId, type StoredUpload } from './ingest.ts'
import { createFailed, type Submission, storageQuotaError, submit } from './submit.ts'
import { claimTokenFile, settleTokenFile, tokenSizeLimit } from './token-rules.ts'

/** Lifetime of an unfinished upload, in milliseconds (24 hours). */
export const UPLOAD_LIFETIME_MS = 24 * 3_600_000
const UPLOAD_ID = idPattern('upl')

export const unknownUpload = (id: string) => new ApiError('unknown_upload', apiMessage('no_such_upload', { id: id.slice(0, 40) }))

/**
 * Returns the record of an upload. Checks the id first, because a call with any name creates a Durable Object.
 * @throws ApiError `unknown_upload`
 */
export function uploadRecord(env: Env, id: string): UploadRecordApi {
  if (!UPLOAD_ID.test(id)) throw unknownUpload(id)
  return env.UPLOADS.getByName(id)
}

/**
 * Reserves storage and creates the record of an upload.
 * @throws ApiError if the file size, the storage quota or the files of the token are exceeded
 */
export async function createUpload(
  env: Env,
  upload: Omit<NewUpload, 'multipartId' | 'uploadKey'>,
  password?: string,
): Promise<UploadState> {
  const plan: Plan = PLANS[upload.plan]
  if (upload.size > plan.maxFileBytes) throw fileTooLarge(plan.maxFileBytes)
  const limit = tokenSizeLimit(upload.token, plan.maxFileBytes)
  if (limit && upload.size > limit.limitBytes) throw limit.tooLarge
  const account = env.ACCOUNTS.getByName(upload.accountId)
  const taskId = taskIdOfUpload(upload.uploadId)
  const withKey = { ...upload, uploadKey: newUploadKey(taskId, plan.retentionMs) }
  if (upload.token) await claimTokenFile(env, upload.token, taskId)
  try {
    const reservation = await account.reserve(taskId, upload.size, upload.expiresAt)
    if (!reservation.ok) throw storageQuotaError(reservation)
    const multipart = upload.size > PART_BYTES ? await env.BLOBS.createMultipartUpload(withKey.uploadKey) : undefined
    const whole: NewUpload = multipart ? { ...withKey, multipartId: multipart.uploadId } : withKey
    return await env.UPLOADS.getByName(upload.uploadId).create(whole, password)
  } catch (error) {
    await account.release(taskId).catch(() => undefined)
    if (upload.token) await settleTokenFile(env, upload.token, taskId, 'refused')
    throw error
  }
}

/**
 * Returns a finished resumable upload as a file of a request. Problems become its refusal, not an exception.
 * @param token browser token of the request, which may use only its own uploads
 */
export async function ingestUpload(env: Env, accountId: string, uploadId: string, token?: TokenGrant): Promise<IngestedFile> {
  const refused = (refusal: ApiError): IngestedFile => {
    return { taskId: newTaskId(accountId), uploadId, fileName: 'upload', size: 0, sha256: new Sha256().hex(), outcome: { refusal } }
  }
  if (!UPLOAD_ID.test(uploadId)) return refused(unknownUpload(uploadId))
  const record = env.UPLOADS.getByName(uploadId)
  if (token && (await record.read())?.token?.id !== token.id) return refused(unknownUpload(uploadId))
  const use = await record.use(accountId, crypto.randomUUID())
  if (use.kind !== 'taken') return refused(refusalOf(uploadId, use))
  return releaseOnError(record, async () => {
    if (await existingTask(env, record, use.upload)) return refused(refusalOf(uploadId, { kind: 'used' }))
    const staged = await ingestClaimed(env, record, use)
    if ('upload' in staged.outcome) return staged
    // Release the resumable upload, because another task may use it.
    await record.unuse()
    return { ...staged, taskId: newTaskId(accountId) }
  })
}

function refusalOf(uploadId: string, use: Exclude<UseUploadResult, { kind: 'taken' }>): ApiError {
  if (use.kind === 'unknown') return unknownUpload(uploadId)
  if (use.kind === 'used') return new ApiError('upload_used', 'upload_became_task')
  const { offset, size } = use
  return new ApiError('offset_mismatch', apiMessage('upload_not_finished', { offset, size }), { offset, size })
}

/** Runs `work` and releases the upload if it throws. */
async function releaseOnError<T>(record: UploadRecordApi, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    await record.unuse()
    throw error
  }
}

/** Returns the task of an upload, if an interrupted request created it before. */
async function existingTask(env: Env, record: UploadRecordApi, upload: UploadState): Promise<Task | undefined> {
  const task = await env.TASKS.getByName(taskIdOfUpload(upload.uploadId)).read()
  if (task) await record.used()
  return task
}

async function ingestClaimed(env: Env, record: UploadRecordApi, use: Extract<UseUploadResult, { kind: 'taken' }>): Promise<IngestedFile> {
  const { upload, password } = use
  const { uploadId, fileName, size } = upload
  const file = {
    taskId: taskIdOfUpload(uploadId),
    uploadId,
    fileName,
    size,
    sha256: Sha256.from(upload.hash).hex(),
    metadataOptions: { ...upload.wishes, ...(password === undefined ? {} : { password }) },
  }
  if (size === 0) return { ...file, outcome: { refusal: emptyFile() } }
  await finishUpload(env.BLOBS, record, upload)
  const source = (name: string) => r2Source(env.BLOBS, uploadBlobKey(upload), size, name)
  const found = (await identify(source(fileName))) ?? FORMATS.data
  const kept: StoredUpload = { key: uploadBlobKey(upload), source, discard: () => record.unuse(), handOver: () => record.used() }
  return { ...file, outcome: { format: found, upload: kept } }
}

/**
 * Creates the task of a complete upload whose metadata has `compress`. If the file is refused, creates a failed task, because no client
 * waits for a response.
 * Idempotent. `undefined`: another request is creating the task.
 */
export async function createTaskOfUpload(env: Env, record: UploadRecordApi, upload: UploadState): Promise<Task | undefined> {
  const use = await record.use(upload.accountId, crypto.randomUUID())
  if (use.kind !== 'taken') return undefined
  return releaseOnError(record, async () => {
    const known = await existingTask(env, record, upload)
    if (known) return known
    const staged = await ingestClaimed(env, record, use)
    const { plan, requestId, traceparent, baseUrl, accountId, token } = upload
    const submission: Submission = { env, key: { accountId }, token, plan: PLANS[plan], requestId, traceparent, baseUrl, jobOptions: {} }
    try {
      return await submit(submission, staged, 'slow')
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const task = await createFailed(submission, staged, error)
      if (token) await settleTokenFile(env, token, task.taskId, 'refused')
      await record.used()
      return task
    }
  })
}
