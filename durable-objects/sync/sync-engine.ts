import type { Env } from '../../src/service/env.ts'
import { apiMessage } from '../../src/service/i18n/message.ts'
import { newUploadKey } from '../../src/service/store/blob-names.ts'
import { abortMultipart } from '../../src/service/store/blobs.ts'
import { PLANS } from '../../src/service/store/plans.ts'
import { isEnded, type SyncOrder, type SyncState } from '../../src/service/store/syncs.ts'
import type { SyncBuckets } from '../../src/service/tasks/sync/buckets.ts'
import { type Experience, withObjects } from '../../src/service/tasks/sync/estimate.ts'
import type { SyncLedger } from './ledger.ts'
import { type SyncObject, WORK } from './object-table.ts'
import { ObjectWork } from './object-work.ts'
import { TroubleJudge } from './trouble-judge.ts'

/** Longest time in milliseconds in which a run begins work. A call of an alarm may take 15 minutes, of which one transfer may take ten. */
const RUN_MS = 60_000
/** Objects that one run begins. Each takes up to ten requests of the 10,000 that a call may make. */
const MAX_OBJECTS_PER_RUN = 500
/** Pages that one run estimates, and rows that one step cleans. */
const MAX_PAGES_PER_RUN = 500
const CLEANED_ROWS = 100
const FORGOTTEN_ROWS = 1000
/** Number of open objects below which the next page is listed. */
const LOW_WATER = 200

interface Dependencies {
  readonly env: Env
  readonly ledger: SyncLedger
  /** Opens the buckets of a sync. */
  readonly open: (order: SyncOrder) => Promise<SyncBuckets>
}

/**
 * Runs the last sync of a SyncRecord, a part at each alarm. All that it must remember is in the ledger: a page of at most 1,000 objects at a
 * time, and one row for each object.
 */
