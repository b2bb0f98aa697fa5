import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../src/service/env.ts'
import { GUEST_KEY, GUEST_WINDOW_MS } from '../src/service/store/guests.ts'
import type {
  GuestUse,
  KeyCheckResult,
  KeyGateApi,
  KeyRecord,
  RateState,
  Scope,
  StoredWindow,
  TokenCheckResult,
  TokenUse,
} from '../src/service/store/keys.ts'
import { PLANS } from '../src/service/store/plans.ts'
import { withRegionBindings } from '../src/service/store/region-bindings.ts'
import { uploadIdOfTask } from '../src/service/store/upload-records.ts'
import type { UploadToken } from '../src/service/store/upload-tokens.ts'
import { GuestTable } from './guest-table.ts'
import { RateWindow } from './rate-window.ts'
import { TokenTable } from './token-table.ts'

/**
 * Delay, in milliseconds, before accepted requests are written to storage, after the response. A crash loses at most 0.1 s of the rate
 * window; a disk write for each request would cost more.
 */
const WRITE_DELAY_MS = 100
const UNCONFIRMED = { allowUnconfirmed: true }

/** Number of accepted requests on one day. */
interface Day {
  /** Day of the count, such as "2026-11-20" (UTC). */
  readonly day: string
  calls: number
}

/** Rate limit of a request, and what counts towards it. */
interface RateMeter {
  /** Requests in 60 s. `null`: unlimited. */
  readonly limit: number | null
  readonly window: RateWindow
}

/** State of an API key that changes with every request. Stored as one row. */
interface Recent {
  readonly window: StoredWindow
  readonly lastUsedAt?: number
  /** Request count of the current day; earlier days have their own rows. `undefined`: no request was counted since this field exists. */
  readonly today?: Day
}

/**
 * Durable Object of one API key: its record, its accepted requests of the last 60 s, and its browser tokens.
 * One call authenticates, authorises and counts a request. The state is kept in memory and written after the response. Refused requests
 * cause no write.
 */
