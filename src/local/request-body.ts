/** Bodies at the door of the local service: what is held so that it can be sent again, what is cut short, and how slowly it may come. */
import type { IncomingMessage } from 'node:http'

/** Bodies of uploads up to this many bytes are held, so that they can be sent again; longer ones are streamed, once. */
const MOST_HELD_BYTES = 16 * 1024 * 1024
/** Of all uploads together: who sends more at the same time has it streamed. */
const HELD_IN_ALL_BYTES = 64 * 1024 * 1024
/** A body that is no upload has 64 KB at most; one byte more tells the Worker that it is too long. */
const SHORT_BYTES = 64 * 1024 + 1
/** Of a body that was cut so much is read and forgotten, so that its sender hears why. */
const FORGOTTEN_BYTES = 64 * 1024 * 1024
/** While a body is awaited so much of it must come in each `PACE_MS`: two kilobits a second. */
const LEAST_BYTES = 16 * 1024
export const PACE_MS = 60_000

/** Only routes of the API take files, and only from callers who say who they are. */
const TAKES_FILES = /^\/(console\/api\/)?v1\//

export interface Body {
  /** undefined: the request itself is to be piped, once. */
  readonly held?: Buffer
  /** Gives its room back to others. */
  release(): void
}

let heldInAll = 0

/** @throws what its sender did to it, or `signal`'s reason */
export async function takeBody(incoming: IncomingMessage, path: string, signal: AbortSignal): Promise<Body> {
  const { authorization, cookie, 'content-length': declared, 'transfer-encoding': chunked } = incoming.headers
  const known = authorization !== undefined || cookie !== undefined
  if (!known || !TAKES_FILES.test(path)) return { held: await read(incoming, SHORT_BYTES, signal), release() {} }
  const length = chunked === undefined ? Number(declared ?? 0) : Number.POSITIVE_INFINITY
  if (isChunk(incoming) || length > MOST_HELD_BYTES || heldInAll + length > HELD_IN_ALL_BYTES) return { release() {} }
  let room = length
  heldInAll += room
  const release = () => {
    heldInAll -= room
    room = 0
  }
  try {
    return { held: await read(incoming, length, signal), release }
  } catch (error) {
    release()
    throw error
  }
}

/** Of a resumable upload: what came of a chunk that is cut off is kept, so it must not wait here for its end. */
const isChunk = ({ headers }: IncomingMessage) => headers['content-type']?.startsWith('application/offset+octet-stream') === true

/** The first `most` bytes; what stands behind them is forgotten as it comes. */
function read(incoming: IncomingMessage, most: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
    incoming.once('error', reject)
    incoming.once('end', () => resolve(Buffer.concat(chunks)))
    incoming.on('data', (chunk: Buffer) => {
      if (size < most) chunks.push(chunk.subarray(0, most - size))
      size += chunk.length
      if (size >= most) resolve(Buffer.concat(chunks.splice(0)))
      if (size > most + FORGOTTEN_BYTES) incoming.destroy()
    })
  })
}

/** Calls `late` when the body stands still, or nearly. What came and lies unread waits for us, not for its sender. */
export function keepPace(incoming: IncomingMessage, paceMs: number, late: () => void): void {
  const { socket } = incoming
  let seen = socket.bytesRead
  const timer = setInterval(() => {
    const came = socket.bytesRead - seen
    seen += came
    if (incoming.complete || socket.destroyed) clearInterval(timer)
    else if (came < LEAST_BYTES && incoming.readableLength === 0) {
      clearInterval(timer)
      late()
    }
  }, paceMs).unref()
  // What it holds would stay until it rings: eight kilobytes of each request of the last minute.
  incoming.once('close', () => clearInterval(timer))
}
