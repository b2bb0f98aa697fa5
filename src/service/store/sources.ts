/** Places that tasks fetch their files from, as a task stores them. */
import type { PlanId } from './plans.ts'
import type { PresetOptions } from './presets.ts'

/** Object in a bucket of the account. */
export interface BucketObject {
  /** Name of the connection. */
  readonly connection: string
  readonly key: string
}

/** Place of a file: an address with its query, which may hold a signature, or an object in a bucket. */
export type SourcePlace = { readonly url: string } | { readonly object: BucketObject }

/** File that a new task must fetch before it can be compressed. Its address is forgotten as soon as the file is stored. */
export type SourceOrder = SourcePlace & SourceRules

interface SourceRules {
  /** Plan of the request. */
  readonly planId: PlanId
  /** Options of the request, without the password. The format of the file decides which of the preset's apply. */
  readonly options: PresetOptions & { readonly preset?: PresetOptions }
}

/** State of a fetch, stored with its task until the file is there. */
export type SourceState = SourceOrder & {
  /** Number of starts so far. */
  readonly attempts: number
  /** Time of the next start in epoch milliseconds. */
  readonly nextAt: number
  /** Multipart upload of the running attempt. After a restart it belongs to no attempt, and is removed. */
  readonly multipartId?: string
}

/** Address as the API shows it: without its query and fragment, which may hold secrets. */
export function shownAddress(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}
