/** Follows a sync by the events of the service. */
import { eventsOf, type ServerEvent } from './event-stream.ts'
import { RetryState, type Transport } from './transport.ts'
import type { Sync } from './types.ts'

/** Options of `waitForSync`. */
export interface SyncWaitOptions {
  readonly signal?: AbortSignal | undefined
  /** Called with the sync whenever its figures have changed, at most twice a second. */
  readonly onProgress?: ((sync: Sync) => void) | undefined
}

/**
 * Waits until a sync ends. The service ends a stream after some minutes; then the client opens another.
 * @throws UnreachableError if the service sends no event for longer than the retry timeout
 */
export async function syncEnd(transport: Transport, path: string, { signal, onProgress }: SyncWaitOptions): Promise<Sync> {
  const retries = new RetryState()
  for (;;) {
    const { body } = await transport.send(path, () => ({ headers: { accept: 'text/event-stream' }, signal: signal ?? null }))
    for await (const { name, data } of body ? eventsUntilBreak(body) : []) {
      retries.reset()
      const sync = JSON.parse(data) as Sync
      if (name !== 'progress') return sync
      onProgress?.(sync)
    }
    signal?.throwIfAborted()
    await transport.pauseOrThrow(new Error('the event stream has ended'), retries, signal)
  }
}

/** Yields the events of a stream until it ends or breaks off. */
async function* eventsUntilBreak(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  try {
    yield* eventsOf(body)
  } catch {
    // The caller opens another stream.
  }
}
