import type { TaskRecordApi } from '../src/service/store/tasks.ts'
import type { WaitingPlace } from '../src/service/store/waiting.ts'

/** Time in milliseconds after which a place no longer counts, so that a lost task cannot keep it for ever. */
const PLACE_LIFETIME_MS = 3_600_000

/** Waiting tasks whose position is told. Further ones would cost a row each. */
const MAX_POSITION = 1000

/** Value of the column `place` of a task that waits for a place. Otherwise it is the time at which the task got its place. */
const WAITING = 0

/**
 * Places of an account's tasks in the queues. A queue has no order by account, so an account with many tasks would keep all others
 * waiting. The account gives a limited number of places; further tasks wait in the table `tasks`.
 *
 * Nothing is lost if a call fails: a waiting task asks again by its own alarm, and a task that has a place gets the same answer again.
 */
export class QueuePlaces {
  readonly #sql: SqlStorage

  /** `sql`: the storage of `TaskIndex`, which creates the table. */
  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** Requests a place for a task. Returns `true` if it has one now, or if the account does not know the task. */
  request(taskId: string, most: number, now: number): boolean {
    const [row] = [...this.#sql.exec<{ place: number | null }>('SELECT place FROM tasks WHERE task_id = ? AND ended = 0', taskId)]
    if (!row || (row.place ?? WAITING) > WAITING) return true
    const place = this.#taken(now) < most ? now : WAITING
    if (place !== row.place) this.#put(taskId, place)
    return place !== WAITING
  }

  /** Gives the free places to the tasks that wait longest, and returns their ids. */
  grant(most: number, now: number): string[] {
    const free = most - this.#taken(now)
    if (free <= 0) return []
    const query = 'SELECT task_id FROM tasks WHERE place = ? AND ended = 0 ORDER BY seq LIMIT ?'
    const ids = [...this.#sql.exec<{ task_id: string }>(query, WAITING, free)].map((row) => row.task_id)
    for (const id of ids) this.#put(id, now)
    return ids
  }

  /** Places of those of `taskIds` that wait, in the order in which they will get a place. When they start is unknown. */
  waiting(taskIds: readonly string[]): Record<string, WaitingPlace> {
    const query = 'SELECT task_id FROM tasks WHERE place = ? AND ended = 0 ORDER BY seq LIMIT ?'
    const order = [...this.#sql.exec<{ task_id: string }>(query, WAITING, MAX_POSITION)].map((row) => row.task_id)
    const positions = new Map(order.map((id, position) => [id, position]))
    return Object.fromEntries(taskIds.flatMap((id) => (positions.has(id) ? [[id, { position: positions.get(id)!, seconds: null }]] : [])))
  }

  #taken(now: number): number {
    const query = 'SELECT COUNT(*) AS n FROM tasks WHERE place > ? AND ended = 0'
    return this.#sql.exec<{ n: number }>(query, Math.max(WAITING, now - PLACE_LIFETIME_MS)).one().n
  }

  #put(taskId: string, place: number): void {
    this.#sql.exec('UPDATE tasks SET place = ? WHERE task_id = ?', place, taskId)
  }
}

/** Tells a task that it has a place. If the call fails, the task asks again by its own alarm. */
export async function callQueued(record: Pick<TaskRecordApi, 'toQueue'>, taskId: string): Promise<void> {
  await record.toQueue().catch((error: unknown) => {
    console.error(JSON.stringify({ level: 'error', event: 'task_unreachable', task_id: taskId, error: String(error) }))
  })
}
