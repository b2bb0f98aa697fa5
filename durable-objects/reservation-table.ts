import { migrate } from './schema.ts'

/**
 * Storage reserved for unfinished uploads, by the task that each may become, in the SQLite storage of an Account object.
 * Triggers maintain the sum of all reservations, so that reading the sum costs one row.
 */
const INITIAL_SCHEMA = `
  CREATE TABLE reservations (task_id TEXT PRIMARY KEY, bytes INTEGER NOT NULL, until INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX reservations_by_end ON reservations (until);
  CREATE TABLE reserved (id INTEGER PRIMARY KEY CHECK (id = 0), bytes INTEGER NOT NULL);
  INSERT INTO reserved (id, bytes) VALUES (0, 0);
  CREATE TRIGGER reservation_inserted AFTER INSERT ON reservations
    BEGIN UPDATE reserved SET bytes = bytes + NEW.bytes; END;
  CREATE TRIGGER reservation_deleted AFTER DELETE ON reservations
    BEGIN UPDATE reserved SET bytes = bytes - OLD.bytes; END;
`
/** Number of expired reservations deleted for each new one. A reservation expires only if its upload could not release it. */
const DELETED_PER_RESERVATION = 10

export class ReservationTable {
  readonly #sql: SqlStorage

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
    migrate(storage, 'reservations', [INITIAL_SCHEMA])
  }

  /** Total bytes of all reservations. */
  sum(): number {
    return this.#sql.exec<{ bytes: number }>('SELECT bytes FROM reserved').one().bytes
  }

  has(taskId: string): boolean {
    return [...this.#sql.exec('SELECT 1 FROM reservations WHERE task_id = ?', taskId)].length > 0
  }

  /** Reserves `bytes` of storage for a task until `until` (epoch milliseconds). */
  add(taskId: string, bytes: number, until: number): void {
    this.#deleteExpired(Date.now())
    this.#sql.exec('INSERT INTO reservations (task_id, bytes, until) VALUES (?, ?, ?)', taskId, bytes, until)
  }

  remove(taskId: string): void {
    this.#sql.exec('DELETE FROM reservations WHERE task_id = ?', taskId)
  }

  #deleteExpired(now: number): void {
    const expired = 'SELECT task_id FROM reservations WHERE until < ? ORDER BY until LIMIT ?'
    this.#sql.exec(`DELETE FROM reservations WHERE task_id IN (${expired})`, now, DELETED_PER_RESERVATION)
  }
}
