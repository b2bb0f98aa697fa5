/** RPC interface of the Durable Object KeyGate: one object for each API key, named by the key's SHA-256 (hex) and its region. */
import type { PlanId } from './plans.ts'
import type { Region } from './regions.ts'
import type { UploadToken } from './upload-tokens.ts'

export const SCOPES = ['compress', 'tasks:read', 'tasks:delete', 'usage:read', 'tokens', 'connections'] as const
export type Scope = (typeof SCOPES)[number]

/** Name of a key's KeyGate object. The object is in the region of the key's account. */
export const gateName = (hash: string, region: Region | undefined) => (region === undefined ? hash : `${region}/${hash}`)

/**
 * Names of KeyGate objects that belong to no key. Changes made in the console count like requests of a key; reads in the console have a
 * separate, higher limit.
 */
export const consoleGateName = (accountId: string) => `console/${accountId}`
export const consoleReadsGateName = (accountId: string) => `console-reads/${accountId}`

export interface KeyRecord {
  readonly keyId: string
  readonly accountId: string
  readonly applicationId: string
  readonly plan: PlanId
  readonly scopes: readonly Scope[]
  readonly state: 'active' | 'disabled'
  /** Who disabled the key. Only the operator can enable a key that the operator disabled. Absent in old records. */
  readonly disabledBy?: 'operator' | 'account'
  /** True while the account is disabled; the key is then refused like a disabled key. */
  readonly suspended?: boolean
  /** Expiry of the key in epoch milliseconds. `undefined`: never. */
  readonly expiresAt?: number
  /** Rate limit of the key in requests per minute, set by the operator. `undefined`: the plan's limit. */
  readonly requestsPerMinute?: number
  /** True for keys made by users: their limit follows the lowest limit that the operator set in the account. */
  readonly limitInherited?: boolean
}

/** State of a key's rate window. `limit` is requests per minute; `null`: unlimited. */
export interface RateState {
  readonly limit: number | null
  readonly remaining: number | null
  /** Epoch milliseconds when the next request becomes possible. `undefined`: unlimited. */
  readonly resetAt?: number
}

export type KeyCheckResult =
  | { readonly kind: 'accepted'; readonly key: KeyRecord; readonly rate: RateState }
  | { readonly kind: 'limited'; readonly key: KeyRecord; readonly rate: RateState }
  | { readonly kind: 'missing_scope'; readonly key: KeyRecord; readonly rate: RateState }
  | { readonly kind: 'unknown' | 'expired' | 'disabled' }

/** Use of the service by a guest. */
export interface GuestUse {
  readonly tokens?: number
  /** Bytes of request bodies with a file, also of refused ones. */
  readonly bytes?: number
  /** Estimated CPU time in milliseconds. */
  readonly cpuMs?: number
}

/** Request with a browser token, as its KeyGate judges it. */
export interface TokenUse {
  /** Origin of the page. `undefined`: unknown. */
  readonly origin: string | undefined
  /** What a token may do at the route: begin a file, continue with its own files and tasks, or nothing. */
  readonly purpose: 'file' | 'own' | 'none'
  /** Length of the request body in bytes, which counts for guests. `undefined`: unknown. */
  readonly bytes?: number
}

export type TokenCheckResult =
  | {
      /**
       * `missing_scope`: the key no longer has the scope `tokens`. `none`: tokens do not allow the route. `used_up`: the token has no file
       * left.
       */
      readonly kind: 'accepted' | 'limited' | 'missing_scope' | 'none' | 'used_up'
      readonly key: KeyRecord
      readonly rate: RateState
      readonly token: UploadToken
    }
  /** Result `hour_used`: the address of the guest has used up its hour, which ends at `until` (epoch milliseconds). */
  | { readonly kind: 'hour_used'; readonly until: number }
  | { readonly kind: 'unknown' | 'expired' | 'disabled' | 'token_expired' | 'other_origin' }

/** Times of accepted requests: `counts[i]` requests at `from + offsets[i]` epoch milliseconds. */
export interface StoredWindow {
  readonly from: number
  readonly offsets: Uint32Array
  readonly counts: Uint32Array
}

/** RPC methods of the Durable Object KeyGate. */
export interface KeyGateApi {
  /** Authenticates, authorises and counts a request in one call. Only accepted requests are counted and stored. */
  enter(scope: Scope | null): Promise<KeyCheckResult>
  /** Counts a request that was authenticated elsewhere, by the session of a person. `key` gives the account and the limit. */
  enterAs(key: KeyRecord): Promise<KeyCheckResult>
  /** Stores a browser token of the key. Returns `false` if the key has `MAX_TOKENS`. */
  createToken(token: UploadToken): Promise<boolean>
  /** Stores a guest's token, and counts it for the address. Returns the end of the hour (epoch milliseconds) if the address has used it up. */
  createGuestToken(token: UploadToken & { readonly guest: string }): Promise<number | undefined>
  /** Counts a use of the guest who has a token. Returns the end of the hour, without a change, if a limit would be exceeded. */
  chargeGuest(tokenId: string, use: GuestUse): Promise<number | undefined>
  /** Authenticates a request with a token: token, origin, key and rate limit in one call. Only accepted requests are counted. */
  enterWithToken(tokenId: string, use: TokenUse): Promise<TokenCheckResult>
  /**
   * Counts a file of a token before its task or upload is created. A repeated call counts it once. Returns `false` if the token has no
   * file left, or is unknown.
   */
  claimTokenFile(tokenId: string, taskId: string): Promise<boolean>
  /** Ends a claim: the file has become a task, or it was refused and no longer counts. */
  settleTokenFile(tokenId: string, taskId: string, end: 'used' | 'refused'): Promise<void>
  /** Creates or replaces the key record. The rate window is kept unless `window` replaces it. */
  put(record: KeyRecord, window?: StoredWindow): Promise<void>
  /** Returns the accepted requests of the last 60 s. Empty if the key is unlimited. */
  window(): Promise<StoredWindow>
  get(): Promise<{ record: KeyRecord; lastUsedAt?: number } | undefined>
  /** Deletes the key record and keeps the counts. The key is unknown from then on. */
  forget(): Promise<void>
  /** Returns the accepted requests of a month ("2026-11"), in total and by day ("2026-11-20" → count). */
  calls(month: string): Promise<{ total: number; byDay: Record<string, number> }>
}
