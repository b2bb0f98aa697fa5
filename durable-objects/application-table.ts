import type { ApplicationRecord } from '../src/service/store/accounts.ts'
import type { PlanId } from '../src/service/store/plans.ts'
import { migrate } from './schema.ts'

const INITIAL_SCHEMA = `
  CREATE TABLE IF NOT EXISTS applications (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, environment TEXT NOT NULL, plan TEXT NOT NULL, created_at INTEGER NOT NULL);
`

/** SQLite table of an account's applications. */
export class ApplicationTable {
  readonly #sql: SqlStorage

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
    // Schema name of the first release, which had no separate file for this table. Renaming it would run the migrations again.
    migrate(storage, 'account', [INITIAL_SCHEMA])
  }

  create(name: string, environment: string, plan: PlanId): ApplicationRecord {
    const application = { applicationId: `app_${crypto.randomUUID().replaceAll('-', '')}`, name, environment, plan, createdAt: Date.now() }
    this.put(application)
    return application
  }

  put({ applicationId, name, environment, plan, createdAt }: ApplicationRecord): void {
    const insert = 'INSERT OR REPLACE INTO applications (id, name, environment, plan, created_at) VALUES (?, ?, ?, ?, ?)'
    this.#sql.exec(insert, applicationId, name, environment, plan, createdAt)
  }

  /** Updates the given fields of an application. Returns `false` if the application does not exist. */
  update(applicationId: string, { name, environment, plan }: { name?: string; environment?: string; plan?: PlanId }): boolean {
    const set = 'name = COALESCE(?, name), environment = COALESCE(?, environment), plan = COALESCE(?, plan)'
    const values = [name ?? null, environment ?? null, plan ?? null, applicationId]
    return this.#sql.exec(`UPDATE applications SET ${set} WHERE id = ?`, ...values).rowsWritten > 0
  }

  remove(applicationId: string): boolean {
    return [...this.#sql.exec('DELETE FROM applications WHERE id = ? RETURNING 1', applicationId)].length > 0
  }

  /** Returns all applications of the account, oldest first. */
  all(): ApplicationRecord[] {
    type Row = { id: string; name: string; environment: string; plan: PlanId; created_at: number }
    const rows = [...this.#sql.exec<Row>('SELECT * FROM applications ORDER BY created_at')]
    return rows.map(({ id, created_at, ...rest }) => ({ applicationId: id, ...rest, createdAt: created_at }))
  }
}
