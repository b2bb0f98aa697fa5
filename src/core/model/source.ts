import { discard } from '../../../wasm/memories/discard.ts'
import type { Source } from './codec.ts'
import { iterable } from './iterable-stream.ts'

const CHUNK_BYTES = 256 * 1024

/** Returns a source over bytes in memory. `read` returns views, so callers must not write into them. */
export function memorySource(bytes: Uint8Array, name: string): Source {
  return {
    name,
    size: bytes.length,
    read: async (offset, length) => bytes.subarray(Math.min(offset, bytes.length), Math.min(offset + length, bytes.length)),
    stream: () => rangeStream(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length)),
  }
}

/** Returns `size` bytes of `source` from `start` as a source, for example one entry of an archive. */
export function slice(source: Source, start: number, size: number, name = source.name): Source {
  const read = (offset: number, length: number) =>
    source.read(start + Math.min(offset, size), Math.max(0, Math.min(length, size - Math.min(offset, size))))
  return { name, size, read, stream: () => rangeStream(size, read) }
}

/** Returns a stream that calls `read` for one chunk at a time. It fails if `read` returns no bytes before `size`. */
export function rangeStream(
  size: number,
  read: (offset: number, length: number) => Promise<Uint8Array>,
  chunkBytes = CHUNK_BYTES,
): ReadableStream<Uint8Array> {
  let offset = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (offset >= size) return controller.close()
        const chunk = await read(offset, Math.min(chunkBytes, size - offset))
        if (chunk.length === 0) return controller.error(new Error(`the source ended at byte ${offset} of ${size}`))
        offset += chunk.length
        controller.enqueue(chunk)
      },
    },
    { highWaterMark: 0 },
  )
  return iterable(stream)
}

/**
 * Size in bytes from which chunks of a file are freed after use, because the garbage collector is too slow. Chunks of a smaller file may be
 * views of one shared buffer.
 */
export const LARGE_BYTES = 8 * 1024 * 1024

/** Yields a file in chunks for consumers that copy them. Chunks of a large file are freed when the next chunk is requested. */
export async function* freedChunks(source: Source): AsyncGenerator<Uint8Array> {
  for await (const chunk of source.stream()) {
    yield chunk
    if (source.size > LARGE_BYTES) discard(chunk)
  }
}

/** Reads the whole source into memory. Use it only for small files and for formats that need the whole file. */
export async function readAll(source: Source): Promise<Uint8Array> {
  const whole = new Uint8Array(source.size)
  let offset = 0
  for await (const chunk of source.stream()) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}
