/** Receives one uploaded file: stores, hashes and identifies it. If the file is refused, nothing stays stored. */

import { createHash } from 'node:crypto'
import { FORMATS } from '../../core/catalog/index.ts'
import type { KnownFormat } from '../../core/catalog/outputs.ts'
import type { Source } from '../../core/model/codec.ts'
import { identify, mayBeRecognised, RECOGNITION_BYTES } from '../../core/pipeline/identify.ts'
import { type OtherType, otherType } from '../../core/pipeline/other-types.ts'
import type { Env } from '../env.ts'
import { apiMessage } from '../i18n/message.ts'
import { newUploadKey } from '../store/blob-names.ts'
import { newId } from '../store/ids.ts'
import { regionOf } from '../store/regions.ts'
import type { BucketObject, SourcePlace } from '../store/sources.ts'
import { Upload } from '../store/uploads.ts'
import { ApiError } from './api-error.ts'
import { unknownConnection } from './connections.ts'
import { cleanFileName } from './file-name.ts'
import type { JobOptions } from './job-options.ts'
import { MAX_ADDRESS_LENGTH } from './open-source.ts'
import { checkOutgoingUrl, type OutgoingRules } from './outgoing-url.ts'
import { sourceFileName } from './source-name.ts'

export interface HashedFile {
  readonly fileName: string
  readonly size: number
  /** SHA-256 in hex. */
  readonly sha256: string
  /** Id of the resumable upload. Fingerprints use it instead of the SHA-256. */
  readonly uploadId?: string
  /** Address that the service fetches the file from. Fingerprints use it instead of the SHA-256. */
  readonly url?: string
  /** Object that the service fetches the file from. Fingerprints use it instead of the SHA-256. */
  readonly object?: BucketObject
}

/** Stored upload that has no task yet. */
export interface StoredUpload {
  /** Blob key of the upload. */
  readonly key: string
  source(name: string): Source
  /** Removes the stored upload, because no task was created. */
  discard(): Promise<void>
  /** Hands the stored upload over to its task. */
  handOver(): Promise<void>
}

/** File of a request: stored with its format, refused with an error, or to be fetched from its place. */
export interface IngestedFile extends HashedFile {
  readonly taskId: string
  readonly outcome:
    | { readonly format: KnownFormat; readonly upload: StoredUpload }
    | { readonly refusal: ApiError }
    | { readonly place: SourcePlace }
  /** Job options from the upload's metadata. Options of the request take precedence. */
  readonly metadataOptions?: Partial<JobOptions>
}

/** Returns a new task id in the region of the account. */
export const newTaskId = (accountId: string) => newId('tsk', regionOf(accountId))

export interface IngestLimits {
  readonly accountId: string
  readonly maxFileBytes: number
  /** Refusal of larger files. `undefined`: the one that names the plan. */
  readonly tooLarge?: ApiError
  /** Retention of the result in milliseconds. */
  readonly retentionMs: number
  /** True if the request has no further file, so that a refused file need not be read to its end. */
  readonly isAlone: boolean
  /** True if the request names an output of files that need one (`zst`, `mp4`), or may still do so. */
  mayBePacked(): boolean
  /** Task of the file and key of its blob. `undefined`: new ones. */
  readonly place?: UploadTarget
}

interface UploadTarget {
  readonly taskId: string
  readonly uploadKey: string
  /** Called with the id of a multipart upload as soon as it exists. */
  readonly onMultipart: (uploadId: string) => void
}

/** Multiple of the size limit above which a file is no longer read. Smaller files are read to their end. */
const MAX_OVERSIZE_FACTOR = 4

/** Received file before it is identified. */
export interface ReceivedFile extends HashedFile {
  readonly taskId: string
  readonly upload: Upload
  readonly refusal?: ApiError
}

function newTarget({ accountId, retentionMs }: IngestLimits): Omit<UploadTarget, 'onMultipart'> & Partial<UploadTarget> {
  const taskId = newTaskId(accountId)
  return { taskId, uploadKey: newUploadKey(taskId, retentionMs) }
}

/** Receives the bytes of one file into R2 and refuses files that are too large or of an unknown format. */
export async function receiveFile(
  env: Env,
  fileName: string,
  body: AsyncIterable<Uint8Array>,
  limits: IngestLimits,
): Promise<ReceivedFile> {
  const { taskId, uploadKey, onMultipart } = limits.place ?? newTarget(limits)
  const upload = new Upload(env.BLOBS, uploadKey, onMultipart)
  const refused = async (refusal: ApiError, first: readonly Uint8Array[] = []) => {
    return { taskId, fileName, upload, ...(await hashRemaining(upload, first, body, limits)), refusal }
  }
  try {
    let isChecked = false
    for await (const chunk of body) {
      if (upload.size + chunk.length > limits.maxFileBytes) return await refused(refusalOf(limits), [chunk])
      await upload.write(chunk)
      if (isChecked || upload.size < RECOGNITION_BYTES) continue
      isChecked = true
      const first = upload.head(RECOGNITION_BYTES)
      if (limits.mayBePacked() || (await mayBeRecognised(first, fileName))) continue
      const refusal = unsupportedFormat(otherType(first, fileName))
      if (limits.isAlone) throw refusal
      return await refused(refusal)
    }
    return { taskId, fileName, upload, ...(await upload.finish()) }
  } catch (error) {
    await upload.discard()
    throw error
  }
}

