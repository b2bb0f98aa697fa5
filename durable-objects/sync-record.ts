import { DurableObject } from 'cloudflare:workers'
import type { Env } from '../src/service/env.ts'
import { withRegionBindings } from '../src/service/store/region-bindings.ts'
import { isEnded, type SyncOrder, type SyncRecordApi, syncVersion } from '../src/service/store/syncs.ts'
import { openSyncBuckets } from '../src/service/tasks/sync/buckets.ts'
import { syncMarker } from '../src/service/tasks/sync/markers.ts'
import { SyncLedger } from './sync/ledger.ts'
import { SyncEngine } from './sync/sync-engine.ts'

/** Pause in milliseconds before a run that broke off is repeated. */
const RETRY_PAUSE_MS = 5000

/**
 * Durable Object of the syncs between one source and one destination of an account: its state, and what was written for each object. The
 * alarm drives the sync that runs. A restart of the service goes on with the next alarm.
 */
export class SyncRecord extends DurableObject<Env> implements SyncRecordApi {
  readonly #ledger: SyncLedger
  readonly #engine: SyncEngine

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, withRegionBindings(env))
    this.#ledger = new SyncLedger(ctx.storage)
    this.#engine = new SyncEngine({ env: this.env, ledger: this.#ledger, open: (order) => openSyncBuckets(this.env, order) })
  }

  async start(order: SyncOrder) {
    const last = this.#ledger.runs.last()
    if (last?.state.order.syncId === order.syncId) return undefined
    if (last && !isEnded(last.state)) return { running: last.state.order.syncId }
    this.#ledger.runs.begin(order)
    await this.ctx.storage.setAlarm(Date.now())
    await this.#mark(order)
    return undefined
  }

  async read(syncId: string) {
    return this.#ledger.runs.report(syncId)
  }

  async watch(syncId: string, version: string, ms: number) {
    const { runs } = this.#ledger
    const until = Date.now() + ms
    for (let leftMs = ms; leftMs > 0; leftMs = until - Date.now()) {
      const state = runs.last()?.state
      if (state?.order.syncId !== syncId || isEnded(state) || syncVersion(state) !== version) break
      await runs.changes.wait(leftMs)
    }
    return runs.report(syncId)
  }

  async cancel(syncId: string) {
    const last = this.#ledger.runs.last()
    if (last?.state.order.syncId === syncId && this.#ledger.cancel()) {
      this.#engine.stop()
      await this.ctx.storage.setAlarm(Date.now())
    }
    return this.#ledger.runs.report(syncId)
  }

  async resume(syncId: string) {
    const last = this.#ledger.runs.last()
    if (last?.state.order.syncId !== syncId || !this.#ledger.resume()) return this.#ledger.runs.report(syncId) && (false as const)
    await this.ctx.storage.setAlarm(Date.now())
    await this.#mark(last.state.order)
    return this.#ledger.runs.report(syncId)
  }

  async ringSoon() {
    const last = this.#ledger.runs.last()
    if (!last || isEnded(last.state)) return false
    await this.ctx.storage.setAlarm(Date.now() + RETRY_PAUSE_MS)
    return true
  }

  override async alarm(): Promise<void> {
    let nextAt: number | undefined = Date.now() + RETRY_PAUSE_MS
    try {
      nextAt = await this.#engine.run()
      if (nextAt === undefined) await this.#unmark()
    } catch (error) {
      console.error(JSON.stringify({ level: 'error', event: 'sync_run_failed', error: String(error) }))
      nextAt = Date.now() + RETRY_PAUSE_MS
    }
    // A sync that was started or resumed meanwhile has set the alarm itself.
    if (nextAt !== undefined) await this.ctx.storage.setAlarm(nextAt)
  }

  /** Notes in the bucket that a sync runs here, for `recoverSyncs`. */
  async #mark({ name }: SyncOrder): Promise<void> {
    await this.env.BLOBS.put(syncMarker(name), '')
  }

  async #unmark(): Promise<void> {
    const last = this.#ledger.runs.last()
    if (last && isEnded(last.state)) await this.env.BLOBS.delete(syncMarker(last.state.order.name))
  }
}
