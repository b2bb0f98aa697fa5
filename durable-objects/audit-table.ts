import type { Action, AuditPage } from '../src/service/store/audit.ts'
import { migrate } from './schema.ts'

const INITIAL_SCHEMA = `
  CREATE TABLE actions (seq INTEGER PRIMARY KEY AUTOINCREMENT, action TEXT NOT NULL);
`
const MAX_ACTIONS = 10_000

/** Audit log of an account in SQLite. Keeps the last 10,000 actions. */
export class AuditTable {
  readonly #sql: SqlStorage

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
    migrate(storage, 'audit', [INITIAL_SCHEMA])
  }

  note(action: Action): void {
    this.#sql.exec('INSERT INTO actions (action) VALUES (?)', JSON.stringify(action))
    this.#sql.exec('DELETE FROM actions WHERE seq <= (SELECT MAX(seq) FROM actions) - ?', MAX_ACTIONS)
  }

  page(limit: number, before = Number.MAX_SAFE_INTEGER): AuditPage {
    type Row = { seq: number; action: string }
    const rows = [...this.#sql.exec<Row>('SELECT seq, action FROM actions WHERE seq < ? ORDER BY seq DESC LIMIT ?', before, limit + 1)]
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const actions = page.map(({ action }) => JSON.parse(action) as Action)
    return { actions, ...(rows.length > limit && last ? { before: last.seq } : {}) }
  }
}
