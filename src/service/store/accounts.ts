/** RPC interface of the Durable Object Account: applications, keys, usage, task index, storage and webhook secret. */

import type { Effort } from '../../core/catalog/effort.ts'
import type { Action, AuditPage } from './audit.ts'
import type { ConnectionsApi } from './connections.ts'
import type { KeyRecord, Scope } from './keys.ts'
import type { ChallengeApi, DeliveryRecord, PeopleApi } from './people.ts'
import type { PicturesApi } from './pictures.ts'
import type { PlanId } from './plans.ts'
import type { PresetsApi } from './presets.ts'
import type { SyncsApi } from './syncs.ts'
import type { StreamsApi, WaitingPlace } from './waiting.ts'

export interface AccountRecord {
  readonly accountId: string
  readonly name: string
  readonly plan: PlanId
  /** Creation time in epoch milliseconds. */
  readonly createdAt: number
  readonly state: 'active' | 'disabled'
  /** Storage quota in bytes (enterprise only). `undefined`: the plan's quota. */
  readonly storageBytes?: number
  /**
   * Lowest requests-per-minute limit that the operator set for a key of the account. Also applies to the console. `null`: none; absent in
   * old records.
   */
  readonly lowestLimit?: number | null
  /** Test accounts only: `lowestLimit` of the live account, which also applies to test keys. */
  readonly limitAbove?: number | null
}

export type AccountChange = { readonly [Field in 'plan' | 'state' | 'limitAbove']?: AccountRecord[Field] | undefined }

export interface ApplicationRecord {
  readonly applicationId: string
  readonly name: string
  readonly environment: string
  /** Plan of the application's keys. */
  readonly plan: PlanId
  readonly createdAt: number
}

/** Summary of an API key in its account. The key itself is never stored. */
export interface KeySummary {
  readonly keyId: string
  readonly applicationId: string
  /** The key with its middle hidden: `whl_live_abcd…wxyz`. */
  readonly masked: string
  /** Display name chosen by the user. */
  readonly name?: string
  /** SHA-256 of the key as hex: the name of its KeyGate object. */
  readonly hash: string
  readonly createdAt: number
}

/** CPU time of a job in milliseconds. `estimated`: isolates have no clock, so the time is estimated from the format and the size. */
export interface CpuTime {
  readonly ms: number
  readonly estimated: boolean
}

/** Measured CPU time of all completed tasks of an account that have one format and effort. */
export interface MeasuredCost {
  readonly format: string
  readonly effort: Effort
  readonly tasks: number
  /** Bytes of their uploads. */
  readonly original: number
  /** CPU time in milliseconds. */
  readonly cpu_ms: number
}

/** Task event, sent by a TaskRecord to its account at least once and in order. The account counts a repeated event once. */
export type TaskEvent =
  | { kind: 'created'; taskId: string; batchId?: string; position?: number; createdAt: number; format: string; size: number }
  /** Event `sized`: the file of the task was fetched, and has this size in bytes. */
  | { kind: 'sized'; taskId: string; size: number }
  | {
      kind: 'completed'
      taskId: string
      at: number
      format: string
      originalSize: number
      compressedSize: number
      /** `undefined`: `balanced`. */
      effort?: Effort
      cpu?: CpuTime
    }
  | { kind: 'failed'; taskId: string; at: number; format: string; cpu?: CpuTime }
  /** Event `removed`: `cpu` is the CPU time of a task that had not ended. `undefined`: it had ended, and its time is counted. */
  | { kind: 'removed'; taskId: string; cpu?: CpuTime & { at: number; format: string } }

export interface UsageView {
  month: string
  plan: PlanId
  /** `true` if the usage belongs to a test account; otherwise absent. */
  test?: true
  api_calls: number
  original_size: number
  compressed_size: number
  storage_used: number
  storage_quota: number
  /** CPU seconds of the month. */
  cpu_seconds: number
  /** Part of `cpu_seconds` that is estimated instead of measured. */
  cpu_seconds_estimated: number
  /** CPU seconds of a month above which the account's tasks wait for those of others. `null`: no quota. */
  cpu_seconds_quota: number | null
  tasks_completed: number
  tasks_failed: number
  by_format: Record<string, { tasks: number; original_size: number; compressed_size: number }>
  by_day: { day: string; api_calls: number; tasks: number; original_size: number; compressed_size: number }[]
}

/** Usage of one file format on one day. */
export interface UsageRow {
  readonly day: string
  readonly format: string
  readonly completed: number
  readonly failed: number
  readonly original: number
  readonly compressed: number
  /** CPU time in milliseconds, and the part of it that is estimated. Absent in exports written before 2026-12. */
  readonly cpu_ms?: number
  readonly cpu_estimated_ms?: number
}

/** Export of an account without its tasks and secrets. Keys are exported as hashes, so existing keys keep working. */
export interface ExportedAccount {
  readonly account: AccountRecord
  readonly applications: readonly ApplicationRecord[]
  readonly keys: readonly { readonly summary: KeySummary; readonly record: KeyRecord }[]
  readonly usage: readonly UsageRow[]
}

