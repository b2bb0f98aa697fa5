/** The typed face of Account: applications and keys, usage, the task index, storage, the webhook secret. */

import type { Action, AuditPage } from './audit.ts'
import type { KeyRecord, Scope } from './keys.ts'
import type { ChallengeFace, DeliveryRecord, PeopleFace } from './people.ts'
import type { PlanId } from './plans.ts'

export interface AccountRecord {
  readonly accountId: string
  readonly name: string
  readonly plan: PlanId
  /** Epoch milliseconds. */
  readonly createdAt: number
  readonly state: 'active' | 'disabled'
  /** Enterprise: instead of the plan's. */
  readonly storageBytes?: number
  /** The lowest number of requests a minute that the operator set for a key, which holds for the console, too. Absent in old records. */
  readonly lowestLimit?: number | null
  /** Of test keys: the same number of the real account, which holds for them, too. */
  readonly limitAbove?: number | null
}

export type AccountChange = { readonly [Field in 'plan' | 'state' | 'limitAbove']?: AccountRecord[Field] | undefined }

export interface ApplicationRecord {
  readonly applicationId: string
  readonly name: string
  readonly environment: string
  /** Of its keys. */
  readonly plan: PlanId
  readonly createdAt: number
}

/** What is kept of a key in the account: never the key. */
export interface KeySummary {
  readonly keyId: string
  readonly applicationId: string
  /** `whl_live_abcd…wxyz`. */
  readonly masked: string
  /** What people call it. */
  readonly name?: string
  /** SHA-256 of the key, hex: the name of its gate. */
  readonly hash: string
  readonly createdAt: number
}

/** Told by TaskRecord, at least once and in order; it counts once. */
export type TaskEvent =
  | { kind: 'created'; taskId: string; batchId?: string; position?: number; createdAt: number; format: string; size: number }
  | { kind: 'completed'; taskId: string; at: number; format: string; originalSize: number; compressedSize: number }
  | { kind: 'failed'; taskId: string; at: number; format: string }
  | { kind: 'removed'; taskId: string }

export interface UsageView {
  month: string
  plan: PlanId
  /** Of test keys. */
  test?: true
  api_calls: number
  original_size: number
  compressed_size: number
  storage_used: number
  storage_quota: number
  tasks_completed: number
  tasks_failed: number
  by_format: Record<string, { tasks: number; original_size: number; compressed_size: number }>
  by_day: { day: string; api_calls: number; tasks: number; original_size: number; compressed_size: number }[]
}

/** What one day did with one format. */
export interface UsageRow {
  readonly day: string
  readonly format: string
  readonly completed: number
  readonly failed: number
  readonly original: number
  readonly compressed: number
}

/** All of an account but its tasks and its secrets. Keys are hashes: who has one can go on using it. */
export interface ExportedAccount {
  readonly account: AccountRecord
  readonly applications: readonly ApplicationRecord[]
  readonly keys: readonly { readonly summary: KeySummary; readonly record: KeyRecord }[]
  readonly usage: readonly UsageRow[]
}

export type IdempotencyState =
  | { kind: 'new' }
  | { kind: 'in_flight' }
  /** `id` is a task id, or a batch id. */
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
  /** Milliseconds since 1970; null for never. */
  readonly expiresAt?: number | null
  /** null: the plan's. */
  readonly requestsPerMinute?: number | null
  /** Empty for none. */
  readonly name?: string
}

/** What people may choose for a key; the rest is their application's plan and the operator's. */
export type WantedKey = Pick<NewKey, 'name' | 'scopes' | 'expiresAt'>
export type OwnKeyChange = Pick<KeyChange, 'name' | 'state' | 'scopes' | 'expiresAt'>

export interface KeyMade {
  /** Nowhere else, and never again. */
  readonly key: string
  readonly summary: KeySummary
}

export interface KeyView {
  readonly summary: KeySummary
  readonly record: KeyRecord
  readonly lastUsedAt?: number
}

/** Requests of a month that counted for one key, or for the console. */
export interface CallsOfKey {
  /** Absent for the console. */
  readonly key?: Pick<KeySummary, 'keyId' | 'masked' | 'name'>
  /** Its name; absent for the console and where the application is gone. */
  readonly application?: string
  readonly calls: number
}

export type OwnKeyOutcome =
  | ({ readonly kind: 'made' } & KeyMade)
  | { readonly kind: 'changed' }
  | { readonly kind: 'removed' }
  /** No such key, or no such application. */
  | { readonly kind: 'unknown' }
  /** The operator disabled it. */
  | { readonly kind: 'operator_only' }
  | { readonly kind: 'expired' }
  /** What still works, or did within the last minute, is not removed; nor is an application that has keys. */
  | { readonly kind: 'in_use' }
  /** The plan has no room for another key that works. */
  | { readonly kind: 'too_many'; readonly limit: number }

