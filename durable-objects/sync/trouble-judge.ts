import { apiMessage } from '../../src/service/i18n/message.ts'
import type { SyncOrder, SyncTrouble } from '../../src/service/store/syncs.ts'
import { ApiError } from '../../src/service/tasks/api-error.ts'
import { bucketTrouble, SideError, type SyncBuckets } from '../../src/service/tasks/sync/buckets.ts'
import { endedObjects, type SyncLedger } from './ledger.ts'
import type { SyncObject } from './object-table.ts'

/** Retries of one object, between which others ended, after which it counts as failed. */
const MAX_TRIES = 5
/** Pause in milliseconds before the first retry of an object. Each later one is longer by as much. */
export const OBJECT_RETRY = { pauseMs: 5000 }
/** Troubles of a bucket that concern all its objects. */
const OF_BUCKET: readonly string[] = ['missing_bucket', 'unsafe_address', 'missing_connection', 'unreadable_credentials']

interface Dependencies {
  readonly ledger: SyncLedger
}

/** Decides what an error means: the object fails, is tried again, or the whole sync waits or stops. */
export class TroubleJudge {
  readonly #ledger: SyncLedger
  readonly #order: SyncOrder
  readonly #signal: AbortSignal
  buckets: SyncBuckets | undefined

  constructor({ ledger }: Dependencies, order: SyncOrder, signal: AbortSignal) {
    this.#ledger = ledger
    this.#order = order
    this.#signal = signal
  }

  /** Judges an error of a list, or of the sync as a whole. */
  onSync(error: unknown): void {
    if (this.#signal.aborted) return
    this.#log(error)
    const trouble = this.#troubleOf(error)
    if (error instanceof SideError && !error.bucket.isPassing) this.#ledger.stop(trouble)
    else this.#ledger.pause(trouble)
  }

  /** Judges an error of the work on one object. Never rejects. */
  async onObject(key: string, error: unknown): Promise<void> {
    const object = this.#ledger.objects.find(key)
    if (this.#signal.aborted || !object) return
    const trouble = this.#troubleOf(error)
    if (error instanceof ApiError && error.type === 'overloaded') return this.#later(object)
    if (error instanceof ApiError && error.type !== 'storage_quota_exceeded') return this.#ledger.fail(object, trouble)
    this.#log(error)
    if (error instanceof SideError && !error.bucket.isPassing) return this.#onRefusal(object, error, trouble)
    this.#again(object, trouble)
  }

  /** A bucket has refused something. If it refuses everything, the sync stops. */
  async #onRefusal(object: SyncObject, { side, bucket }: SideError, trouble: SyncTrouble): Promise<void> {
    if (OF_BUCKET.includes(bucket.trouble)) return this.#ledger.stop(trouble)
    if (bucket.trouble !== 'unauthorised') return this.#ledger.fail(object, trouble)
    if (side === 'destination' || !(await this.#canList())) return this.#ledger.stop(trouble)
    this.#ledger.fail(object, trouble)
  }

  /** True if the source still accepts the credentials. Single objects may be archived, or closed to them. */
  async #canList(): Promise<boolean> {
    try {
      await this.buckets?.source(this.#signal).list(this.#order.source.prefix, { limit: 1 })
      return true
    } catch (error) {
      return error instanceof SideError && error.bucket.isPassing
    }
  }

  /** Tries the object again after a pause of the whole sync. It fails if others have ended between each of its tries. */
  #again(object: SyncObject, trouble: SyncTrouble): void {
    const ended = endedObjects(this.#ledger.runs.last()!.state.figures)
    const tries = object.tries + (object.tries === 0 || ended > object.tried_at ? 1 : 0)
    if (tries > MAX_TRIES) this.#ledger.fail(object, trouble)
    else {
      this.#ledger.objects.change(object.key, { tries, tried_at: ended, not_before: Date.now() + OBJECT_RETRY.pauseMs * tries })
      this.#ledger.pause(trouble)
    }
  }

  /** Tries the object again, because this isolate had no memory for it. */
  #later({ key }: SyncObject): void {
    this.#ledger.objects.change(key, { not_before: Date.now() + OBJECT_RETRY.pauseMs })
  }

  #troubleOf(error: unknown): SyncTrouble {
    if (error instanceof SideError) return bucketTrouble(error, this.#order)
    if (error instanceof ApiError) return { type: error.type, message: error.apiMessage }
    return { type: 'internal', message: apiMessage('something_went_wrong') }
  }

  #log(error: unknown): void {
    console.warn(JSON.stringify({ level: 'warn', event: 'sync_trouble', sync_id: this.#order.syncId, error: String(error) }))
  }
}
