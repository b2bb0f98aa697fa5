import type { AccountRecord } from '../src/service/store/accounts.ts'
import { PLANS } from '../src/service/store/plans.ts'
import { IN_FLIGHT_MS } from './idempotency-table.ts'
import { ReservationTable } from './reservation-table.ts'
import type { Filling } from './storage-alerts.ts'
import type { TaskIndex } from './task-index.ts'

/** What an account may store, and what takes of it: tasks, uploads that are not finished, and those that were just let in. */
export class StorageRoom {
  readonly #tasks: TaskIndex
  readonly #reservations: ReservationTable
  readonly #account: () => AccountRecord | undefined
  /** Room of uploads under way, by task. Only in memory: what an eviction forgets harms nobody. */
  readonly #admitted = new Map<string, { bytes: number; until: number }>()

  constructor(storage: DurableObjectStorage, tasks: TaskIndex, account: () => AccountRecord | undefined) {
    this.#tasks = tasks
    this.#reservations = new ReservationTable(storage)
    this.#account = account
  }

  /** undefined: there is room for `bytes` more. */
  refusal(bytes: number): { readonly ok: false; readonly used: number; readonly quota: number } | undefined {
    const now = Date.now()
    let used = this.stored()
    for (const [id, admission] of this.#admitted) {
      if (admission.until <= now) this.#admitted.delete(id)
      else used += admission.bytes
    }
    const quota = this.quota()
    return used + bytes <= quota ? undefined : { ok: false, used, quota }
  }

  admit(taskId: string, bytes: number): void {
    this.#admitted.set(taskId, { bytes, until: Date.now() + IN_FLIGHT_MS })
  }

  giveBack(taskIds: readonly string[]): void {
    for (const taskId of taskIds) this.#admitted.delete(taskId)
  }

  isReserved(taskId: string): boolean {
    return this.#reservations.has(taskId)
  }

  /** `until` in epoch milliseconds. */
  reserve(taskId: string, bytes: number, until: number): void {
    this.#reservations.add(taskId, bytes, until)
  }

  release(taskId: string): void {
    this.#reservations.remove(taskId)
  }

  /** The task has the room now. */
  handOver(taskId: string): void {
    this.giveBack([taskId])
    this.release(taskId)
  }

  /** Of tasks, and of uploads that are not finished. */
  stored(): number {
    return this.#tasks.stored() + this.#reservations.sum()
  }

  filling(): Filling {
    return { plan: this.#account()?.plan ?? 'free', used: this.stored(), quota: this.quota() }
  }

  quota(): number {
    const account = this.#account()
    return account?.storageBytes ?? PLANS[account?.plan ?? 'free'].storageBytes
  }
}
