import { discard } from '../../../wasm/memories/discard.ts'
import type { Source } from './codec.ts'

const CHUNK_BYTES = 256 * 1024

/** A source over bytes in memory. `read` returns views: do not write into them. */
export function memorySource(bytes: Uint8Array, name: string): Source {
  return {
    name,
    size: bytes.length,
    read: async (offset, length) => bytes.subarray(Math.min(offset, bytes.length), Math.min(offset + length, bytes.length)),
    stream: () => rangeStream(bytes.length, async (offset, length) => bytes.subarray(offset, offset + length)),
  }
}

/** Bytes `start … start + size` of another source, as a source of its own (an entry of an archive, a part of a film). */
export function slice(source: Source, start: number, size: number, name = source.name): Source {
  const read = (offset: number, length: number) =>
    source.read(start + Math.min(offset, size), Math.max(0, Math.min(length, size - Math.min(offset, size))))
  return { name, size, read, stream: () => rangeStream(size, read) }
}

/** A pull stream over range reads. */
export function rangeStream(
  size: number,
  read: (offset: number, length: number) => Promise<Uint8Array>,
  chunkBytes = CHUNK_BYTES,
): ReadableStream<Uint8Array> {
  let offset = 0
  return new ReadableStream<Uint8Array>(
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
}

/** Files from this size leave more garbage than a collector notices in time; chunks of smaller ones may be somebody's whole memory. */
export const LARGE_BYTES = 8 * 1024 * 1024

/** All of a file, for who copies what it is given: of a large one, each chunk is gone when the next is asked for. */
export async function* chunksOf(source: Source): AsyncGenerator<Uint8Array> {
  for await (const chunk of source.stream()) {
    yield chunk
    if (source.size > LARGE_BYTES) discard(chunk)
  }
}

/** The whole source in memory. Only for files that are small or that the format leaves no choice about. */
export async function readAll(source: Source): Promise<Uint8Array> {
  const whole = new Uint8Array(source.size)
  let offset = 0
  for await (const chunk of source.stream()) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}
