import type { PartPlan, PartReceipt } from '../../src/core/model/segmented.ts'
import type { PartRecord } from '../../src/service/store/tasks.ts'
import type { Step } from '../../src/service/tasks/job.ts'

type Row = {
  part: number
  plan: string
  step: string
  progress: number
  receipt: string | null
  key: string | null
  size: number | null
}

/**
 * Parts of a split task, in the SQLite storage of its object.
 * Call `fill` first: it creates the table. Most tasks have no parts, so no empty table is created for them.
 */
export class PartTable {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  fill(plans: readonly PartPlan[], step: Step) {
    this.#sql.exec(`CREATE TABLE IF NOT EXISTS parts (
      part INTEGER PRIMARY KEY, plan TEXT NOT NULL, step TEXT NOT NULL, progress REAL NOT NULL DEFAULT 0, receipt TEXT, key TEXT, size INTEGER)`)
    this.#sql.exec('CREATE INDEX IF NOT EXISTS open_parts ON parts (part) WHERE key IS NULL')
    this.#sql.exec('DELETE FROM parts')
    plans.forEach((plan, part) => {
      this.#sql.exec('INSERT INTO parts (part, plan, step) VALUES (?, ?, ?)', part, JSON.stringify(plan), JSON.stringify(step))
    })
  }

  /** Returns the state of a part. `undefined`: the part does not exist or is done. */
  step(part: number): Step | undefined {
    const [row] = [...this.#sql.exec<Row>('SELECT * FROM parts WHERE part = ? AND key IS NULL', part)]
    return row && reviveStep(row.step)
  }

  putStep(part: number, step: Step, progress = 0) {
    this.#sql.exec('UPDATE parts SET step = ?, progress = MAX(progress, ?) WHERE part = ?', JSON.stringify(step), progress, part)
  }

  /** Stores the result of a part. Returns `false` if the part was done already or does not exist. */
  finish(part: number, receipt: PartReceipt, key: string, size: number): boolean {
    const change = 'UPDATE parts SET receipt = ?, key = ?, size = ?, progress = 1 WHERE part = ? AND key IS NULL'
    return this.#sql.exec(change, JSON.stringify(receipt), key, size, part).rowsWritten > 0
  }

  /** Returns the unfinished parts with a number below `end`, each with its state. */
  open(end: number): [number, Step][] {
    const query = 'SELECT part, step FROM parts WHERE key IS NULL AND part < ?'
    return [...this.#sql.exec<Pick<Row, 'part' | 'step'>>(query, end)].map(({ part, step }) => [part, reviveStep(step)])
  }

  records(part?: number): PartRecord[] {
    const rows =
      part === undefined
        ? this.#sql.exec<Row>('SELECT * FROM parts ORDER BY part')
        : this.#sql.exec<Row>('SELECT * FROM parts WHERE part = ?', part)
    return [...rows].map((row) => ({
      index: row.part,
      plan: JSON.parse(row.plan) as PartPlan,
      ...(row.key === null ? {} : { receipt: JSON.parse(row.receipt ?? 'null') as PartReceipt, key: row.key, size: row.size ?? 0 }),
    }))
  }

  keys(): string[] {
    return [...this.#sql.exec<{ key: string }>('SELECT key FROM parts WHERE key IS NOT NULL')].map((row) => row.key)
  }

  done(): number {
    return this.#sql.exec<{ n: number }>('SELECT COUNT(*) AS n FROM parts WHERE key IS NOT NULL').one().n
  }

  /** Returns sums over the finished parts whose receipt has `replaces`: bytes of the parts, and bytes that they replace. */
  replacedSums(): { bytes: number; replaces: number } {
    const sums = `SELECT TOTAL(json_extract(receipt, '$.bytes')) AS bytes, TOTAL(json_extract(receipt, '$.replaces')) AS replaces
      FROM parts WHERE key IS NOT NULL AND json_extract(receipt, '$.replaces') IS NOT NULL`
    return this.#sql.exec<{ bytes: number; replaces: number }>(sums).one()
  }

  /** Mean progress of all parts, 0–1. */
  progress(): number {
    return this.#sql.exec<{ mean: number | null }>('SELECT AVG(progress) AS mean FROM parts').one().mean ?? 0
  }
}

const reviveStep = (text: string) => JSON.parse(text) as Step
