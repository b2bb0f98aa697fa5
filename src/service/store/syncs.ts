/** Stored form of a sync, its form in the API, and the RPC interface of the Durable Object that runs it. */
import { type Language, type StoredApiMessage, translate } from '../i18n/message.ts'
import type { PlanId } from './plans.ts'
import type { PresetOptions } from './presets.ts'

/**
 * `estimating`: lists the source. `running`: compresses. `paused`: waits for a bucket or for storage, and continues without a request.
 * `failed`: stopped, and can be resumed.
 */
export const SYNC_STATUSES = ['estimating', 'running', 'paused', 'completed', 'failed', 'cancelled'] as const
export type SyncStatus = (typeof SYNC_STATUSES)[number]

/** Objects of a bucket whose keys begin with a prefix. */
export interface SyncPlace {
  /** Name of the connection. */
  readonly connection: string
  readonly prefix: string
}

/** What a sync does. It never changes. */
export interface SyncOrder {
  readonly syncId: string
  /** Name of the object that runs it: one for each account, source and destination. */
  readonly name: string
  readonly accountId: string
  readonly planId: PlanId
  readonly source: SyncPlace
  readonly destination: SyncPlace
  /** Options of all tasks. Those that a format does not have are left out. */
  readonly options: PresetOptions
  /** True: the sync only lists and estimates. */
  readonly dryRun: boolean
  readonly requestId: string
  readonly baseUrl: string
  /** Time of the request in epoch milliseconds. */
  readonly startedAt: number
}

export interface SyncFigures {
  /** Objects of the source. */
  readonly found: number
  /** Objects whose result of an earlier sync is still at the destination. */
  readonly skipped: number
  readonly compressed: number
  /** Objects that were copied as they are. */
  readonly unchanged: number
  readonly failed: number
  /** Bytes of the compressed and unchanged objects, and of what was written for them. */
  readonly originalSize: number
  readonly compressedSize: number
}

/** Why an object failed, or a sync stopped or waits. */
export interface SyncTrouble {
  /** Stable name, such as `file_too_large` or `unauthorised`. */
  readonly type: string
  readonly message: StoredApiMessage
}

/** Estimate for the objects of one format, which their names tell. */
export interface SyncEstimate {
  /** Id of the format. `unknown`: the name has no extension of a known format. */
  readonly format: string
  readonly objects: number
  readonly originalSize: number
  readonly cpuSeconds: number
  readonly compressedSize: number
  /** `account`: shares and times of earlier tasks of the account. `typical`: of files in general. */
  readonly basis: 'account' | 'typical'
}

export interface SyncState {
  readonly order: SyncOrder
  readonly status: SyncStatus
  /** What the sync does, or will go on with. */
  readonly phase: 'estimate' | 'transfer'
  /** Cursor of the next page of the source. `undefined`: the first page. */
  readonly cursor?: string
  /** True if all pages of this phase are listed. */
  readonly isListed: boolean
  /** Objects that the estimate has found. */
  readonly estimated: number
  readonly figures: SyncFigures
  /** Pauses since the last object ended. */
  readonly pauses: number
  /** End of the pause in epoch milliseconds. */
  readonly nextAt?: number
  /** Time in epoch milliseconds of the start, or of the last object or page that worked. */
  readonly workedAt: number
  readonly trouble?: SyncTrouble
  readonly endedAt?: number
}

export interface SyncReport {
  readonly state: SyncState
  readonly estimates: readonly SyncEstimate[]
  /** The last failed objects, newest first. */
  readonly errors: readonly { readonly key: string; readonly trouble: SyncTrouble }[]
}

/** Number of failed objects that a sync shows. */
export const MAX_SYNC_ERRORS = 20

export const isEnded = ({ status }: Pick<SyncState, 'status'>) => status === 'completed' || status === 'failed' || status === 'cancelled'

/** Text that differs when the API shows something else of a sync. */
export const syncVersion = ({ status, phase, isListed, estimated, figures, nextAt, trouble, endedAt }: SyncState): string =>
  JSON.stringify([status, phase, isListed, estimated, figures, nextAt, trouble, endedAt])

