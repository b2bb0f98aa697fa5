/** State of the files on the page, as plain data. `desk.ts` changes it. */
import type { GuestFacts } from '../guests/guest-service.ts'
import { formatFacts } from './facts.ts'
import type { Compressed, FormatId, Settings } from './protocol.ts'
import { type Own, settingsFor, settingsKey } from './settings.ts'

/**
 * Where a file can be compressed. `reading`: not known yet. `here`: on this page. `service`: only by the service, for example a film.
 * `large`: too large for this page. `unknown`: no supported format. `unreadable`: the browser cannot read it, or its type could not be found. `guest`: sent to the service without an account.
 */
export type Place = 'reading' | 'here' | 'guest' | 'service' | 'large' | 'unknown' | 'unreadable'

/** One compression of a file with certain options. */
export type Attempt =
  | { readonly state: 'waiting' | 'stopped' }
  | { readonly state: 'working'; readonly share: number }
  | { readonly state: 'done'; readonly result: Compressed }
  /** `bestSize`: smallest size in bytes that keeps the quality floors. */
  | { readonly state: 'unreachable'; readonly bestSize: number }
  /**
   * `ended`: the worker ended without an answer. `offline`: an engine could not be loaded. `refused`: the service refused the file, with
   * its message. `error`: anything else, with its text.
   */
  | { readonly state: 'failed'; readonly why: 'ended' | 'offline' | 'refused' | 'error'; readonly text: string }

export interface Item {
  readonly id: number
  readonly file: File
  readonly place: Place
  /** `undefined`: not known yet, or unknown. */
  readonly format: FormatId | undefined
  readonly own: Own
  /** True: all levels are compressed, so that their sizes can be compared. */
  readonly wantsLevels: boolean
  /** Compressions by `settingsKey`. */
  readonly attempts: ReadonlyMap<string, Attempt>
}

export interface DeskState {
  readonly items: readonly Item[]
  /** Options of all files. */
  readonly common: Settings
  /** File whose details are open. */
  readonly openId: number | undefined
  /** Files that were left out because the list was full. */
  readonly leftOut: number
  readonly guest: GuestState
}

/** What the page knows of sending files without an account, and what the person has decided. */
export interface GuestState {
  /** `undefined`: not asked yet. `null`: the service has no guests, or cannot be reached. */
  readonly facts: GuestFacts | null | undefined
  readonly consent: 'open' | 'given' | 'declined'
  /** Files that were sent. */
  readonly sent: number
}

/** State of a page that has not asked the service. */
export const NO_GUESTS: GuestState = { facts: undefined, consent: 'open', sent: 0 }

/** True if this page cannot compress the file, but the service may. */
export function needsService(item: Item, common: Settings): boolean {
  if (item.place === 'service' || item.place === 'large') return item.file.size > 0
  if (item.place !== 'here') return false
  const attempt = currentAttempt(item, common)
  if (attempt?.state === 'failed') return attempt.why === 'ended'
  return attempt?.state === 'done' && attempt.result.receipt.result.reason === 'over_budget'
}

/** Files that may be sent as a guest, once the person has agreed. */
export const sendable = ({ items, common, guest: { facts } }: Pick<DeskState, 'items' | 'common' | 'guest'>): Item[] =>
  facts ? items.filter((item) => needsService(item, common) && item.format !== undefined && item.file.size <= facts.maxBytes) : []

/** Options that the file gets. `undefined`: its format is not known. */
export const currentSettings = ({ format, own }: Item, common: Settings): Settings | undefined =>
  format === undefined ? undefined : settingsFor(format, common, own)

/** The compression that the page shows for this file. */
export function currentAttempt(item: Item, common: Settings): Attempt | undefined {
  const settings = currentSettings(item, common)
  return settings && item.attempts.get(settingsKey(settings))
}

const LEVELS = ['low', 'medium', 'high'] as const

/** The options of each level that can be compared side by side, with the current one. Empty: the levels of this format do not differ. */
export function levelSettings(item: Item, common: Settings): Settings[] {
  const settings = currentSettings(item, common)
  if (!settings || item.format === undefined || item.place !== 'here' || !formatFacts(item.format).hasLevels) return []
  return LEVELS.map((quality) => ({ ...settings, quality }))
}

export interface Summary {
  readonly count: number
  /** Files that need no more work here. */
  readonly finished: number
  readonly isBusy: boolean
  /** Share of all work that is done, 0 to 1. */
  readonly share: number
  /** Results that are smaller than their files: their number, and bytes before and after. */
  readonly smaller: number
  readonly before: number
  readonly after: number
  readonly unchanged: number
  /** Files that need a decision or the service. */
  readonly decisions: number
  readonly failed: number
}

/** Places of files that wait for the person. */
const UNDECIDED: readonly Place[] = ['service', 'large', 'unknown']

export function summaryOf({ items, common }: Pick<DeskState, 'items' | 'common'>): Summary {
  const sum = { count: items.length, finished: 0, smaller: 0, before: 0, after: 0, unchanged: 0, decisions: 0, failed: 0 }
  let shares = 0
  for (const item of items) {
    const attempt = currentAttempt(item, common)
    const share = shareOf(item, attempt)
    shares += share
    if (share === 1) sum.finished++
    if (attempt?.state === 'done') countResult(sum, item, attempt.result)
    else if (item.file.size === 0) sum.unchanged++
    else if (attempt?.state === 'failed' || item.place === 'unreadable') sum.failed++
    else if (attempt?.state === 'unreachable' || UNDECIDED.includes(item.place)) sum.decisions++
    else if (item.place === 'guest' && attempt === undefined) sum.decisions++
  }
  return { ...sum, isBusy: sum.finished < items.length, share: items.length === 0 ? 0 : shares / items.length }
}

function shareOf({ place }: Item, attempt: Attempt | undefined): number {
  if (place === 'reading') return 0
  // A file at the service is sent again only if the person says so.
  if (place !== 'here' && !(place === 'guest' && attempt)) return 1
  if (attempt?.state === 'working') return Math.min(attempt.share, 0.99)
  return attempt === undefined || attempt.state === 'waiting' ? 0 : 1
}

interface Counts {
  smaller: number
  before: number
  after: number
  unchanged: number
  failed: number
}

function countResult(sum: Counts, { file }: Item, { result, receipt }: Compressed): void {
  if (receipt.result.reason === 'malformed') sum.failed++
  else if (receipt.result.outcome === 'unchanged') sum.unchanged++
  else {
    sum.smaller++
    sum.before += file.size
    sum.after += result.size
  }
}

/** Results to download, in the order of the files. Unchanged files have none. */
export const resultsOf = ({ items, common }: DeskState): Compressed[] =>
  items.flatMap((item) => {
    const attempt = currentAttempt(item, common)
    return attempt?.state === 'done' && attempt.result.receipt.result.outcome === 'compressed' ? [attempt.result] : []
  })
