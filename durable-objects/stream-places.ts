import { RpcTarget } from 'cloudflare:workers'
import { MAX_STREAMS_PER_KEY, type StreamsApi } from '../src/service/store/waiting.ts'

/** Milliseconds after which a stream that does not renew its place no longer counts. More than two heartbeats. */
const LEASE_MS = 40_000

/**
 * Event streams that the keys of an account have open now. They are kept in memory only: each stream renews its place, so a restart of
 * the object or a lost `leave` does no harm.
 */
export class StreamPlaces extends RpcTarget implements StreamsApi {
  /** End of each place in epoch milliseconds, by stream, by key. */
  readonly #byKey = new Map<string, Map<string, number>>()

  async hold(keyId: string, streamId: string): Promise<boolean> {
    const now = Date.now()
    const streams = this.#byKey.get(keyId) ?? new Map<string, number>()
    for (const [id, until] of streams) if (until <= now) streams.delete(id)
    if (!streams.has(streamId) && streams.size >= MAX_STREAMS_PER_KEY) return false
    streams.set(streamId, now + LEASE_MS)
    this.#byKey.set(keyId, streams)
    return true
  }

  async leave(keyId: string, streamId: string): Promise<void> {
    const streams = this.#byKey.get(keyId)
    streams?.delete(streamId)
    if (streams?.size === 0) this.#byKey.delete(keyId)
  }
}
