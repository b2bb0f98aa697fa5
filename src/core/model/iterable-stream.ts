/** Asynchronous iteration of streams, which Safari lacks. */

/** Returns `stream`, which can be iterated afterwards on every platform. A loop that ends early cancels it. */
export function iterable<Chunk>(stream: ReadableStream<Chunk>): ReadableStream<Chunk> {
  if (Symbol.asyncIterator in stream) return stream
  return Object.defineProperty(stream as ReadableStream<Chunk>, Symbol.asyncIterator, { value: () => chunksOf(stream) })
}

/** Yields the chunks of a stream by its reader. */
export async function* chunksOf<Chunk>(stream: ReadableStream<Chunk>): AsyncGenerator<Chunk, void, undefined> {
  const reader = stream.getReader()
  let ended = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      ended = done
      if (done) return
      yield value
    }
  } catch (error) {
    ended = true
    throw error
  } finally {
    if (!ended) await reader.cancel()
    reader.releaseLock()
  }
}
