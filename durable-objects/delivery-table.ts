import type { DeliveryRecord } from '../src/service/store/people.ts'
import { migrate } from './schema.ts'

const FIRST = `
  CREATE TABLE IF NOT EXISTS deliveries (seq INTEGER PRIMARY KEY AUTOINCREMENT, delivery TEXT NOT NULL);
`
/** Deliveries told only by an empty task id that they were of no task: alerts and tests alike, which nothing tells apart any more. */
const WITH_KINDS = `
  UPDATE deliveries SET delivery =
    json_set(delivery, '$.kind', CASE json_extract(delivery, '$.taskId') WHEN '' THEN 'test' ELSE 'task' END);
`
const KEPT = 1000

/** What an account's receivers were sent, in its SQLite: the last thousand deliveries. */
export class DeliveryTable {
  readonly #sql: SqlStorage

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
    migrate(storage, 'deliveries', [FIRST, WITH_KINDS])
  }

  note(delivery: DeliveryRecord): void {
    this.#sql.exec('INSERT INTO deliveries (delivery) VALUES (?)', JSON.stringify(delivery))
    this.#sql.exec('DELETE FROM deliveries WHERE seq <= (SELECT MAX(seq) FROM deliveries) - ?', KEPT)
  }

  /** The last one first. */
  list(limit: number): DeliveryRecord[] {
    const rows = this.#sql.exec<{ delivery: string }>('SELECT delivery FROM deliveries ORDER BY seq DESC LIMIT ?', limit)
    return [...rows].map((row) => JSON.parse(row.delivery) as DeliveryRecord)
  }
}