export interface AccountFace {
  get(): Promise<AccountRecord | undefined>
  put(record: AccountRecord): Promise<void>
  /** What is undefined stays. A plan goes to all applications and keys; a disabled account's keys are refused, and its people cannot sign in. */
  update(change: AccountChange): Promise<void>
  /**
   * Does an upload of `bytes` still fit the quota? Its room is kept until its task is told, it is given back, or 15 minutes
   * have passed, so that uploads side by side cannot fill it twice.
   */
  admit(taskId: string, bytes: number): Promise<{ ok: true } | { ok: false; used: number; quota: number }>
  /** Uploads that were admitted and will not become tasks. */
  giveBack(taskIds: readonly string[]): Promise<void>
  /** Room for an upload that is not finished, until its task is told, it is released, or `until` (epoch milliseconds). */
  reserve(taskId: string, bytes: number, until: number): Promise<{ ok: true } | { ok: false; used: number; quota: number }>
  release(taskId: string): Promise<void>
  /** How many parts of this task may be on their way or at work now. Those who ask share what the plan has. */
  partsAtOnce(taskId: string): Promise<number>
  /** What happened to tasks, in order: all of it is counted, or nothing. */
  tell(told: TaskEvent | readonly TaskEvent[]): Promise<void>
  /** `month` like "2026-11"; the current one by default. `plan` is the calling key's. */
  usage(plan: PlanId, month?: string): Promise<UsageView>
  /** Task ids, newest first. `cursor` is opaque; undefined for a cursor that was never given out. */
  list(limit: number, cursor?: string): Promise<{ ids: string[]; nextCursor?: string } | undefined>
  /** Task ids of a batch in upload order; undefined when there is no such batch. */
  batch(batchId: string): Promise<string[] | undefined>
  /**
   * `scope` tells endpoints apart. A begun key is in flight until it is finished or abandoned (or 15 minutes old).
   * `asker`: one request, which is given its turn again when it did not hear the answer.
   */
  beginIdempotent(key: string, scope: string, asker: string): Promise<IdempotencyState>
  finishIdempotent(key: string, scope: string, fingerprint: string, id: string): Promise<void>
  abandonIdempotent(key: string, scope: string): Promise<void>
  /** `whsec_…`; made on first use. */
  webhookSecret(): Promise<string>
  /** The next deliveries are signed with a new secret. */
  rotateWebhookSecret(): Promise<string>
  /** Where somebody is told that the storage fills; undefined: nowhere. */
  alertUrl(): Promise<string | undefined>
  setAlertUrl(url: string | undefined): Promise<void>
  /** Newest first; the last thousand are kept. */
  deliveries(limit: number): Promise<DeliveryRecord[]>
  noteDelivery(delivery: DeliveryRecord): Promise<void>
  /** The log of who did what; the last ten thousand are kept. */
  noteAction(action: Action): Promise<void>
  actions(limit: number, before?: number): Promise<AuditPage>
  /** `plan`: the account's by default. */
  createApplication(name: string, environment: string, plan?: PlanId): Promise<ApplicationRecord>
  /** A plan goes to all keys of the application. false: no such application. */
  updateApplication(applicationId: string, change: { name?: string; environment?: string; plan?: PlanId }): Promise<boolean>
  applications(): Promise<{ application: ApplicationRecord; keys: KeyView[] }[]>
  /** The operator makes a key and its gate. undefined: no such application. */
  createKey(applicationId: string, options: NewKey): Promise<KeyMade | undefined>
  /** The operator changes a key. false: no such key. */
  updateKey(keyId: string, change: KeyChange): Promise<boolean>
  /** People make a key: as many as their plan has, with no more requests a minute than the operator set for any. */
  createOwnKey(applicationId: string, wanted: WantedKey): Promise<OwnKeyOutcome>
  updateOwnKey(keyId: string, change: OwnKeyChange): Promise<OwnKeyOutcome>
  /** A new key with the rights and the expiry of an old one, which goes on for `graceMs`. */
  resetKey(keyId: string, graceMs: number): Promise<OwnKeyOutcome>
  /** A key that is disabled or expired goes; what it did stays counted. */
  removeKey(keyId: string): Promise<OwnKeyOutcome>
  removeApplication(applicationId: string): Promise<OwnKeyOutcome>
  /** Of every key that was used in the month, of removed ones too, and of the console; most calls first. `month` like "2026-11". */
  callsByKey(month: string): Promise<CallsOfKey[]>
  /** undefined: there is no such account. */
  exported(): Promise<ExportedAccount | undefined>
  /** Makes it what it was. false: there is one already. */
  adopt(exported: ExportedAccount): Promise<boolean>
  /**
   * Back to what it was at a moment of the last 30 days (epoch milliseconds), or at a bookmark; tasks are not touched.
   * @returns the bookmark that undoes it; undefined where the platform keeps none
   */
  restore(to: { at: number } | { bookmark: string }): Promise<string | undefined>
  /** Of sign-in: it is not known yet whose it will be, so they lie in accounts that nobody has, named `sign-in/…`. */
  readonly challenges: ChallengeFace
  /** Who manages the account in the console. */
  readonly people: PeopleFace
}
