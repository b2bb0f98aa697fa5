import type { DeliveryRecord } from '../src/service/store/people.ts'
import { migrate } from './schema.ts'

const INITIAL_SCHEMA = `
  CREATE TABLE IF NOT EXISTS deliveries (seq INTEGER PRIMARY KEY AUTOINCREMENT, delivery TEXT NOT NULL);
`
/**
 * Migration that adds `kind` to stored deliveries. Earlier releases marked alerts and tests only by an empty task id, so both become
 * `test`.
 */
const ADD_KINDS = `
  UPDATE deliveries SET delivery =
    json_set(delivery, '$.kind', CASE json_extract(delivery, '$.taskId') WHEN '' THEN 'test' ELSE 'task' END);
`
const MAX_DELIVERIES = 1000

/** Log of webhook deliveries of an account in SQLite. Keeps the last 1,000 deliveries. */
export class DeliveryTable {
  readonly #sql: SqlStorage

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
    migrate(storage, 'deliveries', [INITIAL_SCHEMA, ADD_KINDS])
  }

  note(delivery: DeliveryRecord): void {
    this.#sql.exec('INSERT INTO deliveries (delivery) VALUES (?)', JSON.stringify(delivery))
    this.#sql.exec('DELETE FROM deliveries WHERE seq <= (SELECT MAX(seq) FROM deliveries) - ?', MAX_DELIVERIES)
  }

  /** Returns the last `limit` deliveries, newest first. */
  list(limit: number): DeliveryRecord[] {
    const rows = this.#sql.exec<{ delivery: string }>('SELECT delivery FROM deliveries ORDER BY seq DESC LIMIT ?', limit)
    return [...rows].map((row) => JSON.parse(row.delivery) as DeliveryRecord)
  }
}
