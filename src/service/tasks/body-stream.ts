/** Reads a request body chunk by chunk. */

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
