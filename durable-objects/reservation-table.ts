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
/** Migration that adds the number of reservations, maintained by the same triggers. */
const COUNT_RESERVATIONS = `
  ALTER TABLE reserved ADD COLUMN uploads INTEGER NOT NULL DEFAULT 0;
  UPDATE reserved SET uploads = (SELECT COUNT(*) FROM reservations);
  DROP TRIGGER reservation_inserted;
  DROP TRIGGER reservation_deleted;
  CREATE TRIGGER reservation_inserted AFTER INSERT ON reservations
    BEGIN UPDATE reserved SET bytes = bytes + NEW.bytes, uploads = uploads + 1; END;
  CREATE TRIGGER reservation_deleted AFTER DELETE ON reservations
    BEGIN UPDATE reserved SET bytes = bytes - OLD.bytes, uploads = uploads - 1; END;
`
/** Number of expired reservations deleted for each new one. A reservation expires only if its upload could not release it. */
const DELETED_PER_RESERVATION = 10

export class ReservationTable {
  readonly #sql: SqlStorage

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
    migrate(storage, 'reservations', [INITIAL_SCHEMA, COUNT_RESERVATIONS])
  }

  /** Bytes and number of all reservations. */
  totals(): { readonly bytes: number; readonly uploads: number } {
    return this.#sql.exec<{ bytes: number; uploads: number }>('SELECT bytes, uploads FROM reserved').one()
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