export class KeyGate extends DurableObject<Env> implements KeyGateApi {
  #record: KeyRecord | undefined
  /** Accepted requests of the last 60 s. Stays empty if the key has no rate limit. */
  #window: RateWindow
  #today: Day | undefined
  #lastUsedAt: number | undefined
  #writeTimer: ReturnType<typeof setTimeout> | undefined
  readonly #tokens: TokenTable
  readonly #guests: GuestTable

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withRegionBindings(env))
    this.#tokens = new TokenTable(ctx.storage)
    this.#guests = new GuestTable(ctx.storage)
    const { kv } = ctx.storage
    this.#record = kv.get<KeyRecord>('record')
    const { window, lastUsedAt, today } = kv.get<Recent>('recent') ?? migrateFirstRelease(kv)
    this.#window = new RateWindow(window)
    this.#lastUsedAt = lastUsedAt
    this.#today = today
  }

  async enter(scope: Scope | null): Promise<KeyCheckResult> {
    const now = Date.now()
    const key = this.#usableKey(now)
    if ('kind' in key) return key
    const meter = this.#meterOf(key, now)
    if (scope && !key.scopes.includes(scope)) return { kind: 'missing_scope', key, rate: rateOf(meter, now) }
    return this.#admit(key, meter, now)
  }

  /** Returns the record of the key, or why the key is refused. */
  #usableKey(now: number): KeyRecord | { kind: 'unknown' | 'disabled' | 'expired' } {
    const key = this.#record
    if (!key) return { kind: 'unknown' }
    if (key.state === 'disabled' || key.suspended) return { kind: 'disabled' }
    if (key.expiresAt !== undefined && key.expiresAt <= now) return { kind: 'expired' }
    return key
  }

  async createToken(token: UploadToken) {
    return this.#tokens.add(token, Date.now())
  }

  async createGuestToken(token: UploadToken & { readonly guest: string }) {
    const now = Date.now()
    if (!this.#record) await this.put(GUEST_KEY)
    const until = this.#charge(token, { tokens: 1 }, now)
    if (until !== undefined) return until
    return this.#tokens.add(token, now) ? undefined : now + GUEST_WINDOW_MS
  }

  async chargeGuest(tokenId: string, use: GuestUse) {
    const token = this.#tokens.find(tokenId)
    return token && this.#charge(token, use, Date.now())
  }

  /** Counts a use of the guest who has the token. Others, and guests without limits, are not counted. */
  #charge({ guest = '' }: UploadToken, use: GuestUse, now: number): number | undefined {
    return guest === '' ? undefined : this.#guests.charge(guest, use, now)
  }

  async enterWithToken(tokenId: string, { origin, purpose, bytes }: TokenUse): Promise<TokenCheckResult> {
    const now = Date.now()
    const token = this.#tokens.find(tokenId)
    const found = this.#usableKey(now)
    if (!token) return { kind: 'unknown' }
    if ('kind' in found) return found
    // Event streams and log lines of guests belong to their address.
    const key = token.guest ? { ...found, keyId: `${found.keyId}_${token.guest}` } : found
    if (token.expiresAt <= now) return { kind: 'token_expired' }
    if (token.origin !== origin) return { kind: 'other_origin' }
    const meter = this.#meterOf(key, now, token)
    const refused = (kind: 'missing_scope' | 'none' | 'used_up') => ({ kind, key, token, rate: rateOf(meter, now) })
    if (!key.scopes.includes('tokens')) return refused('missing_scope')
    if (purpose === 'none') return refused('none')
    // Claims do not count here: the file of this request may be a complete upload that has its claim already.
    if (purpose === 'file' && this.#tokens.files(tokenId, 'settled') >= token.maxFiles) return refused('used_up')
    const admitted = this.#admit(key, meter, now)
    const until =
      admitted.kind === 'accepted' && purpose === 'file'
        ? this.#charge(token, { bytes: bytes ?? PLANS[key.plan].maxFileBytes }, now)
        : undefined
    return until === undefined ? { ...admitted, token } : { kind: 'hour_used', until }
  }

  async claimTokenFile(tokenId: string, taskId: string) {
    if (this.#tokens.claim(tokenId, taskId, Date.now())) return true
    for (const doubted of this.#tokens.doubted(tokenId, Date.now())) await this.#settleDoubted(tokenId, doubted)
    return this.#tokens.claim(tokenId, taskId, Date.now())
  }

  /** Ends a claim whose request was interrupted: it counts if its task exists, and stays open while its upload exists. */
  async #settleDoubted(tokenId: string, taskId: string): Promise<void> {
    if (await this.env.TASKS.getByName(taskId).read()) await this.settleTokenFile(tokenId, taskId, 'used')
    else if (!(await this.env.UPLOADS.getByName(uploadIdOfTask(taskId)).read())) await this.settleTokenFile(tokenId, taskId, 'refused')
  }

  async settleTokenFile(tokenId: string, taskId: string, end: 'used' | 'refused') {
    this.#tokens.settle(tokenId, taskId, end, Date.now())
  }

  async enterAs(key: KeyRecord): Promise<KeyCheckResult> {
    const now = Date.now()
    return this.#admit(key, this.#meterOf(key, now), now)
  }

  /** Rate limit of a request of the key, or of the guest who has the token. */
  #meterOf(key: KeyRecord, now: number, { guest }: Pick<UploadToken, 'guest'> = {}): RateMeter {
    const limit = guest === '' ? null : (key.requestsPerMinute ?? PLANS[key.plan].requestsPerMinute)
    const window = guest ? this.#guests.windowOf(guest, now) : this.#window
    window.forget(now)
    return { limit, window }
  }

  #admit(key: KeyRecord, meter: RateMeter, now: number) {
    const { limit, window } = meter
    if (limit !== null && window.size >= limit) return { kind: 'limited' as const, key, rate: rateOf(meter, now) }
    this.#count(now)
    if (limit !== null) window.add(now, limit)
    return { kind: 'accepted' as const, key, rate: rateOf(meter, now) }
  }

  async put(record: KeyRecord, window?: StoredWindow): Promise<void> {
    this.#record = record
    this.ctx.storage.kv.put('record', record)
    if (!window) return
    this.#window = new RateWindow(window)
    this.ctx.storage.kv.put<Recent>('recent', this.#recent)
  }

  async window() {
    this.#window.forget(Date.now())
    return this.#window.stored()
  }

  async get() {
    if (!this.#record) return undefined
    return { record: this.#record, ...this.#lastUse }
  }

  async forget() {
    this.#record = undefined
    this.#tokens.clear()
    this.ctx.storage.kv.delete('record')
  }

  async calls(month: string) {
    const byDay: Record<string, number> = {}
    for (const [name, count] of this.ctx.storage.kv.list<number>({ prefix: `day:${month}` })) byDay[name.slice(4)] = count
    if (this.#today?.day.startsWith(month)) byDay[this.#today.day] = this.#today.calls
    return { total: Object.values(byDay).reduce((sum, count) => sum + count, 0), byDay }
  }

  get #lastUse() {
    return this.#lastUsedAt === undefined ? {} : { lastUsedAt: this.#lastUsedAt }
  }

  #count(now: number) {
    const day = new Date(now).toISOString().slice(0, 10)
    if (day !== this.#today?.day) {
      const { kv } = this.ctx.storage
      if (this.#today) kv.put(`day:${this.#today.day}`, this.#today.calls)
      this.#today = { day, calls: kv.get<number>(`day:${day}`) ?? 0 }
    }
    this.#today.calls++
    this.#lastUsedAt = now
    if (this.#writeTimer === undefined) this.#writeTimer = setTimeout(() => this.#write(), WRITE_DELAY_MS)
  }

  #write() {
    this.#writeTimer = undefined
    void this.ctx.storage.put<Recent>('recent', this.#recent, UNCONFIRMED)
  }

  get #recent(): Recent {
    return { window: this.#window.stored(), ...this.#lastUse, ...(this.#today && { today: this.#today }) }
  }
}

function rateOf({ limit, window }: RateMeter, now: number): RateState {
  if (limit === null) return { limit: null, remaining: null }
  return { limit, remaining: Math.max(0, limit - window.size), resetAt: window.freeAt ?? now }
}

/** Converts the state of the first release, which stored the window and `lastUsedAt` separately and one number for each request. */
function migrateFirstRelease(kv: SyncKvStorage): Partial<Recent> {
  const [times, lastUsedAt] = [kv.get<number[]>('window'), kv.get<number>('lastUsedAt')]
  if (lastUsedAt === undefined) return {}
  const recent = { window: new RateWindow(times).stored(), lastUsedAt }
  kv.put('recent', recent)
  kv.delete('window')
  kv.delete('lastUsedAt')
  return recent
}
