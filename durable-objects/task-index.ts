import type { CpuTime, UsageRow as ExportedUsage, MeasuredCost, TaskEvent } from '../src/service/store/accounts.ts'
import { migrate } from './schema.ts'

/** Time in milliseconds that a removed task is remembered, so that a late `created` event cannot add it again (1 hour). */
const REMOVED_LIFETIME_MS = 3_600_000
/** Number of old entries deleted from the table of removed tasks at each removal. More than one, so that the table shrinks. */
const DELETED_PER_REMOVAL = 2

const INITIAL_SCHEMA = `
  CREATE TABLE IF NOT EXISTS tasks (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, task_id TEXT NOT NULL UNIQUE, batch_id TEXT, position INTEGER,
    stored INTEGER NOT NULL, created_at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS tasks_by_batch ON tasks (batch_id, position) WHERE batch_id IS NOT NULL;
  CREATE TABLE IF NOT EXISTS events (task_id TEXT NOT NULL, kind TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (task_id, kind)) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS events_by_time ON events (at);
  CREATE TABLE IF NOT EXISTS usage (
    day TEXT NOT NULL, format TEXT NOT NULL, completed INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,
    original INTEGER NOT NULL DEFAULT 0, compressed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (day, format)) WITHOUT ROWID;
`

/**
 * Migration that replaces the `events` table, which kept a row for each event for 90 days, by the column `ended`. Triggers maintain the sum
 * of stored bytes.
 */
const DROP_EVENTS = `
  ALTER TABLE tasks ADD COLUMN ended INTEGER NOT NULL DEFAULT 0;
  UPDATE tasks SET ended = 1 WHERE task_id IN (SELECT task_id FROM events WHERE kind IN ('completed', 'failed'));
  CREATE TABLE removed (task_id TEXT PRIMARY KEY, at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX removed_by_time ON removed (at);
  INSERT INTO removed SELECT task_id, at FROM events WHERE kind = 'removed' AND at > (unixepoch() * 1000 - ${REMOVED_LIFETIME_MS});
  DROP TABLE events;
  CREATE TABLE totals (stored INTEGER NOT NULL);
  INSERT INTO totals SELECT COALESCE(SUM(stored), 0) FROM tasks;
  CREATE TRIGGER task_inserted AFTER INSERT ON tasks BEGIN UPDATE totals SET stored = stored + NEW.stored; END;
  CREATE TRIGGER task_updated AFTER UPDATE OF stored ON tasks BEGIN UPDATE totals SET stored = stored + NEW.stored - OLD.stored; END;
  CREATE TRIGGER task_deleted AFTER DELETE ON tasks BEGIN UPDATE totals SET stored = stored - OLD.stored; END;
`

/** Migration that adds the number of tasks to the totals, maintained by the same triggers. */
const COUNT_TASKS = `
  ALTER TABLE totals ADD COLUMN tasks INTEGER NOT NULL DEFAULT 0;
  UPDATE totals SET tasks = (SELECT COUNT(*) FROM tasks);
  DROP TRIGGER task_inserted;
  DROP TRIGGER task_deleted;
  CREATE TRIGGER task_inserted AFTER INSERT ON tasks BEGIN UPDATE totals SET stored = stored + NEW.stored, tasks = tasks + 1; END;
  CREATE TRIGGER task_deleted AFTER DELETE ON tasks BEGIN UPDATE totals SET stored = stored - OLD.stored, tasks = tasks - 1; END;
`

/** Migration that adds places in the queues (see `QueuePlaces`) and CPU time. */
const PLACES_AND_CPU = `
  ALTER TABLE tasks ADD COLUMN place INTEGER;
  CREATE INDEX tasks_by_place ON tasks (place) WHERE place IS NOT NULL AND ended = 0;
  ALTER TABLE usage ADD COLUMN cpu_ms INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE usage ADD COLUMN cpu_estimated_ms INTEGER NOT NULL DEFAULT 0;
`

/** Migration that adds the measured CPU time by format and effort, for `/v1/formats`. */
const MEASURED_COSTS = `
  CREATE TABLE costs (
    format TEXT NOT NULL, effort TEXT NOT NULL, tasks INTEGER NOT NULL, original INTEGER NOT NULL, cpu_ms INTEGER NOT NULL,
    PRIMARY KEY (format, effort)) WITHOUT ROWID;
`