export type IdempotencyState =
  | { kind: 'new' }
  | { kind: 'in_flight' }
  /** Request completed before: `id` is the task or batch that it created. */
  | { kind: 'done'; fingerprint: string; id: string }

export interface NewKey {
  readonly name?: string
  readonly plan: PlanId
  readonly scopes: readonly Scope[]
  readonly expiresAt?: number
  readonly state?: 'active' | 'disabled'
  readonly requestsPerMinute?: number
  readonly limitInherited?: boolean
}

export interface KeyChange extends Partial<Pick<KeyRecord, 'state' | 'suspended' | 'scopes' | 'plan'>> {
  /** Expiry of the key in epoch milliseconds. `null`: never. */
  readonly expiresAt?: number | null
  /** Rate limit of the key in requests per minute. `null`: the plan's limit. */
  readonly requestsPerMinute?: number | null
  /** Display name of the key. Empty: removes the name. */
  readonly name?: string
}

/** Key options that a user may choose. The others come from the plan of the application and from the operator. */
export type UserKeyOptions = Pick<NewKey, 'name' | 'scopes' | 'expiresAt'>
export type UserKeyChange = Pick<KeyChange, 'name' | 'state' | 'scopes' | 'expiresAt'>

export interface CreatedKey {
  /** The API key in clear text. Returned once and never stored. */
  readonly key: string
  readonly summary: KeySummary
}

export interface KeyView {
  readonly summary: KeySummary
  readonly record: KeyRecord
  readonly lastUsedAt?: number
}

/** Number of counted requests in a month, for one key or for the console. */
export interface KeyCalls {
  /** The key that made the requests. `undefined`: the console made them. */
  readonly key?: Pick<KeySummary, 'keyId' | 'masked' | 'name'>
  /** Name of the application. `undefined` for the console and for removed applications. */
  readonly application?: string
  readonly calls: number
}

export type UserKeyResult =
  | ({ readonly kind: 'made' } & CreatedKey)
  | { readonly kind: 'changed' }
  | { readonly kind: 'removed' }
  /** Result `unknown`: the key or the application does not exist. */
  | { readonly kind: 'unknown' }
  /** Result `operator_only`: only the operator may do this, for example enable a key that the operator disabled. */
  | { readonly kind: 'operator_only' }
  | { readonly kind: 'expired' }
  /** Result `in_use`: the key is active or was used in the last minute, or the application still has keys. */
  | { readonly kind: 'in_use' }
  /** Result `too_many`: the plan allows no further active key. `limit` is the plan's maximum. */
  | { readonly kind: 'too_many'; readonly limit: number }

/** Answer to a task that wants to send its queue message. */
export interface QueuePlace {
  /** `false`: the account has its maximum of tasks in the queues. It calls `toQueue` of the task when a place is free. */
  readonly granted: boolean
  /** True if the account is above the CPU quota of its plan. Its tasks then wait for those of other accounts. */
  readonly low: boolean
}

/** Refusal of the storage quota. */
export interface StorageRefusal {
  readonly ok: false
  readonly used: number
  readonly quota: number
  /** Number of tasks and uploads, and their limit, if that is the reason. `undefined`: the bytes are. */
  readonly objects?: number
  readonly maxObjects?: number
}

