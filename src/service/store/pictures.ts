/** Pictures on the fly as an account stores them, and the RPC methods for them. */
import type { KnownFormat } from '../../core/catalog/outputs.ts'
import type { ImageOrigin } from './image-origins.ts'
import { PLANS, type PlanId } from './plans.ts'
import type { TaskError } from './task.ts'

const HOUR_MS = 3_600_000
/** Time in milliseconds after which a variant is compared with its origin again, in the background. */
export const FRESH_MS = HOUR_MS
/** Time until the next comparison, if the origin did not answer. */
export const RETRY_MS = 60_000
/** Time that a fetched source is kept: for further variants, and for visitors who get the source itself. */
export const SOURCE_MS = 300_000
/** Longest time that a variant is kept. Shorter than the lifecycle rule of its prefix (`blob-names.ts`). */
export const VARIANT_MS = 30 * 24 * HOUR_MS
/** Time in milliseconds after which the use of a variant is noted again. */
export const USE_MS = HOUR_MS
/** Time that an error of an origin is remembered. */
export const FAILURE_MS = 10_000
/** Time after which the maker of a variant counts as lost. */
export const FLIGHT_MS = 60_000
/** Most pictures that an account keeps. */
export const MAX_PICTURES = 50_000

/** Bytes of variants that an account keeps besides its storage, and of sources: a quarter of the plan's storage. The least recently used go first. */
export const pictureBytes = (plan: PlanId): number => PLANS[plan].storageBytes / 4

/** Name of the KeyGate object that counts the variants made for an account. */
export const picturesGateName = (accountId: string) => `pictures/${accountId}`

/** New blob key of a variant. */
export const newVariantBlob = (accountId: string) => `pictures/${accountId}/${crypto.randomUUID()}`
/** New blob key of a source. Lifecycle rules remove it after two days, if nothing else does. */
export const newSourceBlob = (accountId: string) => `picture-sources/${accountId}/${crypto.randomUUID()}`

/** What tells two versions of a source apart (RFC 9110, 8.8). */
export interface Validators {
  readonly etag?: string
  readonly lastModified?: string
  /** SHA-256 of the source in hex, for origins that send neither. Absent while a source is only described by its origin. */
  readonly sha256?: string
}

/** Picture of an origin, by the name of the origin and the path there. */
export interface PicturePath {
  readonly origin: string
  readonly path: string
}

export interface PictureBlob {
  /** Blob key. */
  readonly blob: string
  readonly size: number
  /** SHA-256 in hex, which is the entity tag. */
  readonly sha256: string
  readonly contentType: string
}

/** Stored source. */
export interface PictureSource extends PicturePath, PictureBlob {
  readonly format: KnownFormat['id']
  readonly validators: Validators
  /** Start of the fetch in epoch milliseconds. */
  readonly fetchedAt: number
}

/** Stored variant. */
export interface PictureVariant extends PicturePath, PictureBlob {
  /** SHA-256 of source path and options, in hex. */
  readonly key: string
  readonly outcome: 'compressed' | 'unchanged'
  /** Validators of the source. */
  readonly validators: Validators
  /** Start of the fetch of its source in epoch milliseconds. */
  readonly fetchedAt: number
}

/** Variant that a task makes, so that another request can finish it. */
export interface PendingVariant {
  readonly taskId: string
  readonly validators: Validators
  readonly fetchedAt: number
}

export type Found =
  /** Result `unknown`: the origin does not exist, the secret is not the newest one, or the account is disabled. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'missing'; readonly origin: ImageOrigin; readonly plan: PlanId; readonly requestsPerMinute: number | null }
  | {
      readonly kind: 'ready'
      readonly variant: PictureVariant
      readonly origin: ImageOrigin
      readonly plan: PlanId
      readonly isStale: boolean
    }

export type Flight =
  /** Result `lead`: the caller makes it, and ends the flight. `pending`: what an earlier leader has begun. */
  | { readonly kind: 'lead'; readonly id: string; readonly pending?: PendingVariant }
  /** Result `follow`: another request makes it. */
  | { readonly kind: 'follow' }
  | { readonly kind: 'failed'; readonly error: TaskError }

export interface PicturesApi {
  /**
   * Stores an origin or replaces it. `makesSecret`: the account gets a new secret.
   * @returns the number of the secret; `isNew`: it was made now; `undefined`: the account has `MAX_IMAGE_ORIGINS` others
   */
  putOrigin(origin: ImageOrigin, makesSecret: boolean): Promise<{ readonly generation: number; readonly isNew: boolean } | undefined>
  /** Returns an origin and the number of the secret. `undefined`: the origin does not exist. */
  origin(name: string): Promise<{ readonly origin: ImageOrigin; readonly generation: number } | undefined>
  /** Returns all origins in order of their names, and the number of the secret. */
  origins(): Promise<{ readonly origins: ImageOrigin[]; readonly generation: number }>
  /** Removes an origin. Returns `false` if it does not exist. Its pictures stay until `purge`. */
  removeOrigin(name: string): Promise<boolean>
  /** Looks for a variant. `generation`: number of the secret that signed the request. */
  find(key: string, name: string, generation: number): Promise<Found>
  source(picture: PicturePath): Promise<PictureSource | undefined>
  /** Joins the flight of this name, or becomes its leader. */
  join(flight: string): Promise<Flight>
  /** Notes the task of a leader. */
  notePending(flight: string, pending: PendingVariant): Promise<void>
  /** Ends a flight. `error` is remembered for `FAILURE_MS`. A leader that was replaced ends nothing. */
  end(flight: string, id: string, error?: TaskError): Promise<void>
  /** Resolves when a flight has ended, or after `ms` milliseconds. */
  wait(flight: string, ms: number): Promise<'ended' | 'running'>
  /** Stores a source or variant. Returns the blobs that the caller must delete: those that were replaced or have no space any more. */
  keepSource(source: PictureSource): Promise<string[]>
  keepVariant(variant: PictureVariant): Promise<string[]>
  /** Notes that a variant agrees with its origin until `freshUntil` (epoch milliseconds). */
  noteFresh(key: string, freshUntil: number): Promise<void>
  /** Forgets a variant. Returns its blob. */
  drop(key: string): Promise<string[]>
  /**
   * Forgets pictures of an origin, or of one path there, at most 1,000 at a time. Flights that began before store nothing.
   * @returns their blobs, and the number of variants; the caller repeats the call until it returns no blob
   */
  purge(name: string, path?: string): Promise<{ readonly blobs: string[]; readonly variants: number }>
}
