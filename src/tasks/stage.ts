/** One uploaded file on its way in: stored, hashed, recognised, or refused with nothing left behind. */
import { createHash } from 'node:crypto'
import type { Env } from '../env.ts'
import type { KnownFormat } from '../formats/outputs.ts'
import { identify } from '../pipeline/identify.ts'
import { randomBase62 } from '../store/key-format.ts'
import { Upload } from '../store/uploads.ts'
import { ApiError } from './api-error.ts'

export interface Digested {
  readonly fileName: string
  readonly size: number
  /** Hex. */
  readonly sha256: string
}

/** A file that is kept under `uploads/<taskId>`, or (`refusal`) was not worth keeping. */
export interface Staged extends Digested {
  readonly taskId: string
  readonly kept: { readonly format: KnownFormat; readonly upload: Upload } | { readonly refusal: ApiError }
}

export interface StageLimits {
  readonly maxFileBytes: number
  /** Asked before anything is kept for good; throws when the account is full. */
  admit(taskId: string, bytes: number): Promise<void>
}

/** A file this many times over the limit is not even read to its end. */
const HOPELESS = 4

export async function stage(env: Env, fileName: string, body: AsyncIterable<Uint8Array>, limits: StageLimits): Promise<Staged> {
  const taskId = `tsk_${randomBase62(24)}`
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
    if (digested.size === 0) return refuse(new ApiError('empty_file', 'The file is empty.'))
    const format = await identify(upload.source(fileName))
    if (!format)
      return refuse(new ApiError('unsupported_format', 'No supported format recognises the bytes of this file; see /v1/formats.'))
    await limits.admit(taskId, digested.size)
    await upload.store()
    return { ...digested, kept: { format, upload } }
  } catch (error) {
    await upload.discard()
    throw error
  }
}

/** Reads on without keeping anything, so that the files behind this one are still found. */
async function tooLarge(upload: Upload, chunk: Uint8Array, body: AsyncIterable<Uint8Array>, maxFileBytes: number) {
  const facts = { limit_bytes: maxFileBytes }
  const refusal = new ApiError(
    'file_too_large',
    `Your plan takes files of up to ${maxFileBytes / 1_000_000} MB (${maxFileBytes} bytes).`,
    facts,
  )
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
