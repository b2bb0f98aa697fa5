import type { Flight, PendingVariant } from '../src/service/store/pictures.ts'
import { FAILURE_MS, FLIGHT_MS } from '../src/service/store/pictures.ts'
import type { TaskError } from '../src/service/store/task.ts'
import { WaitList } from './task/waiting.ts'

/** Most flights and failures that are remembered. */
const MAX_REMEMBERED = 10_000
const PENDING = 'picture-task/'

interface Running {
  readonly id: string
  /** Time in epoch milliseconds from which the leader counts as lost. */
  readonly until: number
  readonly waiters: WaitList
}

/**
 * Work on pictures that is going on now: the first request for a picture leads, all others follow. In memory only, because a restart of the
 * object costs at most a second leader; the task of a lost leader is stored, so that the next one finishes it.
 */
export class PictureFlights {
  readonly #kv: SyncKvStorage
  readonly #running = new Map<string, Running>()
  readonly #failed = new Map<string, { readonly error: TaskError; readonly until: number }>()

  constructor(kv: SyncKvStorage) {
    this.#kv = kv
  }

  join(flight: string): Flight {
    const now = Date.now()
    const failed = this.#failed.get(flight)
    if (failed && failed.until > now) return { kind: 'failed', error: failed.error }
    this.#failed.delete(flight)
    const running = this.#running.get(flight)
    if (running && running.until > now) return { kind: 'follow' }
    this.#forgetLost(now)
    const id = crypto.randomUUID()
    this.#running.set(flight, { id, until: now + FLIGHT_MS, waiters: running?.waiters ?? new WaitList() })
    const pending = this.#kv.get<PendingVariant>(PENDING + flight)
    return { kind: 'lead', id, ...(pending ? { pending } : {}) }
  }

  notePending(flight: string, pending: PendingVariant): void {
    this.#kv.put(PENDING + flight, pending)
  }

  end(flight: string, id: string, error?: TaskError): void {
    const running = this.#running.get(flight)
    if (running?.id !== id) return
    this.#running.delete(flight)
    this.#kv.delete(PENDING + flight)
    if (error) {
      if (this.#failed.size >= MAX_REMEMBERED) this.#failed.clear()
      this.#failed.set(flight, { error, until: Date.now() + FAILURE_MS })
    }
    running.waiters.wakeAll()
  }

  /** Leaders that were lost leave their flight behind. */
  #forgetLost(now: number): void {
    if (this.#running.size < MAX_REMEMBERED) return
    for (const [flight, { until }] of this.#running) if (until <= now) this.#running.delete(flight)
  }

  async wait(flight: string, ms: number): Promise<'ended' | 'running'> {
    const running = this.#running.get(flight)
    if (!running) return 'ended'
    await running.waiters.wait(ms)
    return this.#running.get(flight)?.id === running.id ? 'running' : 'ended'
  }
}