export interface AccountApi {
  get(): Promise<AccountRecord | undefined>
  put(record: AccountRecord): Promise<void>
  /**
   * Changes the given fields of the account. A new plan applies to all applications and keys.
   * If the account is disabled, its keys are refused and its users cannot sign in.
   */
  update(change: AccountChange): Promise<void>
  /**
   * Checks if `bytes` in `objects` tasks fit the storage quota, and reserves them so that parallel uploads cannot exceed it.
   * The reservation ends when the task is created, with `giveBack`, or after 15 minutes.
   */
  admit(taskId: string, bytes: number, objects?: number): Promise<{ ok: true } | StorageRefusal>
  /** Releases the reservations of admitted uploads that will not become tasks. */
  giveBack(taskIds: readonly string[]): Promise<void>
  /**
   * Reserves storage for an unfinished resumable upload, until its task is created, `release` is called, or `until` (epoch milliseconds).
   */
  reserve(taskId: string, bytes: number, until: number): Promise<{ ok: true } | StorageRefusal>
  release(taskId: string): Promise<void>
  /** Number of parts of this task that may be queued or running now. All tasks that ask share the maximum of the plan. */
  partsAtOnce(taskId: string): Promise<number>
  /** Requests a place in the queues for a task. A task that has one gets it again. */
  queuePlace(taskId: string): Promise<QueuePlace>
  /** Places of those of `taskIds` that wait for a place in the queues, among the waiting tasks of the account. */
  waitingPlaces(taskIds: readonly string[]): Promise<Record<string, WaitingPlace>>
  /** Applies task events in order, all of them or none. */
  tell(told: TaskEvent | readonly TaskEvent[]): Promise<void>
  /** Returns the usage of a month such as "2026-11". `undefined`: the current month. `plan` is the plan of the calling key. */
  usage(plan: PlanId, month?: string): Promise<UsageView>
  /** Measured CPU time of the account's completed tasks, by format and effort. */
  costs(): Promise<MeasuredCost[]>
  /** Returns task ids, newest first. `cursor` is opaque. `undefined`: the cursor is invalid. */
  list(limit: number, cursor?: string): Promise<{ ids: string[]; nextCursor?: string } | undefined>
  /** Returns the task ids of a batch in upload order. `undefined`: the batch does not exist. */
  batch(batchId: string): Promise<string[] | undefined>
  /**
   * Claims an idempotency key for a request. `scope` separates endpoints.
   * The key is in flight until `finishIdempotent` or `abandonIdempotent` is called, or for 15 minutes.
   * `asker` identifies the request. If its response was lost, the same request may claim the key again.
   */
  beginIdempotent(key: string, scope: string, asker: string): Promise<IdempotencyState>
  finishIdempotent(key: string, scope: string, fingerprint: string, id: string): Promise<void>
  abandonIdempotent(key: string, scope: string): Promise<void>
  /** Returns the webhook secret (`whsec_…`). Creates it at the first call. */
  webhookSecret(): Promise<string>
  /** Creates a new webhook secret, which signs all further deliveries. */
  rotateWebhookSecret(): Promise<string>
  /** Webhook URL for storage alerts. `undefined`: none. */
  alertUrl(): Promise<string | undefined>
  setAlertUrl(url: string | undefined): Promise<void>
  /** Returns webhook deliveries, newest first. The last 1,000 are stored. */
  deliveries(limit: number): Promise<DeliveryRecord[]>
  noteDelivery(delivery: DeliveryRecord): Promise<void>
  /** Adds an entry to the audit log, which keeps the last 10,000. */
  noteAction(action: Action): Promise<void>
  actions(limit: number, before?: number): Promise<AuditPage>
  /** Creates an application. `plan` defaults to the plan of the account. */
  createApplication(name: string, environment: string, plan?: PlanId): Promise<ApplicationRecord>
  /** Changes an application. A new plan applies to all its keys. Returns `false` if the application does not exist. */
  updateApplication(applicationId: string, change: { name?: string; environment?: string; plan?: PlanId }): Promise<boolean>
  applications(): Promise<{ application: ApplicationRecord; keys: KeyView[] }[]>
  /** Creates a key for the operator. `undefined`: the application does not exist. */
  createKey(applicationId: string, options: NewKey): Promise<CreatedKey | undefined>
  /** Changes a key for the operator. Returns `false` if the key does not exist. */
  updateKey(keyId: string, change: KeyChange): Promise<boolean>
  /** Creates a key for a user. The plan limits the number of keys; the lowest limit set by the operator applies to the new key. */
  createOwnKey(applicationId: string, wanted: UserKeyOptions): Promise<UserKeyResult>
  updateOwnKey(keyId: string, change: UserKeyChange): Promise<UserKeyResult>
  /** Replaces a key by a new one with the same rights and expiry. The old key keeps working for `graceMs` milliseconds. */
  resetKey(keyId: string, graceMs: number): Promise<UserKeyResult>
  /** Removes a disabled or expired key. Its usage stays counted. */
  removeKey(keyId: string): Promise<UserKeyResult>
  removeApplication(applicationId: string): Promise<UserKeyResult>
  /** Returns the calls of a month such as "2026-11" for each used key, including removed keys, and for the console. Most calls first. */
  callsByKey(month: string): Promise<KeyCalls[]>
  /** Exports the account. `undefined`: the account does not exist. */
  exported(): Promise<ExportedAccount | undefined>
  /** Restores an account from an export. Returns `false` if the account exists already. */
  adopt(exported: ExportedAccount): Promise<boolean>
  /**
   * Restores the account to a time in the last 30 days (epoch milliseconds) or to a bookmark. Tasks are not affected.
   * @returns the bookmark that undoes the restore; `undefined`: the platform stores no history
   */
  restore(to: { at: number } | { bookmark: string }): Promise<string | undefined>
  /** WebAuthn challenges. During sign-in the account is not known yet, so these are stored in reserved accounts named `sign-in/…`. */
  readonly challenges: ChallengeApi
  /** Event streams that the account's keys have open. */
  readonly streams: StreamsApi
  /** Named buckets of the account. */
  readonly connections: ConnectionsApi
  /** Named sets of compress fields. */
  readonly presets: PresetsApi
  /** Pictures on the fly: settings, cache and running work. */
  readonly pictures: PicturesApi
  /** Syncs between buckets. */
  readonly syncs: SyncsApi
  /** People who manage the account in the console. */
  readonly people: PeopleApi
}
