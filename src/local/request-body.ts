/**
 * Request bodies in the local reverse proxy: buffers small ones for retries, truncates bodies that are no uploads, and enforces a
 * minimum rate.
 */
import type { IncomingMessage } from 'node:http'
import { GUEST_PREFIX } from '../service/store/guests.ts'
import { PLANS } from '../service/store/plans.ts'

/** Largest upload body that is buffered for retries, in bytes. Longer ones are streamed once. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024
/** Most bytes of all buffered uploads together. Beyond that, bodies are streamed. */
const MAX_TOTAL_BUFFERED_BYTES = 64 * 1024 * 1024
/** Most bytes forwarded of a body that is no upload. The limit is 64 KB; one byte more lets the Worker reject it. */
const MAX_FORWARDED_BYTES = 64 * 1024 + 1
/** Most bytes of a truncated body that are read and discarded, so that its sender receives the error response. */
const MAX_DISCARDED_BYTES = 64 * 1024 * 1024
/** Minimum bytes per `RATE_WINDOW_MS` while a body is expected: 16 KB a minute, about 2 kbit/s. */
const MIN_BYTES_PER_WINDOW = 16 * 1024
export const RATE_WINDOW_MS = 60_000

/** Paths that accept files. Only requests with credentials may upload. */
const UPLOAD_PATH = /^\/(console\/api\/)?v1\//

/** Paths that store files. */
const STORING_PATH = /^\/(console\/api\/)?v1\/(compress|batch|uploads)(\/|\?|$)/

/** Path where the front page makes tokens for guests. */
const GUESTS_PATH = /^\/guests(\/|\?|$)/
const GUEST_BEARER = new RegExp(`^bearer\\s+${GUEST_PREFIX}`, 'i')
/** Free space in bytes that only files of accounts may use: as much as all guests may store. So guests are refused first. */
const GUEST_MARGIN_BYTES = PLANS.guest.storageBytes

/** Free bytes that a request needs. Negative infinity: it stores no file. Unknown lengths count as 0. */
export function neededBytes(incoming: IncomingMessage, path: string): number {
  if (incoming.method === 'POST' && GUESTS_PATH.test(path)) return GUEST_MARGIN_BYTES
  const isGuest = GUEST_BEARER.test(incoming.headers.authorization ?? '')
  return announcedBytes(incoming, path) + (isGuest ? GUEST_MARGIN_BYTES : 0)
}

/** Bytes that a request will store. Negative infinity: it stores no file. Unknown lengths count as 0. */
function announcedBytes({ method, headers }: IncomingMessage, path: string): number {
  const override = headers['x-http-method-override']
  const verb = method === 'POST' && typeof override === 'string' ? override.toUpperCase() : method
  if (!(verb === 'POST' || verb === 'PATCH') || !STORING_PATH.test(path)) return Number.NEGATIVE_INFINITY
  // A length that is no whole number is refused later.
  const [body = 0, upload = 0] = [headers['content-length'], headers['upload-length']].map((length) =>
    /^\d{1,15}$/.test(String(length)) ? Number(length) : 0,
  )
  return Math.max(0, body, upload)
}

export interface ReceivedBody {
  /** The whole body. `undefined`: the body must be streamed from the request, once. */
  readonly buffered?: Buffer
  /** Returns the body's share of the buffer limit. */
  release(): void
}

let totalBuffered = 0

/**
 * Reads or truncates the body of a request.
 * @throws the error of the connection, or the reason of `signal`
 */
export async function receiveBody(incoming: IncomingMessage, path: string, signal: AbortSignal): Promise<ReceivedBody> {
  const { authorization, cookie, 'content-length': declaredLength, 'transfer-encoding': chunked } = incoming.headers
  const hasCredentials = authorization !== undefined || cookie !== undefined
  if (!hasCredentials || !UPLOAD_PATH.test(path)) return { buffered: await readFirst(incoming, MAX_FORWARDED_BYTES, signal), release() {} }
  const length = chunked === undefined ? Number(declaredLength ?? 0) : Number.POSITIVE_INFINITY
  if (isChunk(incoming) || length > MAX_BUFFERED_BYTES || totalBuffered + length > MAX_TOTAL_BUFFERED_BYTES) return { release() {} }
  let reserved = length
  totalBuffered += reserved
  const release = () => {
    totalBuffered -= reserved
    reserved = 0
  }
  try {
    return { buffered: await readFirst(incoming, length, signal), release }
  } catch (error) {
    release()
    throw error
  }
}

/** True for a chunk of a resumable upload. It is never buffered, because the service stores what arrived if the connection breaks. */
const isChunk = ({ headers }: IncomingMessage) => headers['content-type']?.startsWith('application/offset+octet-stream') === true

/** Reads the first `most` bytes and discards the rest. */
function readFirst(incoming: IncomingMessage, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    incoming.once('error', reject)
    incoming.once('end', () => resolve(Buffer.concat(chunks)))
    incoming.on('data', (chunk: Buffer) => {
      if (size < maxBytes) chunks.push(chunk.subarray(0, maxBytes - size))
      size += chunk.length
      if (size >= maxBytes) resolve(Buffer.concat(chunks.splice(0)))
      if (size > maxBytes + MAX_DISCARDED_BYTES) incoming.destroy()
    })
  })
}

/**
 * Calls `late` when the body arrives at less than the minimum rate. Bytes that wait in our own buffer do not count against the client.
 */
export function enforceMinimumRate(incoming: IncomingMessage, paceMs: number, onTooSlow: () => void): void {
  const { socket } = incoming
  let lastBytesRead = socket.bytesRead
  const timer = setInterval(() => {
    const received = socket.bytesRead - lastBytesRead
    lastBytesRead += received
    if (incoming.complete || socket.destroyed) clearInterval(timer)
    else if (received < MIN_BYTES_PER_WINDOW && incoming.readableLength === 0) {
      clearInterval(timer)
      onTooSlow()
    }
  }, paceMs).unref()
  // Without this, the timer would retain about 8 KB per request for a minute.
  incoming.once('close', () => clearInterval(timer))
}
