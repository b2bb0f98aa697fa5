import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../src/service/env.ts'
import type { Entry, KeyGateFace, KeyRecord, RateState, Scope, StoredWindow } from '../src/service/store/keys.ts'
import { PLANS } from '../src/service/store/plans.ts'
import { RateWindow } from './rate-window.ts'

/**
 * Accepted requests are written behind the answer, all of a tenth of a second at once: losing that much of a log in a crash
 * harms nobody; a write to the disk on every request would.
 */
const WRITE_BEHIND_MS = 100
const UNCONFIRMED = { allowUnconfirmed: true }

/** Accepted requests of a day. */
interface Day {
  /** "2026-11-20", UTC. */
  readonly day: string
  calls: number
}

/** What changes with every request: one row. */
interface Recent {
  readonly window: StoredWindow
  readonly lastUsedAt?: number
  /** Days before have rows of their own. Absent: none has been counted since this is kept here. */
  readonly today?: Day
}

/**
 * One API key: its record and the window of its accepted requests in the last 60 s. One hop authenticates, authorises
 * and counts. Lives in memory, is stored behind the answer, and refused requests never write.
 */
export class KeyGate extends DurableObject<Env> implements KeyGateFace {
  #record: KeyRecord | undefined
  /** Empty where there is no limit. */
  #window: RateWindow
  #today: Day | undefined
  #lastUsedAt: number | undefined
  #writing: ReturnType<typeof setTimeout> | undefined

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    const { kv } = ctx.storage
    this.#record = kv.get<KeyRecord>('record')
    const { window, lastUsedAt, today } = kv.get<Recent>('recent') ?? ofBefore(kv)
    this.#window = new RateWindow(window)
    this.#lastUsedAt = lastUsedAt
    this.#today = today
  }

  async enter(scope: Scope | null): Promise<Entry> {
    const key = this.#record
    const now = Date.now()
    if (!key) return { kind: 'unknown' }
    if (key.state === 'disabled' || key.suspended) return { kind: 'disabled' }
    if (key.expiresAt !== undefined && key.expiresAt <= now) return { kind: 'expired' }
    this.#window.forget(now)
    if (scope && !key.scopes.includes(scope)) return { kind: 'missing_scope', key, rate: this.#rate(key, now) }
    return this.#admit(key, now)
  }

  async enterAs(key: KeyRecord): Promise<Entry> {
    const now = Date.now()
    this.#window.forget(now)
    return this.#admit(key, now)
  }

  #admit(key: KeyRecord, now: number): Entry {
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
    if (this.#writing === undefined) this.#writing = setTimeout(() => this.#write(), WRITE_BEHIND_MS)
  }

  #write() {
    this.#writing = undefined
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

/** The first release kept both apart, and the moment of every request as a number. */
function ofBefore(kv: SyncKvStorage): Partial<Recent> {
  const [moments, lastUsedAt] = [kv.get<number[]>('window'), kv.get<number>('lastUsedAt')]
  if (lastUsedAt === undefined) return {}
  const recent = { window: new RateWindow(moments).stored(), lastUsedAt }
  kv.put('recent', recent)
  kv.delete('window')
  kv.delete('lastUsedAt')
  return recent
}

function limitOf(key: KeyRecord): number | null {
  return key.requestsPerMinute ?? PLANS[key.plan].requestsPerMinute
}
