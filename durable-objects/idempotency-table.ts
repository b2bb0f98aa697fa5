import type { IdempotencyState } from '../src/service/store/accounts.ts'
import { migrate } from './schema.ts'

/** Lifetime of an idempotency key, in milliseconds (24 hours). */
const REMEMBERED_MS = 86_400_000
/** Time in milliseconds after which an unfinished request no longer blocks its idempotency key (15 minutes). */
export const IN_FLIGHT_MS = 15 * 60_000
/** Expired idempotency keys deleted for each new key. More than one, so that the table shrinks. */
const FORGOTTEN_AT_ONCE = 2

const FIRST = `CREATE TABLE IF NOT EXISTS idempotency (
  scope TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, fingerprint TEXT, id TEXT, PRIMARY KEY (scope, key)) WITHOUT ROWID`
const BY_TIME = 'CREATE INDEX idempotency_by_time ON idempotency (at)'
/** Column `asker`: id of the request that holds the idempotency key. */
const ASKER = 'ALTER TABLE idempotency ADD COLUMN asker TEXT'

/** Idempotency keys of an account and the tasks that they created, in SQLite. */
export class IdempotencyTable {
  readonly #sql: SqlStorage

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
    migrate(storage, 'idempotency', [FIRST, BY_TIME, ASKER])
  }

  begin(key: string, scope: string, asker: string): IdempotencyState {
    const now = Date.now()
    type Row = { at: number; fingerprint: string | null; id: string | null; asker: string | null }
    const [row] = [...this.#sql.exec<Row>('SELECT at, fingerprint, id, asker FROM idempotency WHERE scope = ? AND key = ?', scope, key)]
    if (row && row.at >= now - REMEMBERED_MS) {
      const { fingerprint, id } = row
      if (id !== null && fingerprint !== null) return { kind: 'done', fingerprint, id }
      if (row.asker === asker) return { kind: 'new' }
      if (row.at >= now - IN_FLIGHT_MS) return { kind: 'in_flight' }
    }
    this.#forget(now)
    this.#sql.exec('INSERT OR REPLACE INTO idempotency (scope, key, at, asker) VALUES (?, ?, ?, ?)', scope, key, now, asker)
    return { kind: 'new' }
  }

  finish(key: string, scope: string, fingerprint: string, id: string): void {
    this.#sql.exec('UPDATE idempotency SET fingerprint = ?, id = ? WHERE scope = ? AND key = ?', fingerprint, id, scope, key)
  }

  abandon(key: string, scope: string): void {
    this.#sql.exec('DELETE FROM idempotency WHERE scope = ? AND key = ? AND id IS NULL', scope, key)
  }

  #forget(now: number): void {
    const old = 'SELECT scope, key FROM idempotency WHERE at < ? ORDER BY at LIMIT ?'
    this.#sql.exec(`DELETE FROM idempotency WHERE (scope, key) IN (${old})`, now - REMEMBERED_MS, FORGOTTEN_AT_ONCE)
  }
}
