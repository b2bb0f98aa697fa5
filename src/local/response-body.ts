/**
 * Response bodies in the local reverse proxy: a client that hardly reads loses its connection. Otherwise clients that read nothing would
 * fill the memory with results.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Minimum bytes per `READ_WINDOW_MS` while a response waits for its client: about 1.4 KB/s. */
const MIN_BYTES_PER_WINDOW = 64 * 1024
export const READ_WINDOW_MS = 45_000

/**
 * Closes the connection when the client reads a response at less than the minimum rate. Time in which the service itself has nothing to
 * send does not count against the client.
 */
export function enforceReadingRate(outgoing: ServerResponse, windowMs: number): void {
  let lastBytesWritten: number | undefined
  let lastWaited = false
  const timer = setInterval(() => {
    const { socket } = outgoing
    // A pipelined response has no socket before its turn.
    if (!socket) return
    const waits = outgoing.writableLength > 0 || socket.writableLength > 0
    const written = socket.bytesWritten - (lastBytesWritten ?? Number.NEGATIVE_INFINITY)
    if (waits && lastWaited && written < MIN_BYTES_PER_WINDOW) outgoing.destroy()
    lastBytesWritten = socket.bytesWritten
    lastWaited = waits
  }, windowMs).unref()
  outgoing.once('close', () => clearInterval(timer))
}

/** Ends an event stream when the service stops. Its client comes again later. Other responses are not affected. */
export function endEventStreamAt(stopping: AbortSignal, response: IncomingMessage, outgoing: ServerResponse): void {
  if (!response.headers['content-type']?.startsWith('text/event-stream')) return
  const end = () => {
    response.unpipe(outgoing)
    outgoing.end()
  }
  if (stopping.aborted) end()
  else stopping.addEventListener('abort', end, { once: true })
  outgoing.once('close', () => stopping.removeEventListener('abort', end))
}
