import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../src/env.ts'
import type { Entry, KeyGateFace, KeyRecord, RateState, Scope } from '../src/store/keys.ts'
import { PLANS } from '../src/store/plans.ts'

const WINDOW_MS = 60_000

/**
 * Accepted requests are written behind the answer, all of a tenth of a second at once: losing that much of a log in a crash
 * harms nobody; a write to the disk on every request would.
 */
const WRITE_BEHIND_MS = 100
const UNCONFIRMED = { allowUnconfirmed: true }

/**
 * One API key: its record and the exact log of its accepted requests in the last 60 s. One hop authenticates, authorises
 * and counts. Lives in memory, is stored behind the answer, and refused requests never write.
 */
export class KeyGate extends DurableObject<Env> implements KeyGateFace {
  #record: KeyRecord | undefined
  /** Epoch milliseconds of accepted requests, oldest first. Kept only where there is a limit. */
  #window: number[] = []
  #day = ''
  #callsToday = 0
  #lastUsedAt: number | undefined
  #writing: ReturnType<typeof setTimeout> | undefined

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const { kv } = ctx.storage
    this.#record = kv.get<KeyRecord>('record')
    this.#window = kv.get<number[]>('window') ?? []
    this.#lastUsedAt = kv.get<number>('lastUsedAt')
  }

  async enter(scope: Scope | null): Promise<Entry> {
    const key = this.#record
    const now = Date.now()
    if (!key) return { kind: 'unknown' }
    if (key.state === 'disabled' || key.suspended) return { kind: 'disabled' }
    if (key.expiresAt !== undefined && key.expiresAt <= now) return { kind: 'expired' }
    this.#forget(now)
    if (scope && !key.scopes.includes(scope)) return { kind: 'missing_scope', key, rate: this.#rate(key, now) }
    return this.#admit(key, now)
  }

  async enterAs(key: KeyRecord): Promise<Entry> {
    const now = Date.now()
    this.#forget(now)
    return this.#admit(key, now)
  }

  #admit(key: KeyRecord, now: number): Entry {
    const limit = limitOf(key)
    if (limit !== null && this.#window.length >= limit) return { kind: 'limited', key, rate: this.#rate(key, now) }
    this.#count(now, limit !== null)
    return { kind: 'accepted', key, rate: this.#rate(key, now) }
  }

  async put(record: KeyRecord, window?: readonly number[]): Promise<void> {
    this.#record = record
    this.ctx.storage.kv.put('record', record)
    if (!window) return
    this.#window = [...window]
    this.ctx.storage.kv.put('window', this.#window)
  }

  async window() {
    this.#forget(Date.now())
    return this.#window
  }

  async get() {
    if (!this.#record) return undefined
    return { record: this.#record, ...(this.#lastUsedAt === undefined ? {} : { lastUsedAt: this.#lastUsedAt }) }
  }

  async calls(month: string) {
    if (this.#writing) this.#write()
    const byDay: Record<string, number> = {}
    let total = 0
    for (const [name, count] of this.ctx.storage.kv.list<number>({ prefix: `day:${month}` })) {
      byDay[name.slice(4)] = count
      total += count
    }
    return { total, byDay }
  }

  #forget(now: number) {
    const expired = this.#window.findIndex((at) => at > now - WINDOW_MS)
    if (expired === -1) this.#window = []
    else if (expired > 0) this.#window.splice(0, expired)
  }

  #count(now: number, limited: boolean) {
    const day = new Date(now).toISOString().slice(0, 10)
    if (day !== this.#day) {
      if (this.#writing) this.#write()
      this.#day = day
      this.#callsToday = this.ctx.storage.kv.get<number>(`day:${day}`) ?? 0
    }
    this.#callsToday++
    this.#lastUsedAt = now
    if (limited) this.#window.push(now)
    this.#writing ??= setTimeout(() => this.#write(), WRITE_BEHIND_MS)
  }

  #write() {
    this.#writing = undefined
    const window = this.#window.length > 0 ? { window: this.#window } : {}
    void this.ctx.storage.put({ [`day:${this.#day}`]: this.#callsToday, lastUsedAt: this.#lastUsedAt, ...window }, UNCONFIRMED)
  }

  #rate(key: KeyRecord, now: number): RateState {
    const limit = limitOf(key)
    if (limit === null) return { limit: null, remaining: null }
    return { limit, remaining: Math.max(0, limit - this.#window.length), resetAt: (this.#window[0] ?? now - WINDOW_MS) + WINDOW_MS }
  }
}

function limitOf(key: KeyRecord): number | null {
  return key.requestsPerMinute ?? PLANS[key.plan].requestsPerMinute
}
