import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../src/service/env.ts'
import type { KeyCheckResult, KeyGateApi, KeyRecord, RateState, Scope, StoredWindow } from '../src/service/store/keys.ts'
import { PLANS } from '../src/service/store/plans.ts'
import { RateWindow } from './rate-window.ts'

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

/** State of an API key that changes with every request. Stored as one row. */
interface Recent {
  readonly window: StoredWindow
  readonly lastUsedAt?: number
  /** Request count of the current day; earlier days have their own rows. `undefined`: no request was counted since this field exists. */
  readonly today?: Day
}

/**
 * Durable Object of one API key: its record and its accepted requests of the last 60 s.
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

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const { kv } = ctx.storage
    this.#record = kv.get<KeyRecord>('record')
    const { window, lastUsedAt, today } = kv.get<Recent>('recent') ?? migrateFirstRelease(kv)
    this.#window = new RateWindow(window)
    this.#lastUsedAt = lastUsedAt
    this.#today = today
  }

  async enter(scope: Scope | null): Promise<KeyCheckResult> {
    const key = this.#record
    const now = Date.now()
    if (!key) return { kind: 'unknown' }
    if (key.state === 'disabled' || key.suspended) return { kind: 'disabled' }
    if (key.expiresAt !== undefined && key.expiresAt <= now) return { kind: 'expired' }
    this.#window.forget(now)
    if (scope && !key.scopes.includes(scope)) return { kind: 'missing_scope', key, rate: this.#rate(key, now) }
    return this.#admit(key, now)
  }

  async enterAs(key: KeyRecord): Promise<KeyCheckResult> {
    const now = Date.now()
    this.#window.forget(now)
    return this.#admit(key, now)
  }

  #admit(key: KeyRecord, now: number): KeyCheckResult {
    const limit = limitOf(key)
    if (limit !== null && this.#window.size >= limit) return { kind: 'limited', key, rate: this.#rate(key, now) }
    this.#count(now)
    if (limit !== null) this.#window.add(now, limit)
    return { kind: 'accepted', key, rate: this.#rate(key, now) }
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

  #rate(key: KeyRecord, now: number): RateState {
    const limit = limitOf(key)
    if (limit === null) return { limit: null, remaining: null }
    return { limit, remaining: Math.max(0, limit - this.#window.size), resetAt: this.#window.freeAt ?? now }
  }
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

function limitOf(key: KeyRecord): number | null {
  return key.requestsPerMinute ?? PLANS[key.plan].requestsPerMinute
}
