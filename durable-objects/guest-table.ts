import { GUEST_LIMITS, GUEST_WINDOW_MS } from '../src/service/store/guests.ts'
import type { GuestUse } from '../src/service/store/keys.ts'
import { RateWindow } from './rate-window.ts'
import { migrate } from './schema.ts'

/** What each address has used since its window began. */
const INITIAL_SCHEMA = `
  CREATE TABLE guests (
    address TEXT PRIMARY KEY, since INTEGER NOT NULL, tokens INTEGER NOT NULL, bytes INTEGER NOT NULL, cpu_ms INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE INDEX guests_by_start ON guests (since);
`
/** Most addresses that are counted at a time. Further ones are refused. */
const MAX_ADDRESSES = 100_000
/** Windows that ended and are deleted for each new address. */
const DELETED_PER_ADDRESS = 10
/** Number of rate windows from which empty ones are dropped. */
const MAX_IDLE_WINDOWS = 1000

interface Row extends Record<string, SqlStorageValue> {
  since: number
  tokens: number
  bytes: number
  cpu_ms: number
}

/** Guests of one KeyGate object: what each address has used in its hour, and its requests of the last minute. */
export class GuestTable {
  readonly #storage: DurableObjectStorage
  /** Number of stored addresses. `undefined`: not counted since the object started. */
  #count: number | undefined
  /** Rate windows by address. In memory only: a restart of the object forgets at most a minute. */
  readonly #windows = new Map<string, RateWindow>()

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
  }

  get #sql(): SqlStorage {
    migrate(this.#storage, 'guests', [INITIAL_SCHEMA])
    return this.#storage.sql
  }

  /** Counts a use of an address. Returns the end of its hour in epoch milliseconds, without a change, if a limit would be exceeded. */
  charge(address: string, { tokens = 0, bytes = 0, cpuMs = 0 }: GuestUse, now: number): number | undefined {
    const known = this.#find(address)
    if (!known && !this.#hasSpace(now)) return now + GUEST_WINDOW_MS
    const { since, ...used } = known && known.since + GUEST_WINDOW_MS > now ? known : { since: now, tokens: 0, bytes: 0, cpu_ms: 0 }
    const sum = { tokens: used.tokens + tokens, bytes: used.bytes + bytes, cpuMs: used.cpu_ms + cpuMs }
    if (sum.tokens > GUEST_LIMITS.tokens || sum.bytes > GUEST_LIMITS.bytes || sum.cpuMs > GUEST_LIMITS.cpuMs) return since + GUEST_WINDOW_MS
    const insert = 'INSERT OR REPLACE INTO guests (address, since, tokens, bytes, cpu_ms) VALUES (?, ?, ?, ?, ?)'
    this.#sql.exec(insert, address, since, sum.tokens, sum.bytes, sum.cpuMs)
    if (!known) this.#count!++
    return undefined
  }

  /** Requests that an address sent in the last minute. */
  windowOf(address: string, now: number): RateWindow {
    const known = this.#windows.get(address)
    if (known) return known
    if (this.#windows.size >= MAX_IDLE_WINDOWS) this.#dropEmptyWindows(now)
    const window = new RateWindow()
    this.#windows.set(address, window)
    return window
  }

  #find(address: string): Row | undefined {
    const [row] = this.#sql.exec<Row>('SELECT since, tokens, bytes, cpu_ms FROM guests WHERE address = ?', address)
    return row
  }

  /** Deletes some rows whose hour has ended. Returns `false` if too many addresses remain. */
  #hasSpace(now: number): boolean {
    this.#count ??= this.#sql.exec<{ guests: number }>('SELECT COUNT(*) AS guests FROM guests').one().guests
    const ended = 'SELECT address FROM guests WHERE since <= ? ORDER BY since LIMIT ?'
    for (const { address } of [...this.#sql.exec<{ address: string }>(ended, now - GUEST_WINDOW_MS, DELETED_PER_ADDRESS)]) {
      this.#sql.exec('DELETE FROM guests WHERE address = ?', address)
      this.#count--
    }
    return this.#count < MAX_ADDRESSES
  }

  #dropEmptyWindows(now: number): void {
    for (const [address, window] of this.#windows) {
      window.forget(now)
      if (window.size === 0) this.#windows.delete(address)
    }
  }
}
