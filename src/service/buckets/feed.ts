/**
 * Copies a stream into the body of a request, and ends when the signal aborts, also while the receiver takes no bytes. (`pipeTo` waits for
 * the receiver then.)
 * @param onTaken called when the receiver has taken some bytes
 * @throws the error of either stream. The body then ends before its announced length, so that no receiver stores a part as the whole.
 */
export async function feed(
  stream: ReadableStream<Uint8Array>,
  body: WritableStream<Uint8Array>,
  signal: AbortSignal,
  onTaken: () => void = () => undefined,
): Promise<void> {
  const reader = stream.getReader()
  const writer = body.getWriter()
  const stop = () => {
    writer.abort(signal.reason).catch(() => undefined)
    reader.cancel().catch(() => undefined)
  }
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      await writer.write(value)
      onTaken()
    }
    await writer.close()
  } catch (error) {
    await writer.abort(error).catch(() => undefined)
    await reader.cancel().catch(() => undefined)
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
