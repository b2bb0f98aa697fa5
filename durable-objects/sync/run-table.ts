import {
  MAX_SYNC_ERRORS,
  type SyncEstimate,
  type SyncOrder,
  type SyncReport,
  type SyncState,
  type SyncTrouble,
} from '../../src/service/store/syncs.ts'
import { migrate } from '../schema.ts'
import { WaitList } from '../task/waiting.ts'

const INITIAL_SCHEMA = `
  CREATE TABLE runs (number INTEGER PRIMARY KEY AUTOINCREMENT, sync_id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, estimates TEXT NOT NULL);
  CREATE TABLE errors (seq INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, key TEXT NOT NULL, trouble TEXT NOT NULL);
  CREATE INDEX errors_by_run ON errors (run, seq);
`
/** Syncs between two places that stay readable. */
const MAX_RUNS = 20

const NO_FIGURES = { found: 0, skipped: 0, compressed: 0, unchanged: 0, failed: 0, originalSize: 0, compressedSize: 0 } as const

export interface Run {
  readonly number: number
  readonly state: SyncState
}

/** Syncs between one source and one destination, in the SQLite storage of their SyncRecord. At most the last one is open. */
export class RunTable {
  readonly #sql: SqlStorage
  /** Callers that wait for a change of the last sync. */
  readonly changes = new WaitList()

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
    migrate(storage, 'sync-runs', [INITIAL_SCHEMA])
  }

  begin(order: SyncOrder): void {
    const state: SyncState = {
      ...{ order, status: 'estimating', phase: 'estimate', isListed: false, estimated: 0, figures: NO_FIGURES, pauses: 0 },
      workedAt: order.startedAt,
    }
    this.#sql.exec('INSERT INTO runs (sync_id, state, estimates) VALUES (?, ?, ?)', order.syncId, JSON.stringify(state), '[]')
    const old = '(SELECT MAX(number) FROM runs) - ?'
    this.#sql.exec(`DELETE FROM errors WHERE run <= ${old}`, MAX_RUNS)
    this.#sql.exec(`DELETE FROM runs WHERE number <= ${old}`, MAX_RUNS)
  }

  /** The last sync. `undefined`: there has been none. */
  last(): Run | undefined {
    const [row] = this.#sql.exec<{ number: number; state: string }>('SELECT number, state FROM runs ORDER BY number DESC LIMIT 1')
    return row && { number: row.number, state: JSON.parse(row.state) as SyncState }
  }

  /** Changes the state of the last sync. */
  change(change: (state: SyncState) => SyncState): void {
    const run = this.last()
    if (!run) return
    this.#sql.exec('UPDATE runs SET state = ? WHERE number = ?', JSON.stringify(change(run.state)), run.number)
    this.changes.wakeAll()
  }

  estimates(): SyncEstimate[] {
    const [row] = this.#sql.exec<{ estimates: string }>('SELECT estimates FROM runs ORDER BY number DESC LIMIT 1')
    return row ? (JSON.parse(row.estimates) as SyncEstimate[]) : []
  }

  putEstimates(estimates: readonly SyncEstimate[]): void {
    this.#sql.exec('UPDATE runs SET estimates = ? WHERE number = (SELECT MAX(number) FROM runs)', JSON.stringify(estimates))
  }

  noteError(run: number, key: string, trouble: SyncTrouble): void {
    this.#sql.exec('INSERT INTO errors (run, key, trouble) VALUES (?, ?, ?)', run, key, JSON.stringify(trouble))
    const kept = 'SELECT seq FROM errors WHERE run = ? ORDER BY seq DESC LIMIT ?'
    this.#sql.exec(`DELETE FROM errors WHERE run = ? AND seq NOT IN (${kept})`, run, run, MAX_SYNC_ERRORS)
  }

  report(syncId: string): SyncReport | undefined {
    type Row = { number: number; state: string; estimates: string }
    const [row] = this.#sql.exec<Row>('SELECT number, state, estimates FROM runs WHERE sync_id = ?', syncId)
    if (!row) return undefined
    const errors = this.#sql.exec<{ key: string; trouble: string }>(
      'SELECT key, trouble FROM errors WHERE run = ? ORDER BY seq DESC',
      row.number,
    )
    return {
      state: JSON.parse(row.state) as SyncState,
      estimates: JSON.parse(row.estimates) as SyncEstimate[],
      errors: [...errors].map(({ key, trouble }) => ({ key, trouble: JSON.parse(trouble) as SyncTrouble })),
    }
  }
}
