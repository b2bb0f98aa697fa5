import type { AccountRecord } from '../src/service/store/accounts.ts'
import { PLANS } from '../src/service/store/plans.ts'
import { IN_FLIGHT_MS } from './idempotency-table.ts'
import { ReservationTable } from './reservation-table.ts'
import type { StorageUsage } from './storage-alerts.ts'
import type { TaskIndex } from './task-index.ts'

/** Storage quota of an account and what counts towards it: tasks, unfinished resumable uploads, and admitted uploads. */
export class StorageQuota {
  readonly #tasks: TaskIndex
  readonly #reservations: ReservationTable
  readonly #account: () => AccountRecord | undefined
  /** Bytes of uploads in progress, by task id. In memory only: after a restart of the object, the quota ignores these uploads. */
  readonly #admitted = new Map<string, { bytes: number; until: number }>()

  constructor(storage: DurableObjectStorage, tasks: TaskIndex, account: () => AccountRecord | undefined) {
    this.#tasks = tasks
    this.#reservations = new ReservationTable(storage)
    this.#account = account
  }

  /** Checks the quota for `bytes` more and returns the refusal. `undefined`: the bytes fit. */
  check(bytes: number): { readonly ok: false; readonly used: number; readonly quota: number } | undefined {
    const now = Date.now()
    let used = this.usedBytes()
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

  releaseAdmissions(taskIds: readonly string[]): void {
    for (const taskId of taskIds) this.#admitted.delete(taskId)
  }

  isReserved(taskId: string): boolean {
    return this.#reservations.has(taskId)
  }

  /** Reserves `bytes` of storage for a task until `until` (epoch milliseconds). */
  reserve(taskId: string, bytes: number, until: number): void {
    this.#reservations.add(taskId, bytes, until)
  }

  release(taskId: string): void {
    this.#reservations.remove(taskId)
  }

  /** Releases the reserved storage of an upload, because its new task counts towards the quota instead. */
  handOver(taskId: string): void {
    this.releaseAdmissions([taskId])
    this.release(taskId)
  }

  /** Bytes of all tasks and of all unfinished resumable uploads. */
  usedBytes(): number {
    return this.#tasks.stored() + this.#reservations.sum()
  }

  usage(): StorageUsage {
    return { plan: this.#account()?.plan ?? 'free', used: this.usedBytes(), quota: this.quota() }
  }

  quota(): number {
    const account = this.#account()
    return account?.storageBytes ?? PLANS[account?.plan ?? 'free'].storageBytes
  }
}