/**
 * Identifies a received file and stores it, or refuses it.
 * @param admit checks the storage quota and throws if the file does not fit
 */
export async function storeFile(
  { upload, refusal, ...file }: ReceivedFile,
  admit?: (taskId: string, bytes: number) => Promise<void>,
): Promise<IngestedFile> {
  const refuse = async (why: ApiError): Promise<IngestedFile> => {
    await upload.discard()
    return { ...file, outcome: { refusal: why } }
  }
  try {
    if (refusal) return await refuse(refusal)
    if (file.size === 0) return await refuse(emptyFile())
    const format = (await identify(upload.source(file.fileName))) ?? FORMATS.data
    await admit?.(file.taskId, file.size)
    await upload.store()
    return { ...file, outcome: { format, upload } }
  } catch (error) {
    await upload.discard()
    throw error
  }
}

/** Returns the file at an address, which its task fetches later, or its refusal if the address is not allowed. */
export function fileAt(url: string, accountId: string, rules: OutgoingRules): IngestedFile {
  const checked = checkOutgoingUrl(url, { ...rules, maxLength: MAX_ADDRESS_LENGTH })
  const file = { taskId: newTaskId(accountId), size: 0, sha256: '' }
  if (checked.ok) return { ...file, url, fileName: sourceFileName(checked.url, null), outcome: { place: { url: checked.url } } }
  const why = apiMessage('field_unusable', { name: 'url', why: checked.why })
  return { ...file, url, fileName: cleanFileName(url), outcome: { refusal: new ApiError('unsafe_url', why, { param: 'url' }) } }
}

/** Returns the file of a bucket, which its task fetches later, or its refusal if there is no such connection. */
export function fileInBucket(object: BucketObject, accountId: string, isKnown: boolean): IngestedFile {
  const file = { taskId: newTaskId(accountId), size: 0, sha256: '', object, fileName: cleanFileName(object.key) }
  return { ...file, outcome: isKnown ? { place: { object } } : { refusal: unknownConnection(object.connection) } }
}

export const emptyFile = () => new ApiError('empty_file', 'file_empty')

/** Refusal of a file that no compressor recognises, or that needs a named output. It names the type and the outputs. */
export function unsupportedFormat(type: OtherType | undefined): ApiError {
  const format = Object.values<KnownFormat>(FORMATS).find(({ id, isOnRequest }) => isOnRequest && id === type?.extension)
  if (type && format)
    return new ApiError('unsupported_format', apiMessage('format_on_request', { type: type.title, output: format.outputs[0] }), {
      detected: type.title,
    })
  if (!type) return new ApiError('unsupported_format', 'format_not_recognised')
  return new ApiError('unsupported_format', apiMessage('format_without_compressor', { type: type.title }), { detected: type.title })
}
export const fileTooLarge = (maxFileBytes: number) => {
  const message = apiMessage('file_too_large', { megabytes: maxFileBytes / 1_000_000, bytes: maxFileBytes })
  return new ApiError('file_too_large', message, { limit_bytes: maxFileBytes })
}

const refusalOf = ({ tooLarge, maxFileBytes }: IngestLimits) => tooLarge ?? fileTooLarge(maxFileBytes)

/** Reads and hashes the rest of a refused file without storing it, because other files of the request may follow. */
async function hashRemaining(upload: Upload, first: readonly Uint8Array[], body: AsyncIterable<Uint8Array>, limits: IngestLimits) {
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
    if (size > MAX_OVERSIZE_FACTOR * limits.maxFileBytes) throw refusalOf(limits)
  }
  return { size, sha256: hash.digest('hex') }
}

/**
 * Hashes a file without storing it, for a request that may repeat an earlier one.
 * @throws ApiError if the file exceeds 4 × `maxFileBytes`
 */
export async function hashFile(fileName: string, body: AsyncIterable<Uint8Array>, maxFileBytes: number): Promise<HashedFile> {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of body) {
    hash.update(chunk)
    size += chunk.length
    if (size > MAX_OVERSIZE_FACTOR * maxFileBytes) throw fileTooLarge(maxFileBytes)
  }
  return { fileName, size, sha256: hash.digest('hex') }
}
