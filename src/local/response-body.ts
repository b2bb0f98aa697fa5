/**
 * Response bodies in the local reverse proxy: a client that hardly reads loses its connection, and a key may have few unfinished
 * downloads. Otherwise clients that read nothing would fill the memory with results.
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

/** Unfinished downloads of one key, as many as a browser opens. Others wait, in order of arrival. */
const MAX_DOWNLOADS_PER_KEY = 6
const MAX_WAITING_PER_KEY = 64
const PLACE_WAIT_MS = 20_000
/** Paths whose responses are as long as a client's files, or endless. */
const DOWNLOAD_PATH = /\/(download|events)\/?(\?|$)/

interface Downloads {
  running: number
  /** Resolves with true when the download may begin, in order of arrival. */
  readonly waiting: Set<(begins: boolean) => void>
}

/** Limits the unfinished downloads of each key. */
export class DownloadLimiter {
  /** By credentials, as the client sent them. An entry exists only while one of its downloads does. */
  readonly #byKey = new Map<string, Downloads>()

  /**
   * Waits until this request may download, for at most 20 s. Its place is free again when `outgoing` closes.
   * @returns false if the key has too many unfinished downloads
   */
  async admit({ method, headers }: IncomingMessage, path: string, outgoing: ServerResponse): Promise<boolean> {
    if (method !== 'GET' || !DOWNLOAD_PATH.test(path)) return true
    const key = headers.authorization ?? headers.cookie ?? ''
    const downloads = this.#byKey.get(key) ?? { running: 0, waiting: new Set() }
    this.#byKey.set(key, downloads)
    if (downloads.running < MAX_DOWNLOADS_PER_KEY) downloads.running++
    else if (downloads.waiting.size >= MAX_WAITING_PER_KEY || !(await waitFor(downloads, outgoing))) return false
    if (outgoing.destroyed) this.#release(key, downloads)
    else outgoing.once('close', () => this.#release(key, downloads))
    return true
  }

  #release(key: string, downloads: Downloads): void {
    const [next] = downloads.waiting
    // The place passes to the next download, so `running` stays.
    if (next) next(true)
    else if (--downloads.running === 0) this.#byKey.delete(key)
  }
}

/** @returns false if the wait was too long or the client left */
function waitFor(downloads: Downloads, outgoing: ServerResponse): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (begins: boolean) => {
      clearTimeout(timer)
      downloads.waiting.delete(settle)
      outgoing.off('close', leave)
      resolve(begins)
    }
    const leave = () => settle(false)
    const timer = setTimeout(leave, PLACE_WAIT_MS)
    downloads.waiting.add(settle)
    outgoing.once('close', leave)
  })
}
