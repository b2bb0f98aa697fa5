import { apiMessage } from '../../src/service/i18n/message.ts'
import {
  isEnded,
  type SyncEstimate,
  type SyncFigures,
  type SyncOrder,
  type SyncState,
  type SyncTrouble,
} from '../../src/service/store/syncs.ts'
import { ObjectTable, type SyncObject, WORK } from './object-table.ts'
import { RunTable } from './run-table.ts'

/** First pause in milliseconds, and the longest. Each is twice as long as the one before, until an object ends. */
const FIRST_PAUSE_MS = 5000
const MAX_PAUSE_MS = 300_000
/** Time in milliseconds without any progress after which a sync stops trying. */
const MAX_STANDSTILL_MS = 24 * 3_600_000

type Ended = { readonly kind: 'skipped' } | { readonly kind: 'compressed' | 'unchanged'; readonly etag: string }

/** Objects and figures of syncs. They change together, so that the figures add up after any restart. */
export class SyncLedger {
  readonly objects: ObjectTable
  readonly runs: RunTable
  readonly #storage: DurableObjectStorage

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage
    this.objects = new ObjectTable(storage)
    this.runs = new RunTable(storage)
  }

  /** Text that is equal for equal options. A result of other options does not cover an object. */
  optionsOf({ options }: Pick<SyncOrder, 'options'>): string {
    return JSON.stringify(Object.entries(options).sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** Ends an object. What was written for it becomes its receipt. */
  end(object: SyncObject, ended: Ended): void {
    this.#storage.transactionSync(() => {
      const run = this.#openRun(object)
      if (!run) return
      const work = object.task_id === null ? WORK.none : WORK.removeTask
      if (ended.kind === 'skipped') {
        this.objects.change(object.key, { work })
        return this.#count({ skipped: 1 })
      }
      const size = object.target_size ?? 0
      this.objects.change(object.key, {
        work,
        done_etag: object.etag,
        done_options: this.optionsOf(run.state.order),
        done_target_etag: ended.etag,
        done_target_size: size,
      })
      this.#count({ [ended.kind]: 1, originalSize: object.size, compressedSize: size })
    })
  }

  /** Ends an object without a result. */
  fail(object: SyncObject, trouble: SyncTrouble): void {
    this.#storage.transactionSync(() => {
      const run = this.#openRun(object)
      if (!run) return
      this.objects.change(object.key, { work: object.task_id === null ? WORK.none : WORK.removeTask })
      this.runs.noteError(run.number, object.key, trouble)
      this.#count({ failed: 1 })
    })
  }

  taken = (target: string): SyncTrouble => ({ type: 'target_taken', message: apiMessage('object_target_taken', { target }) })

  /** Adds a page of the source, and remembers where the next one begins. */
  addPage(objects: Parameters<ObjectTable['add']>[0], next: string | undefined, run: number): void {
    this.#storage.transactionSync(() => {
      const found = this.objects.add(objects, run)
      this.runs.change((state) => ({ ...listedTo(worked(state), next), figures: plus(state.figures, { found }) }))
    })
  }

  /**
   * Adds a page to the estimate, and remembers where the next one begins.
   * @param objects number of objects of the page, and of those that an earlier result covers
   * @param estimates estimates with this page
   */
  addEstimated(
    objects: { readonly all: number; readonly covered: number },
    next: string | undefined,
    estimates: readonly SyncEstimate[],
  ): void {
    this.#storage.transactionSync(() => {
      this.runs.putEstimates(estimates)
      this.runs.change((state) => {
        const listed = { ...listedTo(worked(state), next), estimated: state.estimated + objects.all }
        const { dryRun } = state.order
        const after = dryRun ? { ...listed, figures: plus(state.figures, { found: objects.all, skipped: objects.covered }) } : listed
        if (next !== undefined) return after
        if (dryRun) return { ...after, status: 'completed', endedAt: Date.now() }
        const { cursor: _, ...begun } = after
        return { ...begun, phase: 'transfer', status: 'running', isListed: false }
      })
    })
  }

  /** Pauses the sync, each time longer. A sync that has stood still for a day stops. */
  pause(trouble: SyncTrouble): void {
    const now = Date.now()
    this.runs.change((state) => {
      if (isEnded(state) || (state.nextAt ?? 0) > now) return state
      if (now - state.workedAt > MAX_STANDSTILL_MS) return stopped(state, trouble)
      const nextAt = now + Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(state.pauses, 10))
      return { ...state, status: 'paused', trouble, pauses: state.pauses + 1, nextAt }
    })
  }

  stop(trouble: SyncTrouble): void {
    this.runs.change((state) => (isEnded(state) ? state : stopped(state, trouble)))
  }

  /** Returns `false` if the sync has ended. */
  cancel(): boolean {
    const run = this.runs.last()
    if (!run || isEnded(run.state)) return false
    this.runs.change(({ nextAt: _, trouble: __, ...state }) => ({ ...state, status: 'cancelled', endedAt: Date.now() }))
    return true
  }

  /** Goes on at once with a sync that has failed or waits. Returns `false` if it has not. */
  resume(): boolean {
    const run = this.runs.last()
    if (run?.state.status !== 'failed' && run?.state.status !== 'paused') return false
    this.runs.change(({ endedAt: _, ...state }) => worked(state))
    this.objects.dueNow()
    return true
  }

  complete(): void {
    this.runs.change((state) => (isEnded(state) ? state : { ...worked(state), status: 'completed', endedAt: Date.now() }))
  }

  /** The run of an object, unless it has ended meanwhile. */
  #openRun({ run: number }: SyncObject) {
    const run = this.runs.last()
    return run?.number === number && !isEnded(run.state) ? run : undefined
  }

  #count(more: Partial<SyncFigures>): void {
    this.runs.change((state) => ({ ...worked(state), figures: plus(state.figures, more) }))
  }
}

const plus = (figures: SyncFigures, more: Partial<SyncFigures>): SyncFigures => ({
  found: figures.found + (more.found ?? 0),
  skipped: figures.skipped + (more.skipped ?? 0),
  compressed: figures.compressed + (more.compressed ?? 0),
  unchanged: figures.unchanged + (more.unchanged ?? 0),
  failed: figures.failed + (more.failed ?? 0),
  originalSize: figures.originalSize + (more.originalSize ?? 0),
  compressedSize: figures.compressedSize + (more.compressedSize ?? 0),
})

/** Objects of the run that have ended. */
export const endedObjects = ({ skipped, compressed, unchanged, failed }: SyncFigures): number => skipped + compressed + unchanged + failed

const listedTo = ({ cursor: _, ...state }: SyncState, next: string | undefined): SyncState =>
  next === undefined ? { ...state, isListed: true } : { ...state, cursor: next }

/** Returns the state after something worked: pauses begin with the shortest again. */
function worked({ trouble: _, nextAt: __, ...state }: SyncState): SyncState {
  return { ...state, status: openStatus(state), pauses: 0, workedAt: Date.now() }
}

export const openStatus = ({ phase }: Pick<SyncState, 'phase'>) => (phase === 'estimate' ? 'estimating' : 'running')

const stopped = ({ nextAt: _, ...state }: SyncState, trouble: SyncTrouble): SyncState => ({
  ...state,
  ...{ status: 'failed', trouble, endedAt: Date.now() },
})
