/** Reads bytes in order, from a file or from data that is inflated on the fly. */
import { concat } from '../bytes/concat.ts'
import { ByteReader } from '../bytes/reader.ts'
import { YieldBudget } from '../bytes/yield.ts'
import type { FileView } from './file-view.ts'
import { type InflateOptions, inflated } from './inflate.ts'

export interface ByteStream {
  /** Bytes read or skipped so far. */
  readonly position: number
  /** Returns at most `length` of the next bytes without reading them: fewer only at the end. They are valid until the next call. */
  peek(length: number): Promise<Uint8Array>
  /**
   * Skips bytes.
   * @throws CodecError (malformed) if the data ends before
   */
  skip(length: number): Promise<void>
}

/** Bytes that `chunksOf` yields at once, a multiple of every word size. */
const CHUNK_BYTES = 64 * 1024

/** Returns a stream of a file from `start` to its end. Skipping costs nothing. */
export function streamOfFile(view: FileView, start: number): ByteStream {
  let at = start
  return {
    get position() {
      return at - start
    },
    peek: (length) => view.bytesUpTo(at, length),
    async skip(length) {
      if (at + length > view.size) throw view.malformed(at)
      at += length
    },
  }
}

/** Bytes of inflated data between two pauses for other jobs, about 0.1 seconds of work. */
const YIELD_BYTES = 8 * 1024 * 1024

/**
 * Returns a stream of the data that is compressed from `start` to the end of the file. Damaged data and data that ends too early are
 * malformed.
 */
export function streamOfInflated(view: FileView, start: number, options: InflateOptions, signal: AbortSignal): ByteStream {
  const chunks = inflated(view.chunks(start, view.size - start), options)
  const budget = new YieldBudget(YIELD_BYTES, signal)
  let [held, position]: [Uint8Array, number] = [new Uint8Array(0), 0]
  /** Returns the next chunk. `undefined`: the end. */
  const next = async (): Promise<Uint8Array | undefined> => {
    try {
      const { done, value } = await chunks.next()
      if (!done) await budget.after(value.length)
      return done ? undefined : value
    } catch (error) {
      if (signal.aborted) throw error
      throw view.malformed(start)
    }
  }
  return {
    get position() {
      return position
    },
    async peek(length) {
      while (held.length < length) {
        const more = await next()
        if (!more) break
        held = held.length === 0 ? more : concat([held, more])
      }
      return held.subarray(0, length)
    },
    async skip(length) {
      for (let left = length; left > 0; ) {
        if (held.length === 0) held = (await next()) ?? new Uint8Array(0)
        if (held.length === 0) throw view.malformed(start)
        const part = Math.min(left, held.length)
        held = held.subarray(part)
        position += part
        left -= part
      }
    },
  }
}

/** Reads `length` bytes. They are valid until the next call. `undefined`: the data ends before. */
export async function take(stream: ByteStream, length: number): Promise<Uint8Array | undefined> {
  const bytes = await stream.peek(length)
  if (bytes.length < length) return undefined
  const copy = bytes.slice()
  await stream.skip(length)
  return copy
}

/** Reads numbers of the next `length` bytes. `undefined`: the data ends before. */
export async function takeNumbers(stream: ByteStream, length: number, littleEndian: boolean): Promise<ByteReader | undefined> {
  const bytes = await take(stream, length)
  return bytes && new ByteReader(bytes, littleEndian)
}

/** Yields the next `length` bytes in chunks, each valid until the next one. It yields fewer bytes if the data ends before. */
export async function* chunksOf(stream: ByteStream, length: number): AsyncGenerator<Uint8Array> {
  for (let left = length; left > 0; ) {
    const chunk = await stream.peek(Math.min(left, CHUNK_BYTES))
    if (chunk.length === 0) return
    yield chunk
    left -= chunk.length
    await stream.skip(chunk.length)
  }
}