/** RPC methods of the Durable Object SyncRecord: one object for each account, source and destination. */
export interface SyncRecordApi {
  /** Starts a sync. Returns the id of the one that runs between these places, if there is one; nothing is started then. */
  start(order: SyncOrder): Promise<{ readonly running: string } | undefined>
  /** `undefined`: there is no such sync. */
  read(syncId: string): Promise<SyncReport | undefined>
  /** Returns a sync when it has ended or its version (`syncVersion`) differs, or after `ms` milliseconds. `undefined`: there is no such sync. */
  watch(syncId: string, version: string, ms: number): Promise<SyncReport | undefined>
  /** Cancels a sync. One that has ended stays as it is. `undefined`: there is no such sync. */
  cancel(syncId: string): Promise<SyncReport | undefined>
  /**
   * Goes on with a failed or paused sync. Returns `false` if it is neither, or if a later one has begun. `undefined`: there is no such
   * sync.
   */
  resume(syncId: string): Promise<SyncReport | false | undefined>
  /** Sets the alarm again, after it may have been lost. Returns `false` if no sync runs. */
  ringSoon(): Promise<boolean>
}

/** Syncs that stay listed. */
export const MAX_LISTED_SYNCS = 1000

/** Where a sync is. */
export interface SyncAddress {
  readonly syncId: string
  /** Name of the SyncRecord that runs it. */
  readonly name: string
}

/** Syncs of an account. */
export interface SyncsApi {
  add(address: SyncAddress): Promise<void>
  /** Forgets a sync that was not started. */
  remove(syncId: string): Promise<void>
  /** `undefined`: the account has no such sync. */
  find(syncId: string): Promise<SyncAddress | undefined>
  /** Returns syncs, newest first. `cursor` is opaque. `undefined`: the cursor is invalid. */
  list(limit: number, cursor?: string): Promise<{ readonly syncs: SyncAddress[]; readonly nextCursor?: string } | undefined>
  /**
   * Number of tasks that this sync may have at a time. All syncs that run share the tasks that the plan has in the queues. 0: the
   * account is disabled.
   */
  tasksAtOnce(name: string): Promise<number>
}

const iso = (ms: number) => new Date(ms).toISOString()

const placeView = ({ connection, prefix }: SyncPlace) => ({ connection, prefix })

/** Returns a sync as the API shows it. */
export function toSyncView({ state, estimates, errors }: SyncReport, language: Language = 'en') {
  const { order, status, figures, trouble, nextAt, endedAt } = state
  const troubleView = ({ type, message }: SyncTrouble) => ({ type, message: translate(language, message) })
  const sum = (figure: (estimate: SyncEstimate) => number) => estimates.reduce((total, estimate) => total + figure(estimate), 0)
  return {
    sync_id: order.syncId,
    status,
    source: placeView(order.source),
    destination: placeView(order.destination),
    dry_run: order.dryRun,
    found: state.phase === 'transfer' && state.isListed ? figures.found : Math.max(figures.found, state.estimated),
    skipped: figures.skipped,
    compressed: figures.compressed,
    unchanged: figures.unchanged,
    failed: figures.failed,
    original_size: figures.originalSize,
    compressed_size: figures.compressedSize,
    estimated_cpu_seconds: Math.round(sum(({ cpuSeconds }) => cpuSeconds) * 10) / 10,
    estimated_size: Math.round(sum(({ compressedSize }) => compressedSize)),
    estimates: estimates.map((estimate) => ({
      format: estimate.format,
      objects: estimate.objects,
      original_size: estimate.originalSize,
      estimated_size: Math.round(estimate.compressedSize),
      estimated_cpu_seconds: Math.round(estimate.cpuSeconds * 10) / 10,
      basis: estimate.basis,
    })),
    started_at: iso(order.startedAt),
    ...(endedAt === undefined ? {} : { completed_at: iso(endedAt) }),
    ...(status === 'paused' && nextAt !== undefined ? { next_try_at: iso(nextAt) } : {}),
    ...(trouble === undefined ? {} : { reason: troubleView(trouble) }),
    errors: errors.map(({ key, trouble: why }) => ({ key, error: translate(language, why.message), type: why.type })),
  }
}
