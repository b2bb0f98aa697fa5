/** One uploaded file on its way in: stored, hashed, recognised, or refused with nothing left behind. */

import { createHash } from 'node:crypto'
import type { KnownFormat } from '../../core/catalog/outputs.ts'
import type { Source } from '../../core/model/codec.ts'
import { FIRST_BYTES, identify, mayBeKnown } from '../../core/pipeline/identify.ts'
import type { Env } from '../env.ts'
import { apiMessage } from '../i18n/message.ts'
import { newUploadKey } from '../store/blob-names.ts'
import { newId } from '../store/ids.ts'
import { regionOf } from '../store/regions.ts'
import { Upload } from '../store/uploads.ts'
import { ApiError } from './api-error.ts'
import type { JobOptions } from './job-options.ts'

export interface Digested {
  readonly fileName: string
  readonly size: number
  /** Hex. */
  readonly sha256: string
  /** Of a resumable upload, which is itself and no other, whatever its bytes are. */
  readonly uploadId?: string
}

/** An upload that waits for its task. */
export interface Kept {
  /** Its blob. */
  readonly key: string
  source(name: string): Source
  /** No task came of it. */
  discard(): Promise<void>
  /** Its task has it now. */
  handOver(): Promise<void>
}

/** A file that is kept, or (`refusal`) was not worth keeping. */
export interface Staged extends Digested {
  readonly taskId: string
  readonly kept: { readonly format: KnownFormat; readonly upload: Kept } | { readonly refusal: ApiError }
  /** What its own metadata asks for, where the request does not say. */
  readonly wishes?: Partial<JobOptions>
}

/** Of a task that is where its account is. */
export const newTaskId = (accountId: string) => newId('tsk', regionOf(accountId))

export interface StageLimits {
  readonly accountId: string
  readonly maxFileBytes: number
  /** Of what comes of it. */
  readonly retentionMs: number
  /** No other file follows: what is refused need not be read to its end. */
  readonly isAlone: boolean
}

/** A file this many times over the limit is not even read to its end. */
const HOPELESS = 4

/** What came of a file, before it is looked into. */
export interface Received extends Digested {
  readonly taskId: string
  readonly upload: Upload
  readonly refusal?: ApiError
}

/** Takes the bytes of one file. */
export async function receive(env: Env, fileName: string, body: AsyncIterable<Uint8Array>, limits: StageLimits): Promise<Received> {
  const taskId = newTaskId(limits.accountId)
  const upload = new Upload(env.BLOBS, newUploadKey(taskId, limits.retentionMs))
  const refused = async (refusal: ApiError, first: readonly Uint8Array[] = []) => {
    return { taskId, fileName, upload, ...(await forgotten(upload, first, body, limits)), refusal }
  }
  try {
    let looked = false
    for await (const chunk of body) {
      if (upload.size + chunk.length > limits.maxFileBytes) return await refused(fileTooLarge(limits.maxFileBytes), [chunk])
      await upload.write(chunk)
      if (looked || upload.size < FIRST_BYTES) continue
      looked = true
      if (await mayBeKnown(upload.head(FIRST_BYTES), fileName)) continue
      if (limits.isAlone) throw unsupportedFormat()
      return await refused(unsupportedFormat())
    }
    return { taskId, fileName, upload, ...(await upload.finish()) }
  } catch (error) {
    await upload.discard()
    throw error
  }
}

/** Looks into a file that has come, and keeps it, or not. `admit` throws when the account is full. */
export async function keep(
  { upload, refusal, ...file }: Received,
  admit?: (taskId: string, bytes: number) => Promise<void>,
): Promise<Staged> {
  const refuse = async (why: ApiError): Promise<Staged> => {
    await upload.discard()
    return { ...file, kept: { refusal: why } }
  }
  try {
    if (refusal) return await refuse(refusal)
    if (file.size === 0) return await refuse(emptyFile())
    const format = await identify(upload.source(file.fileName))
    if (!format) return await refuse(unsupportedFormat())
    await admit?.(file.taskId, file.size)
    await upload.store()
    return { ...file, kept: { format, upload } }
  } catch (error) {
    await upload.discard()
    throw error
  }
}

export const emptyFile = () => new ApiError('empty_file', 'file_empty')
export const unsupportedFormat = () => new ApiError('unsupported_format', 'format_not_recognised')
export const fileTooLarge = (maxFileBytes: number) => {
  const message = apiMessage('file_too_large', { megabytes: maxFileBytes / 1_000_000, bytes: maxFileBytes })
  return new ApiError('file_too_large', message, { limit_bytes: maxFileBytes })
}

/** Reads on without keeping anything, so that the files behind this one are still found. */
async function forgotten(upload: Upload, first: readonly Uint8Array[], body: AsyncIterable<Uint8Array>, { maxFileBytes }: StageLimits) {
  const { hash } = upload
  let { size } = upload
  const count = (chunk: Uint8Array) => {
    hash.update(chunk)
    size += chunk.length
  }
  first.forEach(count)
  await upload.discard()
  for await (const chunk of body) {
    count(chunk)
    if (size > HOPELESS * maxFileBytes) throw fileTooLarge(maxFileBytes)
  }
  return { size, sha256: hash.digest('hex') }
}

/** Only the digest of a file, for a request that was answered before: that had no file of more than so much, nor has its copy. */
export async function digest(fileName: string, body: AsyncIterable<Uint8Array>, maxFileBytes: number): Promise<Digested> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of body) {
    hash.update(chunk)
    size += chunk.length
    if (size > HOPELESS * maxFileBytes) throw fileTooLarge(maxFileBytes)
  }
  return { fileName, size, sha256: hash.digest('hex') }
}
