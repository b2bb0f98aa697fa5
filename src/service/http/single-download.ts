/** Streams that call a function when their last byte is about to leave. */

/**
 * Returns a stream of the same bytes. `done` runs before the last chunk is passed on, so its effect is visible to a client that has
 * received the whole file. If the client leaves early, `done` does not run.
 * @param length bytes of the stream
 */
export function afterLastByte(body: ReadableStream<Uint8Array>, length: number, done: () => Promise<void>): ReadableStream<Uint8Array> {
  const { readable, writable } = new FixedLengthStream(length)
  void pump(body, writable, length, done)
  return readable
}

async function pump(
  body: ReadableStream<Uint8Array>,
  writable: WritableStream<Uint8Array>,
  length: number,
  done: () => Promise<void>,
): Promise<void> {
  const writer = writable.getWriter()
  let left = length
  try {
    for await (const chunk of body) {
      left -= chunk.length
      if (left <= 0) await done()
      await writer.write(chunk)
    }
    await writer.close()
  } catch (error) {
    // The response ends before its announced length, so the client notices. If the client left, nobody needs the error.
    await writer.abort(error).catch(() => undefined)
  }
}
