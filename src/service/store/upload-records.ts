/**
 * RPC interface of the Durable Object UploadRecord: one object for each resumable upload, named by its id.
 * Full parts are stored in a multipart upload; smaller rests are stored as pieces under `incoming/<upload>/`. The record lists the bytes
 * that are committed.
 */
import type { PlanId } from './plans.ts'
import type { PresetOptions } from './presets.ts'
import type { TokenGrant } from './upload-tokens.ts'

/** Task id of an upload: the same characters after the prefix, so that one upload becomes at most one task. */
export const taskIdOfUpload = (uploadId: string) => `tsk_${uploadId.slice(4)}`
export const uploadIdOfTask = (taskId: string) => `upl_${taskId.slice(4)}`

/** Job options in the metadata of an upload, without the password. All are optional. */
interface UploadOptions extends Omit<PresetOptions, 'response' | 'retention'> {
  /** Options of the preset that the metadata names, as they were when the upload began. */
  readonly preset?: PresetOptions
}

export interface NewUpload {
  readonly uploadId: string
  readonly accountId: string
  readonly plan: PlanId
  /** Size of the file in bytes. */
  readonly size: number
  readonly fileName: string
  /** Header `Upload-Metadata` as received, without the password. */
  readonly metadata: string
  readonly wishes: UploadOptions
  /** True if the task starts automatically after the last byte. */
  readonly compress: boolean
  /** Id of the R2 multipart upload. `undefined`: the file fits into one part. */
  readonly multipartId?: string
  /** Blob key of the whole file. Absent in uploads of earlier releases. */
  readonly uploadKey?: string
  /** Time of creation in epoch milliseconds. */
  readonly createdAt: number
  readonly expiresAt: number
  /** Origin and request id of the creating request, for a task that starts automatically. */
  readonly baseUrl: string
  readonly requestId: string
  /** `traceparent` of the creating request. `undefined`: it had none. */
  readonly traceparent?: string
  /** Browser token that created the upload. `undefined`: an API key did. */
  readonly token?: TokenGrant
}

/** Stored bytes that do not fill a part yet. */
export interface UploadPiece {
  readonly key: string
  readonly size: number
}

export interface UploadState extends NewUpload {
  /** Number of bytes of the upload that are committed. */
  readonly offset: number
  /** State of the SHA-256 over the committed bytes. */
  readonly hash: Uint8Array
  /** Pieces (stored bytes that fill no part), in order. They follow the parts. */
  readonly pieces: readonly UploadPiece[]
  /** True if the multipart upload is completed. */
  readonly isWhole: boolean
  /** Id of the task that the upload became. `undefined`: none yet. */
  readonly taskId?: string
}

export interface StoredPart {
  readonly partNumber: number
  readonly etag: string
}

/** Bytes that one request stored and now commits. */
export interface UploadProgress {
  /** Offset of the upload before this commit, in bytes. */
  readonly from: number
  readonly offset: number
  readonly hash: Uint8Array
  /** Parts that the request stored, in order. */
  readonly parts: readonly StoredPart[]
  /** All pieces of the upload after the commit. */
  readonly pieces: readonly UploadPiece[]
}

export type OpenUploadResult =
  | { readonly kind: 'open'; readonly turn: number; readonly upload: UploadState }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'elsewhere'; readonly offset: number }

export type UseUploadResult =
  | { readonly kind: 'taken'; readonly upload: UploadState; readonly password?: string }
  | { readonly kind: 'used' }
  | { readonly kind: 'unfinished'; readonly offset: number; readonly size: number }
  | { readonly kind: 'unknown' }

export interface UploadRecordApi {
  /** Creates the upload. `password` arrives in clear text and is encrypted at once. */
  create(upload: NewUpload, password?: string): Promise<UploadState>
  read(): Promise<UploadState | undefined>
  /** Gives a request the write lock of the upload from `offset` on. The previous holder of the lock can no longer commit. */
  open(accountId: string, offset: number): Promise<OpenUploadResult>
  /** Returns an unused part number. `undefined`: the write lock is lost. */
  nextPart(turn: number): Promise<number | undefined>
  /** Commits stored bytes. Returns `false`, without a change, if the write lock is lost. */
  commit(turn: number, progress: UploadProgress): Promise<boolean>
  /** Returns all stored parts of the upload in order. */
  parts(): Promise<StoredPart[]>
  /** Records that the multipart upload is completed. */
  whole(): Promise<void>
  /**
   * Reserves the upload for a task. `'used'`: another request has it or it became a task. `asker` may repeat the call if its response was
   * lost.
   */
  use(accountId: string, asker: string): Promise<UseUploadResult>
  /** Records that the upload has become a task. */
  used(): Promise<void>
  /** Releases the upload for another task, because none was created. */
  unuse(): Promise<void>
  /** Removes the upload, except blobs that belong to its task. Returns `false` if it does not exist. */
  remove(): Promise<boolean>
  /** Returns the keys of the blobs that the upload still needs, for the sweep. `undefined`: the upload does not exist. */
  names(): Promise<string[] | undefined>
}
