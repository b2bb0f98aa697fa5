/** Reads the body of a request or of a response chunk by chunk. */
import { ApiError } from './api-error.ts'
import type { TimeLimits } from './time-limits.ts'

/** Most bytes that one read of a fetched file returns. */
export const FETCH_READ_BYTES = 256 * 1024

export interface ChunkReader {
  /** Returns the next bytes, which are valid until the next call. `undefined`: end of the body. */
  readonly pull: () => Promise<Uint8Array | undefined>
  /** Stops reading and discards the rest of the body. */
  readonly close: () => Promise<void>
}

/**
 * Reads up to `readBytes` at a time if the stream can fill a caller's buffer, otherwise whatever chunks it returns.
 * If the body ends early, fewer than `leastBytes` bytes are lost.
 */
export function chunkReaderOf(body: ReadableStream<Uint8Array>, readBytes: number, leastBytes = readBytes / 4): ChunkReader {
  try {
    const reader = body.getReader({ mode: 'byob' })
    let buffer = new ArrayBuffer(readBytes)
    const pull = async () => {
      const { done, value } = await reader.readAtLeast(leastBytes, new Uint8Array(buffer))
      if (value) buffer = value.buffer as ArrayBuffer
      return value && value.length > 0 ? value : done ? undefined : value
    }
    return { pull, close: () => reader.cancel() }
  } catch {
    const reader = body.getReader()
    const pull = async () => {
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return undefined
        if (value.length > 0) return value
      }
    }
    return { pull, close: () => reader.cancel() }
  }
}

export interface BodyLimits {
  /** Announced length in bytes. `undefined`: none. */
  readonly length: number | undefined
  readonly maxBytes: number
  /** Longest silence in milliseconds. */
  readonly silenceMs: number
  readonly limits: TimeLimits
  readonly errors: BodyErrors
}

/** Return the error of a body that breaks one of its limits. */
interface BodyErrors {
  readonly tooLarge: () => Error
  readonly stalled: () => Error
  /** The connection broke, or the body is shorter than announced. */
  readonly cutOff: () => Error
}

/** Yields a fetched body. @throws one of `errors`, an ApiError of the reader, and the reason of `limits.signal` */
export async function* limitedBody(reader: ChunkReader, options: BodyLimits): AsyncGenerator<Uint8Array> {
  const { length, maxBytes, errors } = options
  let received = 0
  for (;;) {
    const chunk = await pullWithin(reader, options)
    if (!chunk) break
    received += chunk.length
    if (received > maxBytes) throw errors.tooLarge()
    yield chunk
  }
  if (length !== undefined && received < length) throw errors.cutOff()
}

async function pullWithin(reader: ChunkReader, { limits, silenceMs, errors }: BodyLimits): Promise<Uint8Array | undefined> {
  limits.expect(silenceMs, errors.stalled)
  try {
    return await reader.pull()
  } catch (error) {
    limits.signal.throwIfAborted()
    throw error instanceof ApiError ? error : errors.cutOff()
  } finally {
    limits.stopExpecting()
  }
}
