/** Addresses that tasks fetch their files from, as a task stores them. */
import type { PlanId } from './plans.ts'
import type { PresetOptions } from './presets.ts'

/** File that a new task must fetch before it can be compressed. */
export interface SourceOrder {
  /** Address with its query, which may hold a signature. Forgotten as soon as the file is stored. */
  readonly url: string
  /** Plan of the request. */
  readonly planId: PlanId
  /** Options of the request, without the password. The format of the file decides which of the preset's apply. */
  readonly options: PresetOptions & { readonly preset?: PresetOptions }
}

/** State of a fetch, stored with its task until the file is there. */
export interface SourceState extends SourceOrder {
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
