/** The typed face of KeyGate: one Durable Object per API key, named by the key's SHA-256 (hex). */
import type { PlanId } from '../tasks/plans.ts'

export type Scope = 'compress' | 'tasks:read' | 'tasks:delete' | 'usage:read'
export const SCOPES: readonly Scope[] = ['compress', 'tasks:read', 'tasks:delete', 'usage:read']

export interface KeyRecord {
  readonly keyId: string
  readonly accountId: string
  readonly applicationId: string
  readonly plan: PlanId
  readonly scopes: readonly Scope[]
  readonly state: 'active' | 'disabled'
  /** Its account is disabled: like `disabled`, and gone when the account is enabled again. */
  readonly suspended?: boolean
  /** Epoch milliseconds; absent never expires. */
  readonly expiresAt?: number
  /** Enterprise only: a number of requests per minute instead of unlimited. */
  readonly requestsPerMinute?: number
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

/** RPC of the Durable Object. */
export interface KeyGateFace {
  /** Authenticates, authorises and counts in one hop. Only accepted requests are counted and stored. */
  enter(scope: Scope | null): Promise<Entry>
  /** Creates or replaces the record; the window is kept. */
  put(record: KeyRecord): Promise<void>
  get(): Promise<{ record: KeyRecord; lastUsedAt?: number } | undefined>
  /** Accepted requests of a month ("2026-11"), and by day ("2026-11-20" → count). */
  calls(month: string): Promise<{ total: number; byDay: Record<string, number> }>
}
