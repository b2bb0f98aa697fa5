import type { AccountRecord, StorageRefusal } from '../src/service/store/accounts.ts'
import { PLANS } from '../src/service/store/plans.ts'
import { IN_FLIGHT_MS } from './idempotency-table.ts'
import { ReservationTable } from './reservation-table.ts'
import type { StorageUsage } from './storage-alerts.ts'
import type { TaskIndex } from './task-index.ts'

/**
 * Storage that a task or an upload takes besides its bytes: its record, its row in the index, and its results' entries. An account may
 * have as many of them as fit its quota at this size, so that tasks without bytes do not fill the disk.
 */
const OBJECT_BYTES = 16 * 1024
/** Number of tasks and uploads that every account may have, however small its quota. */
const MIN_OBJECTS = 1000

interface Admission {
  readonly bytes: number
  readonly objects: number
  readonly until: number
}

/** Storage quota of an account and what counts towards it: tasks, unfinished resumable uploads, and admitted uploads. */
export class StorageQuota {
  readonly #tasks: TaskIndex
  readonly #reservations: ReservationTable
  readonly #account: () => AccountRecord | undefined
  /** Uploads in progress, by task id. In memory only: after a restart of the object, the quota ignores these uploads. */
  readonly #admitted = new Map<string, Admission>()

  constructor(storage: DurableObjectStorage, tasks: TaskIndex, account: () => AccountRecord | undefined) {
    this.#tasks = tasks
    this.#reservations = new ReservationTable(storage)
    this.#account = account
  }

  /** Checks the quota for `bytes` in `objects` more tasks or uploads, and returns the refusal. `undefined`: they fit. */
  check(bytes: number, objects: number): StorageRefusal | undefined {
    const now = Date.now()
    let { bytes: used, objects: count } = this.#used()
    for (const [id, admission] of this.#admitted) {
      if (admission.until <= now) this.#admitted.delete(id)
      else {
        used += admission.bytes
        count += admission.objects
      }
    }
    const quota = this.quota()
    const maxObjects = Math.max(MIN_OBJECTS, Math.floor(quota / OBJECT_BYTES))
    if (count + objects > maxObjects) return { ok: false, used, quota, objects: count, maxObjects }
    return used + bytes <= quota ? undefined : { ok: false, used, quota }
  }

  admit(taskId: string, bytes: number, objects: number): void {
    this.#admitted.set(taskId, { bytes, objects, until: Date.now() + IN_FLIGHT_MS })
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
    return this.#used().bytes
  }

  #used(): { readonly bytes: number; readonly objects: number } {
    const [{ stored, tasks }, { bytes, uploads }] = [this.#tasks.totals(), this.#reservations.totals()]
    return { bytes: stored + bytes, objects: tasks + uploads }
  }

  usage(): StorageUsage {
    return { plan: this.#account()?.plan ?? 'free', used: this.usedBytes(), quota: this.quota() }
  }

  quota(): number {
    const account = this.#account()
    return account?.storageBytes ?? PLANS[account?.plan ?? 'free'].storageBytes
  }
}
