import type { ObjectEntry } from '../../src/service/buckets/object-store.ts'
import { migrate } from '../schema.ts'

/** Next step of an object. The numbers are stored. */
export const WORK = {
  /** Nothing: the object has ended. */
  none: 0,
  /** Check whether an earlier result is still there, and whether the object may be compressed. */
  check: 1,
  /** A task has been chosen: fetch the object, and wait for the task. */
  task: 2,
  /** Write the result, or a copy of the object, to the destination. */
  send: 3,
  /** The object has ended and is counted: remove its task. */
  removeTask: 4,
} as const
export type Work = (typeof WORK)[keyof typeof WORK]

/**
 * One row for each object of the source. The columns `done_…` say what the last sync wrote for it (its receipt). The others belong to the
 * sync that runs: `run` is its number.
 */
const INITIAL_SCHEMA = `
  CREATE TABLE objects (
    key TEXT PRIMARY KEY, run INTEGER NOT NULL, work INTEGER NOT NULL, etag TEXT NOT NULL, size INTEGER NOT NULL,
    task_id TEXT, multipart_id TEXT, target TEXT, target_size INTEGER, before_etag TEXT, is_copy INTEGER NOT NULL DEFAULT 0,
    tries INTEGER NOT NULL DEFAULT 0, tried_at INTEGER NOT NULL DEFAULT 0, not_before INTEGER NOT NULL DEFAULT 0,
    done_etag TEXT, done_options TEXT, done_target_etag TEXT, done_target_size INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX objects_open ON objects (not_before) WHERE work > 0;
  CREATE INDEX objects_by_target ON objects (target) WHERE target IS NOT NULL;
`

export interface SyncObject {
  readonly [column: string]: SqlStorageValue
  readonly key: string
  readonly run: number
  readonly work: Work
  /** Entity tag and size of the object in the source. */
  readonly etag: string
  readonly size: number
  /** Task of the object. `null`: none, or removed. */
  readonly task_id: string | null
  /** Multipart upload of the running fetch. After a restart it belongs to nothing, and is removed. */
  readonly multipart_id: string | null
  /** Key at the destination. `null`: not known yet. */
  readonly target: string | null
  /** Bytes that are written there. */
  readonly target_size: number | null
  /** Entity tag that the destination had before. `null`: there was no object. */
  readonly before_etag: string | null
  /** 1: the object is copied as it is. */
  readonly is_copy: number
  /** Troubles of this object between which other objects ended, and the number of ended objects at the last one. */
  readonly tries: number
  readonly tried_at: number
  readonly done_etag: string | null
  readonly done_options: string | null
  readonly done_target_etag: string | null
  readonly done_target_size: number | null
}

type Column = 'work' | 'etag' | 'size' | 'task_id' | 'multipart_id' | 'target' | 'target_size' | 'before_etag' | 'is_copy'
type TryColumn = 'tries' | 'tried_at' | 'not_before'
type DoneColumn = 'done_etag' | 'done_options' | 'done_target_etag' | 'done_target_size'
export type ObjectChange = { readonly [Name in Column | TryColumn | DoneColumn]?: SqlStorageValue }

/** Objects of a source, in the SQLite storage of a SyncRecord. */
export class ObjectTable {
  readonly #sql: SqlStorage

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql
    migrate(storage, 'sync-objects', [INITIAL_SCHEMA])
  }

  /** Adds the objects of a page to a run and returns their number. One that the run has already is left out. */
  add(objects: readonly ObjectEntry[], run: number): number {
    let added = 0
    for (const { key, etag, size } of objects) {
      const { rowsWritten } = this.#sql.exec(
        `INSERT INTO objects (key, run, work, etag, size) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET run = excluded.run, work = excluded.work, etag = excluded.etag, size = excluded.size,
           tries = 0, tried_at = 0, not_before = 0 WHERE run < excluded.run`,
        ...[key, run, WORK.check, etag, size],
      )
      if (rowsWritten > 0) added++
    }
    return added
  }

  find(key: string): SyncObject | undefined {
    return [...this.#sql.exec<SyncObject>('SELECT * FROM objects WHERE key = ?', key)][0]
  }

  change(key: string, change: ObjectChange): void {
    const names = Object.keys(change)
    this.#sql.exec(`UPDATE objects SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE key = ?`, ...Object.values(change), key)
  }

  /** Keys of open objects that may be worked on now, those that wait longest first. */
  due(now: number, limit: number): string[] {
    const query = 'SELECT key FROM objects WHERE work > 0 AND not_before <= ? ORDER BY not_before LIMIT ?'
    return [...this.#sql.exec<{ key: string }>(query, now, limit)].map(({ key }) => key)
  }

  /** Number of open objects, and the time in epoch milliseconds from which the first of them may be worked on. */
  open(): { readonly count: number; readonly from: number } {
    const query = 'SELECT COUNT(*) AS count, COALESCE(MIN(not_before), 0) AS "from" FROM objects WHERE work > 0'
    return this.#sql.exec<{ count: number; from: number }>(query).one()
  }

  /** Ends the pauses of all open objects. */
  dueNow(): void {
    this.#sql.exec('UPDATE objects SET not_before = 0 WHERE work > 0 AND not_before > 0')
  }

  /** True if another object of the run has this key at the destination. */
  isTaken(target: string, { key, run }: Pick<SyncObject, 'key' | 'run'>): boolean {
    return [...this.#sql.exec('SELECT 1 FROM objects WHERE target = ? AND run = ? AND key <> ? LIMIT 1', target, run, key)].length > 0
  }

  /** Open objects of runs other than `run`, which have ended. */
  abandoned(run: number, limit: number): SyncObject[] {
    return [...this.#sql.exec<SyncObject>('SELECT * FROM objects WHERE work > 0 AND run <> ? LIMIT ?', run, limit)]
  }

  /** Forgets objects that a complete run has not found. Returns their number, at most `limit`. */
  forget(run: number, limit: number): number {
    const old = 'SELECT key FROM objects WHERE run < ? LIMIT ?'
    return this.#sql.exec(`DELETE FROM objects WHERE key IN (${old}) RETURNING key`, run, limit).toArray().length
  }
}
