/** Events of a sync: its figures until it has ended. */
import { isEnded, type SyncRecordApi, type SyncReport, syncVersion, toSyncView } from '../store/syncs.ts'
import type { AppContext } from './context.ts'
import { HEARTBEAT_MS } from './event-stream.ts'
import { type LimitedStream, limitedEventStream, MIN_PAUSE_MS } from './limited-event-stream.ts'
import { languageFor } from './task-serialiser.ts'

/** Calls of Durable Objects in one stream. Cloudflare allows 1,000 in a request; the client then comes again. */
const MAX_CALLS = 800
/** A number that grows, and the end of the sync in epoch milliseconds, or 0. A sync that was resumed ends at another time. */
const EVENT_ID = /^\d{1,9}\.(\d{1,15})$/

/**
 * Answers with the events of a sync.
 * @throws ApiError `too_many_streams` if the key has its maximum of streams open
 */
export async function syncEvents(c: AppContext, record: SyncRecordApi, first: SyncReport): Promise<Response> {
  const received = EVENT_ID.exec(c.req.header('Last-Event-ID') ?? '')?.[1]
  // A client that has received this end need not come again (WHATWG HTML, 9.2.3).
  if (isEnded(first.state) && Number(received) === first.state.endedAt) return new Response(null, { status: 204 })
  return limitedEventStream(c, (stream) => new SyncStream(c, record, stream).run(first))
}

class SyncStream {
  readonly #c: AppContext
  readonly #record: SyncRecordApi
  readonly #stream: LimitedStream
  #sent = 0
  #calls = 0
  #nextBeatMs = Date.now() + HEARTBEAT_MS

  constructor(c: AppContext, record: SyncRecordApi, stream: LimitedStream) {
    this.#c = c
    this.#record = record
    this.#stream = stream
  }

  /** Sends each report that differs from the one before, until the sync ends or its account forgets it. */
  async run(first: SyncReport): Promise<void> {
    const { signal } = this.#stream
    let version = ''
    for (let report: SyncReport | undefined = first; report && !signal.aborted && this.#calls < MAX_CALLS; ) {
      const now = syncVersion(report.state)
      if (now !== version) {
        await this.#send(report)
        if (isEnded(report.state)) return
        version = now
        await pause(MIN_PAUSE_MS, signal)
      }
      if (Date.now() >= this.#nextBeatMs) await this.#beat()
      report = await this.#watch(report, version)
    }
  }

  async #send(report: SyncReport): Promise<void> {
    const { status, endedAt = 0 } = report.state
    const name = isEnded(report.state) ? status : 'progress'
    const data = toSyncView(report, languageFor(this.#c))
    await this.#stream.events.send({ name, id: `${++this.#sent}.${endedAt}`, data })
  }

  async #beat(): Promise<void> {
    this.#calls++
    this.#nextBeatMs = Date.now() + HEARTBEAT_MS
    await Promise.all([this.#stream.events.beat(), this.#stream.hold()])
  }

  /** Waits for a change, the next heartbeat, or the end of the stream's time. `undefined`: the sync is forgotten. */
  async #watch(report: SyncReport, version: string): Promise<SyncReport | undefined> {
    this.#calls++
    const { signal } = this.#stream
    const over = new AbortController()
    try {
      const watched = this.#record.watch(report.state.order.syncId, version, Math.max(0, this.#nextBeatMs - Date.now()))
      const late = pause(HEARTBEAT_MS + MIN_PAUSE_MS, AbortSignal.any([signal, over.signal]))
      return await Promise.race([watched, late.then(() => report)])
    } catch {
      // The object was reset. The sync continues, so ask again after a pause.
      await pause(MIN_PAUSE_MS, signal)
      return report
    } finally {
      over.abort()
    }
  }
}

/** Resolves after `ms` milliseconds, or when `signal` aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  if (signal.aborted) resolve()
  const timer = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  return promise.finally(() => clearTimeout(timer))
}