/** Usage of one format on one day. */
export interface UsageRow {
  readonly [column: string]: SqlStorageValue
  /** Day of the usage, such as "2026-11-20" (UTC). */
  readonly day: string
  readonly format: string
  readonly completed: number
  readonly failed: number
  /** Bytes of completed files before compression. The field `compressed` has their bytes after compression. */
  readonly original: number
  readonly compressed: number
  /** CPU time of all jobs in milliseconds, and the part of it that is estimated. */
  readonly cpu_ms: number
  readonly cpu_estimated_ms: number
}

interface AddedUsage {
  readonly completed?: number
  readonly failed?: number
  readonly original?: number
  readonly compressed?: number
  readonly cpu: CpuTime | undefined
}

/** Tasks of an account, the bytes that they store, and usage by day and format, in the SQLite storage of the Account object. */
export class TaskIndex {
  readonly #storage: DurableObjectStorage
  readonly #sql: SqlStorage

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.#sql = storage.sql
    migrate(storage, 'tasks', [INITIAL_SCHEMA, DROP_EVENTS, COUNT_TASKS, PLACES_AND_CPU, MEASURED_COSTS])
  }

  /** Applies events in one transaction. An event that arrives several times counts once. */
  apply(events: readonly TaskEvent[]): void {
    this.#storage.transactionSync(() => {
      for (const event of events) this.#apply(event)
    })
  }

  #apply(event: TaskEvent) {
    switch (event.kind) {
      case 'created': {
        const { taskId, batchId, position, createdAt, size } = event
        if (this.#wasRemoved(taskId)) return
        const columns = 'task_id, batch_id, position, stored, created_at'
        const values = [taskId, batchId ?? null, position ?? null, size, createdAt]
        this.#sql.exec(`INSERT INTO tasks (${columns}) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`, ...values)
        return
      }
      case 'sized':
        this.#sql.exec('UPDATE tasks SET stored = ? WHERE task_id = ? AND ended = 0', event.size, event.taskId)
        return
      case 'completed': {
        const { taskId, at, format, originalSize, compressedSize, cpu } = event
        if (!this.#markEnded(taskId, compressedSize)) return
        if (cpu && !cpu.estimated) this.#addCost(event, cpu.ms)
        this.#addUsage(dayOf(at), format, { completed: 1, original: originalSize, compressed: compressedSize, cpu })
        return
      }
      case 'failed':
        if (this.#markEnded(event.taskId, 0)) this.#addUsage(dayOf(event.at), event.format, { failed: 1, cpu: event.cpu })
        return
      case 'removed': {
        const { taskId, cpu } = event
        if (this.#remove(taskId) && cpu) this.#addUsage(dayOf(cpu.at), cpu.format, { cpu })
      }
    }
  }

  #addUsage(day: string, format: string, { completed = 0, failed = 0, original = 0, compressed = 0, cpu }: AddedUsage): void {
    const columns = ['completed', 'failed', 'original', 'compressed', 'cpu_ms', 'cpu_estimated_ms']
    const values = [completed, failed, original, compressed, cpu?.ms ?? 0, cpu?.estimated ? cpu.ms : 0]
    this.#sql.exec(
      `INSERT INTO usage (day, format, ${columns.join(', ')}) VALUES (?, ?, ${columns.map(() => '?').join(', ')})
       ON CONFLICT DO UPDATE SET ${columns.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`,
      day,
      format,
      ...values,
    )
  }

  #addCost({ format, effort = 'balanced', originalSize }: Extract<TaskEvent, { kind: 'completed' }>, cpuMs: number): void {
    this.#sql.exec(
      `INSERT INTO costs (format, effort, tasks, original, cpu_ms) VALUES (?, ?, 1, ?, ?)
       ON CONFLICT DO UPDATE SET tasks = tasks + 1, original = original + excluded.original, cpu_ms = cpu_ms + excluded.cpu_ms`,
      format,
      effort,
      originalSize,
      cpuMs,
    )
  }

  /** Measured CPU time of the completed tasks, by format and effort. */
  costs(): MeasuredCost[] {
    type Row = { [Column in keyof MeasuredCost]: MeasuredCost[Column] }
    return [...this.#sql.exec<Row>('SELECT format, effort, tasks, original, cpu_ms FROM costs')]
  }

  /** Marks a task as ended. Returns `false` if the task was ended before or does not exist. */
  #markEnded(taskId: string, storedBytes: number): boolean {
    return this.#sql.exec('UPDATE tasks SET stored = ?, ended = 1 WHERE task_id = ? AND ended = 0', storedBytes, taskId).rowsWritten > 0
  }

  /** Removes a task. Returns `true` if it existed and had not ended. */
  #remove(taskId: string): boolean {
    const now = Date.now()
    const [row] = [...this.#sql.exec<{ ended: number }>('DELETE FROM tasks WHERE task_id = ? RETURNING ended', taskId)]
    const old = 'SELECT task_id FROM removed WHERE at < ? ORDER BY at LIMIT ?'
    this.#sql.exec(`DELETE FROM removed WHERE task_id IN (${old})`, now - REMOVED_LIFETIME_MS, DELETED_PER_REMOVAL)
    this.#sql.exec('INSERT INTO removed (task_id, at) VALUES (?, ?) ON CONFLICT DO NOTHING', taskId, now)
    return row?.ended === 0
  }

  #wasRemoved(taskId: string): boolean {
    return [...this.#sql.exec('SELECT 1 FROM removed WHERE task_id = ?', taskId)].length > 0
  }

  /** Bytes stored by all tasks, and the number of all tasks, whatever their state. */
  totals(): { readonly stored: number; readonly tasks: number } {
    return this.#sql.exec<{ stored: number; tasks: number }>('SELECT stored, tasks FROM totals').one()
  }

  /** Returns the usage rows of a month such as "2026-11". */
  usage(month: string): UsageRow[] {
    return [...this.#sql.exec<UsageRow>('SELECT * FROM usage WHERE day BETWEEN ? AND ?', `${month}-01`, `${month}-31`)]
  }

  /** CPU time of all jobs of a month such as "2026-11", in milliseconds. */
  cpuMs(month: string): number {
    const query = 'SELECT TOTAL(cpu_ms) AS ms FROM usage WHERE day BETWEEN ? AND ?'
    return this.#sql.exec<{ ms: number }>(query, `${month}-01`, `${month}-31`).one().ms
  }

  allUsage(): UsageRow[] {
    return [...this.#sql.exec<UsageRow>('SELECT * FROM usage')]
  }

  /** Imports usage rows of an account export. They replace rows of the same day and format. */
  adoptUsage(rows: readonly ExportedUsage[]): void {
    const columns = 'day, format, completed, failed, original, compressed, cpu_ms, cpu_estimated_ms'
    for (const { day, format, completed, failed, original, compressed, cpu_ms = 0, cpu_estimated_ms = 0 } of rows) {
      const values = [day, format, completed, failed, original, compressed, cpu_ms, cpu_estimated_ms]
      this.#sql.exec(`INSERT OR REPLACE INTO usage (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, ...values)
    }
  }

  /** Returns task ids, newest first. `cursor` is opaque. `undefined`: the cursor is invalid. */
  list(limit: number, cursor?: string): { ids: string[]; nextCursor?: string } | undefined {
    const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : decodeCursor(cursor)
    if (before === undefined) return undefined
    type Row = { seq: number; task_id: string }
    const rows = [...this.#sql.exec<Row>('SELECT seq, task_id FROM tasks WHERE seq < ? ORDER BY seq DESC LIMIT ?', before, limit + 1)]
    const page = rows.slice(0, limit)
    const last = page.at(-1)
    const more = rows.length > limit && last ? { nextCursor: encodeCursor(last.seq) } : {}
    return { ids: page.map((row) => row.task_id), ...more }
  }

  /** Returns the task ids of a batch in upload order. */
  batch(batchId: string): string[] {
    const query = 'SELECT task_id FROM tasks WHERE batch_id = ? ORDER BY position'
    return [...this.#sql.exec<{ task_id: string }>(query, batchId)].map((row) => row.task_id)
  }
}

/** Returns the UTC day of a time in epoch milliseconds, such as "2026-11-20". */
export const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)

const encodeCursor = (seq: number) => btoa(`seq:${seq}`).replaceAll('=', '')
function decodeCursor(cursor: string): number | undefined {
  try {
    const match = /^seq:(\d{1,15})$/.exec(atob(cursor))
    return match ? Number(match[1]) : undefined
  } catch {
    return undefined
  }
}
