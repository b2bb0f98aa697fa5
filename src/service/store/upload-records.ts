/**
 * The typed face of UploadRecord: one Durable Object a resumable upload, named by its id. The bytes lie in the bucket: full parts
 * in a multipart upload, what fills no part yet in pieces under `incoming/<upload>/`. The record knows which of them count.
 */
import type { Quality } from '../../core/model/codec.ts'
import type { PlanId } from './plans.ts'

/** An upload and the task that it may become share what stands behind `upl_` and `tsk_`: one upload can become one task. */
export const taskOfUpload = (uploadId: string) => `tsk_${uploadId.slice(4)}`
export const uploadOfTask = (taskId: string) => `upl_${taskId.slice(4)}`

/** What the metadata of an upload asks for, where it does. */
interface UploadWishes {
  readonly quality?: Quality
  readonly format?: string
  readonly callbackUrl?: string
  /** Bytes. */
  readonly targetSize?: number
  readonly usageRights?: 'keep' | 'drop'
}

export interface NewUpload {
  readonly uploadId: string
  readonly accountId: string
  readonly plan: PlanId
  /** Bytes. */
  readonly size: number
  readonly fileName: string
  /** `Upload-Metadata` as it came, without the password. */
  readonly metadata: string
  readonly wishes: UploadWishes
  /** The task begins with the last byte. */
  readonly compress: boolean
  /** Of the multipart upload; absent where the file is one part. */
  readonly multipartId?: string
  /** Blob of the whole file; absent in uploads of before the bucket went by names. */
  readonly uploadKey?: string
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly expiresAt: number
  /** The origin the client spoke to, and the request that made it: for a task that begins by itself. */
  readonly baseUrl: string
  readonly requestId: string
}

/** Bytes that fill no part yet. */
export interface Piece {
  readonly key: string
  readonly size: number
}

export interface UploadState extends NewUpload {
  /** Bytes that are stored for good. */
  readonly offset: number
  /** The state of the SHA-256 of them. */
  readonly hash: Uint8Array
  /** In order; they stand behind the parts. */
  readonly pieces: readonly Piece[]
  /** The whole file lies where it shall. */
  readonly isWhole: boolean
  /** The task that it became. */
  readonly taskId?: string
}

export interface StoredPart {
  readonly partNumber: number
  readonly etag: string
}

/** What a request has stored, counted all at once. */
export interface Progress {
  /** What was counted before. */
  readonly from: number
  readonly offset: number
  readonly hash: Uint8Array
  /** More parts, in order. */
  readonly parts: readonly StoredPart[]
  /** All that there are now. */
  readonly pieces: readonly Piece[]
}

export type Opened =
  | { readonly kind: 'open'; readonly turn: number; readonly upload: UploadState }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'elsewhere'; readonly offset: number }

export type Use =
  | { readonly kind: 'taken'; readonly upload: UploadState; readonly password?: string }
  | { readonly kind: 'used' }
  | { readonly kind: 'unfinished'; readonly offset: number; readonly size: number }
  | { readonly kind: 'unknown' }

export interface UploadRecordFace {
  /** `password` in clear only on the way; it is sealed at once. */
  create(upload: NewUpload, password?: string): Promise<UploadState>
  read(): Promise<UploadState | undefined>
  /** A request's turn to write from `offset` on. The last one has it: who had it before can store nothing more. */
  open(accountId: string, offset: number): Promise<Opened>
  /** A number that no part has had. undefined: the turn is over. */
  nextPart(turn: number): Promise<number | undefined>
  /** false: the turn is over, nothing is counted. */
  commit(turn: number, progress: Progress): Promise<boolean>
  /** In order. */
  parts(): Promise<StoredPart[]>
  /** The whole file lies where it shall. */
  whole(): Promise<void>
  /** Takes it for a task. 'used': another one has it, or is being made of it. `asker` has it again when it did not hear the answer. */
  use(accountId: string, asker: string): Promise<Use>
  /** There is its task. */
  used(): Promise<void>
  /** No task came of it: another may. */
  unuse(): Promise<void>
  /** Nothing is left of it, but for what its task has. false: there was none. */
  remove(): Promise<boolean>
  /** Blob keys that it still needs, for the sweep. undefined: no such upload. */
  names(): Promise<string[] | undefined>
}
