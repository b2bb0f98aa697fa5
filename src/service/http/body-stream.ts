/** A request body, pulled chunk by chunk. */

export interface Pull {
  /** The next bytes, which are valid until the next call; undefined at the end. */
  readonly pull: () => Promise<Uint8Array | undefined>
  /** Gives up the rest. */
  readonly close: () => Promise<void>
}

/**
 * Reads of up to `readBytes` where the stream can fill our buffer (every request body); what it gives elsewhere. Of a body that
 * breaks off, less than `leastBytes` are lost.
 */
export function pullFrom(body: ReadableStream<Uint8Array>, readBytes: number, leastBytes = readBytes / 4): Pull {
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
