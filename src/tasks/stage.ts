/** One uploaded file on its way in: stored, hashed, recognised, or refused with nothing left behind. */
import { createHash } from 'node:crypto'
import type { Source } from '../codec/codec.ts'
import type { Env } from '../env.ts'
import type { KnownFormat } from '../formats/outputs.ts'
import { identify } from '../pipeline/identify.ts'
import { randomBase62 } from '../store/key-format.ts'
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

/** What lies under `uploads/<taskId>` and waits for its task. */
export interface Kept {
  source(name: string): Source
  /** No task came of it. */
  discard(): Promise<void>
  /** Its task has it now. */
  handOver(): Promise<void>
}

/** A file that is kept under `uploads/<taskId>`, or (`refusal`) was not worth keeping. */
export interface Staged extends Digested {
  readonly taskId: string
  readonly kept: { readonly format: KnownFormat; readonly upload: Kept } | { readonly refusal: ApiError }
  /** What its own metadata asks for, where the request does not say. */
  readonly wishes?: Partial<JobOptions>
}

export const newTaskId = () => `tsk_${randomBase62(24)}`

export interface StageLimits {
  readonly maxFileBytes: number
  /** Asked before anything is kept for good; throws when the account is full. */
  admit(taskId: string, bytes: number): Promise<void>
}

/** A file this many times over the limit is not even read to its end. */
const HOPELESS = 4

export async function stage(env: Env, fileName: string, body: AsyncIterable<Uint8Array>, limits: StageLimits): Promise<Staged> {
  const taskId = newTaskId()
  const upload = new Upload(env.BLOBS, `uploads/${taskId}`)
  try {
    for await (const chunk of body) {
      if (upload.size + chunk.length > limits.maxFileBytes) {
        const { refusal, ...file } = await tooLarge(upload, chunk, body, limits.maxFileBytes)
        return { taskId, fileName, ...file, kept: { refusal } }
      }
      await upload.write(chunk)
    }
    const digested = { taskId, fileName, ...(await upload.finish()) }
    const refuse = async (refusal: ApiError): Promise<Staged> => {
      await upload.discard()
      return { ...digested, kept: { refusal } }
    }
    if (digested.size === 0) return refuse(emptyFile())
    const format = await identify(upload.source(fileName))
    if (!format) return refuse(unsupportedFormat())
    await limits.admit(taskId, digested.size)
    await upload.store()
    return { ...digested, kept: { format, upload } }
  } catch (error) {
    await upload.discard()
    throw error
  }
}

export const emptyFile = () => new ApiError('empty_file', 'The file is empty.')
export const unsupportedFormat = () =>
  new ApiError('unsupported_format', 'No supported format recognises the bytes of this file; see /v1/formats.')
export const fileTooLarge = (maxFileBytes: number) => {
  const message = `Your plan takes files of up to ${maxFileBytes / 1_000_000} MB (${maxFileBytes} bytes).`
  return new ApiError('file_too_large', message, { limit_bytes: maxFileBytes })
}

/** Reads on without keeping anything, so that the files behind this one are still found. */
async function tooLarge(upload: Upload, chunk: Uint8Array, body: AsyncIterable<Uint8Array>, maxFileBytes: number) {
  const refusal = fileTooLarge(maxFileBytes)
  const hash = upload.hash.update(chunk)
  let size = upload.size + chunk.length
  await upload.discard()
  for await (const more of body) {
    hash.update(more)
    size += more.length
    if (size > HOPELESS * maxFileBytes) throw refusal
  }
  return { size, sha256: hash.digest('hex'), refusal }
}

/** Only the digest of a file, for a request that was answered before. */
export async function digest(fileName: string, body: AsyncIterable<Uint8Array>): Promise<Digested> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of body) {
    hash.update(chunk)
    size += chunk.length
  }
  return { fileName, size, sha256: hash.digest('hex') }
}
