/** The typed face of KeyGate: one Durable Object per API key, named by the key's SHA-256 (hex) and its region. */
import type { PlanId } from './plans.ts'
import type { Region } from './regions.ts'

export type Scope = 'compress' | 'tasks:read' | 'tasks:delete' | 'usage:read'
export const SCOPES: readonly Scope[] = ['compress', 'tasks:read', 'tasks:delete', 'usage:read']

/** A key's gate is in the region of its account. */
export const gateOf = (hash: string, region: Region | undefined) => (region === undefined ? hash : `${region}/${hash}`)

/** Gates that are no key's: what people do in the console counts like a key of the account; what it reads has a wide window of its own. */
export const consoleGate = (accountId: string) => `console/${accountId}`
export const consoleReadsGate = (accountId: string) => `console-reads/${accountId}`

export interface KeyRecord {
  readonly keyId: string
  readonly accountId: string
  readonly applicationId: string
  readonly plan: PlanId
  readonly scopes: readonly Scope[]
  readonly state: 'active' | 'disabled'
  /** Of a disabled key: what the operator disabled, only the operator enables. Absent in old records. */
  readonly disabledBy?: 'operator' | 'account'
  /** Its account is disabled: like `disabled`, and gone when the account is enabled again. */
  readonly suspended?: boolean
  /** Epoch milliseconds; absent never expires. */
  readonly expiresAt?: number
  /** Set by the operator: a number of requests per minute instead of the plan's. */
  readonly requestsPerMinute?: number
  /** People made this key: its number follows the lowest one that the operator set in the account. */
  readonly limitInherited?: boolean
}

/** Where the key stands in its window. `limit` null is unlimited. */
export interface RateState {
  readonly limit: number | null
  readonly remaining: number | null
  /** Epoch milliseconds when the next request is free again; absent when unlimited. */
  readonly resetAt?: number
}

export type Entry =
  | { readonly kind: 'accepted'; readonly key: KeyRecord; readonly rate: RateState }
  | { readonly kind: 'limited'; readonly key: KeyRecord; readonly rate: RateState }
  | { readonly kind: 'missing_scope'; readonly key: KeyRecord; readonly rate: RateState }
  | { readonly kind: 'unknown' | 'expired' | 'disabled' }

/** When requests were accepted: `counts[i]` of them at `from + offsets[i]` epoch milliseconds. */
export interface StoredWindow {
  readonly from: number
  readonly offsets: Uint32Array
  readonly counts: Uint32Array
}

/** RPC of the Durable Object. */
export interface KeyGateFace {
  /** Authenticates, authorises and counts in one hop. Only accepted requests are counted and stored. */
  enter(scope: Scope | null): Promise<Entry>
  /** Counts a request of somebody who was let in elsewhere: a person's session. `key` says for whom, and its limit. */
  enterAs(key: KeyRecord): Promise<Entry>
  /** Creates or replaces the record; the window is kept, or begins with that of another gate. */
  put(record: KeyRecord, window?: StoredWindow): Promise<void>
  /** The accepted requests of the last 60 s; empty without a limit. */
  window(): Promise<StoredWindow>
  get(): Promise<{ record: KeyRecord; lastUsedAt?: number } | undefined>
  /** The record goes, what was counted stays: whoever has the key is unknown from now on. */
  forget(): Promise<void>
  /** Accepted requests of a month ("2026-11"), and by day ("2026-11-20" → count). */
  calls(month: string): Promise<{ total: number; byDay: Record<string, number> }>
}