export class SyncEngine {
  readonly #dependencies: Dependencies
  #controller = new AbortController()
  #isFirst = true

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies
  }

  /** Ends running transfers. Their objects stay at their steps. */
  stop(): void {
    this.#controller.abort(new Error('The sync was cancelled.'))
  }

  /** Works for a while. Returns the time in epoch milliseconds of the next run. `undefined`: there is nothing left to do. */
  async run(): Promise<number | undefined> {
    const { ledger } = this.#dependencies
    this.#controller = new AbortController()
    const { signal } = this.#controller
    if (await this.#cleanUp()) return Date.now()
    const run = ledger.runs.last()
    if (!run || isEnded(run.state)) return undefined
    if ((run.state.nextAt ?? 0) > Date.now()) return run.state.nextAt
    const judge = new TroubleJudge(this.#dependencies, run.state.order, signal)
    try {
      const buckets = await this.#dependencies.open(run.state.order)
      judge.buckets = buckets
      const until = Date.now() + RUN_MS
      if (run.state.phase === 'estimate') await this.#estimate(run.state, buckets, until)
      else await this.#transfer(run.state.order, judge, { buckets, until })
    } catch (error) {
      judge.onSync(error)
    }
    return this.#nextRun()
  }

  #nextRun(): number | undefined {
    const { ledger } = this.#dependencies
    const state = ledger.runs.last()?.state
    if (!state) return undefined
    if (isEnded(state)) return state.status === 'failed' ? undefined : Date.now()
    const open = state.phase === 'transfer' && state.isListed ? ledger.objects.open().from : 0
    return Math.max(Date.now(), state.nextAt ?? 0, open)
  }

  /** Lists the source and adds up what its objects will probably take. */
  async #estimate(first: SyncState, buckets: SyncBuckets, until: number): Promise<void> {
    const { ledger } = this.#dependencies
    const { order } = first
    const { signal } = this.#controller
    const experience = await this.#experience(order)
    let { cursor } = first
    for (let pages = 0; pages < MAX_PAGES_PER_RUN && Date.now() < until && !signal.aborted; pages++) {
      const { objects, next } = await buckets.source(signal).list(order.source.prefix, { cursor })
      if (signal.aborted) return
      const open = objects.filter(({ key, etag }) => !this.#isCovered(order, key, etag))
      const estimates = withObjects(ledger.runs.estimates(), open, experience, order.options.effort)
      ledger.addEstimated({ all: objects.length, covered: objects.length - open.length }, next, estimates)
      if (next === undefined) return
      cursor = next
    }
  }

  async #experience({ accountId, planId }: SyncOrder): Promise<Experience> {
    const account = this.#dependencies.env.ACCOUNTS.getByName(accountId)
    const [{ by_format: byFormat }, costs] = await Promise.all([account.usage(planId), account.costs()])
    return { byFormat, costs }
  }

  /** True if an earlier sync has written the result of this content. The destination is not asked. */
  #isCovered(order: SyncOrder, key: string, etag: string): boolean {
    const { ledger } = this.#dependencies
    const known = ledger.objects.find(key)
    return known?.done_etag === etag && known.done_options === ledger.optionsOf(order)
  }

  async #transfer(order: SyncOrder, judge: TroubleJudge, run: { buckets: SyncBuckets; until: number }): Promise<void> {
    const { env, ledger } = this.#dependencies
    const { signal } = this.#controller
    const work = new ObjectWork({ env, order, ledger, signal, isFirst: this.#isFirst, ...run })
    this.#isFirst = false
    const most = await this.#tasksAtOnce(order)
    if (most === 0) return ledger.stop({ type: 'account_disabled', message: apiMessage('account_disabled') })
    const running = new Map<string, Promise<void>>()
    for (let begun = 0; Date.now() < run.until && begun < MAX_OBJECTS_PER_RUN && !signal.aborted; ) {
      const { state, number } = ledger.runs.last()!
      if (isEnded(state) || (state.nextAt ?? 0) > Date.now()) break
      if (!state.isListed && ledger.objects.open().count < LOW_WATER) await this.#addPage(state, run.buckets, number)
      // After a pause, one object shows whether the bucket works again.
      const limit = state.pauses > 0 ? 1 : most
      const due = ledger.objects.due(Date.now(), limit + running.size).filter((key) => !running.has(key))
      for (const key of due.slice(0, Math.max(0, limit - running.size))) {
        begun++
        const ended = work.run(key).catch((error: unknown) => judge.onObject(key, error))
        running.set(
          key,
          ended.finally(() => running.delete(key)),
        )
      }
      if (running.size === 0) break
      await Promise.race(running.values())
    }
    await Promise.all(running.values())
    if (signal.aborted) return
    const { state } = ledger.runs.last()!
    if (state.isListed && ledger.objects.open().count === 0) ledger.complete()
  }

  async #addPage(state: SyncState, buckets: SyncBuckets, number: number): Promise<void> {
    const { signal } = this.#controller
    const { objects, next } = await buckets.source(signal).list(state.order.source.prefix, { cursor: state.cursor })
    if (!signal.aborted) this.#dependencies.ledger.addPage(objects, next, number)
  }

  /** Tasks that this sync may have at a time: its share of those of the account. */
  async #tasksAtOnce({ accountId, name }: SyncOrder): Promise<number> {
    return this.#dependencies.env.ACCOUNTS.getByName(accountId)
      .syncs.tasksAtOnce(name)
      .catch(() => 1)
  }

  /**
   * Removes the tasks of objects that no sync will go on with, and forgets objects that the source no longer has. Returns `true` if there
   * may be more.
   */
  async #cleanUp(): Promise<boolean> {
    const { ledger } = this.#dependencies
    const run = ledger.runs.last()
    if (!run) return false
    const rows = ledger.objects.abandoned(run.state.status === 'cancelled' ? -1 : run.number, CLEANED_ROWS)
    await Promise.all(rows.map((row) => this.#abandon(row, run.state.order)))
    if (rows.length === CLEANED_ROWS) return true
    const isComplete = run.state.status === 'completed' && !run.state.order.dryRun
    return isComplete && ledger.objects.forget(run.number, FORGOTTEN_ROWS) === FORGOTTEN_ROWS
  }

  async #abandon({ key, task_id, multipart_id }: SyncObject, { planId }: SyncOrder): Promise<void> {
    const { env, ledger } = this.#dependencies
    if (task_id !== null) {
      const uploadKey = newUploadKey(task_id, PLANS[planId].retentionMs)
      if (multipart_id !== null) await abortMultipart(env.BLOBS, uploadKey, multipart_id)
      if (!(await env.TASKS.getByName(task_id).remove())) await env.BLOBS.delete(uploadKey)
    }
    ledger.objects.change(key, { work: WORK.none, task_id: null, multipart_id: null })
  }
}
