import type { IdempotencyState } from '../src/service/store/accounts.ts'
import { migrate } from './schema.ts'

/** Lifetime of an idempotency key, in milliseconds (24 hours). */
const KEY_LIFETIME_MS = 86_400_000
/** Time in milliseconds after which an unfinished request no longer blocks its idempotency key (15 minutes). */
export const IN_FLIGHT_MS = 15 * 60_000
/** Number of expired idempotency keys deleted for each new key. More than one, so that the table shrinks. */
const DELETED_PER_KEY = 2

const INITIAL_SCHEMA = `CREATE TABLE IF NOT EXISTS idempotency (
  scope TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, fingerprint TEXT, id TEXT, PRIMARY KEY (scope, key)) WITHOUT ROWID`
const ADD_TIME_INDEX = 'CREATE INDEX idempotency_by_time ON idempotency (at)'
/** Column `asker`: id of the request that holds the idempotency key. */
const ADD_ASKER = 'ALTER TABLE idempotency ADD COLUMN asker TEXT'

/** Idempotency keys of an account and the tasks that they created, in SQLite. */
export class IdempotencyTable {
  readonly #sql: SqlStorage

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
    migrate(storage, 'idempotency', [INITIAL_SCHEMA, ADD_TIME_INDEX, ADD_ASKER])
  }

  begin(key: string, scope: string, asker: string): IdempotencyState {
    const now = Date.now()
    type Row = { at: number; fingerprint: string | null; id: string | null; asker: string | null }
    const [row] = [...this.#sql.exec<Row>('SELECT at, fingerprint, id, asker FROM idempotency WHERE scope = ? AND key = ?', scope, key)]
    if (row && row.at >= now - KEY_LIFETIME_MS) {
      const { fingerprint, id } = row
      if (id !== null && fingerprint !== null) return { kind: 'done', fingerprint, id }
      if (row.asker === asker) return { kind: 'new' }
      if (row.at >= now - IN_FLIGHT_MS) return { kind: 'in_flight' }
    }
    this.#deleteExpired(now)
    this.#sql.exec('INSERT OR REPLACE INTO idempotency (scope, key, at, asker) VALUES (?, ?, ?, ?)', scope, key, now, asker)
    return { kind: 'new' }
  }

  finish(key: string, scope: string, fingerprint: string, id: string): void {
    this.#sql.exec('UPDATE idempotency SET fingerprint = ?, id = ? WHERE scope = ? AND key = ?', fingerprint, id, scope, key)
  }

  abandon(key: string, scope: string): void {
    this.#sql.exec('DELETE FROM idempotency WHERE scope = ? AND key = ? AND id IS NULL', scope, key)
  }

  #deleteExpired(now: number): void {
    const expired = 'SELECT scope, key FROM idempotency WHERE at < ? ORDER BY at LIMIT ?'
    this.#sql.exec(`DELETE FROM idempotency WHERE (scope, key) IN (${expired})`, now - KEY_LIFETIME_MS, DELETED_PER_KEY)
  }
}
