/** Event streams of an account: each key may have a limited number open. */
import { apiMessage } from '../i18n/message.ts'
import { randomBase62 } from '../store/key-format.ts'
import { MAX_STREAMS_PER_KEY } from '../store/waiting.ts'
import { ApiError } from '../tasks/api-error.ts'
import type { AppContext } from './context.ts'
import { type EventWriter, eventStream, eventStreamHead } from './event-stream.ts'

/** Shortest time in milliseconds between two progress events. */
export const MIN_PAUSE_MS = 500

export interface LimitedStream {
  readonly events: EventWriter
  /** Aborts when the time of the stream is over. */
  readonly signal: AbortSignal
  /** Renews the place of this stream among those of its key. */
  hold(): Promise<unknown>
}

/**
 * Answers with an event stream, or with its headers for HEAD.
 * @param run sends the events
 * @throws ApiError `too_many_streams` if the key has its maximum of streams open
 */
export async function limitedEventStream(c: AppContext, run: (stream: LimitedStream) => Promise<void>): Promise<Response> {
  if (c.req.raw.method === 'HEAD') return eventStreamHead()
  const { accountId, keyId } = c.get('key')
  const account = c.env.ACCOUNTS.getByName(accountId)
  const streamId = randomBase62(16)
  const hold = () => account.streams.hold(keyId, streamId)
  if (!(await hold()))
    throw new ApiError(
      'too_many_streams',
      apiMessage('too_many_event_streams', { limit: MAX_STREAMS_PER_KEY }),
      { limit: MAX_STREAMS_PER_KEY },
      { 'Retry-After': '5' },
    )
  const work = {
    run: (events: EventWriter, signal: AbortSignal) => run({ events, signal, hold }),
    ended: () => account.streams.leave(keyId, streamId),
  }
  return eventStream(work, (pending) => c.executionCtx.waitUntil(pending))
}
