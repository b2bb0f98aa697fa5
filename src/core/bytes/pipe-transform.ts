import { Buffer } from 'node:buffer'
import type { Transform } from 'node:stream'

/** Bytes per write. Larger writes are not faster, and workerd's zstd needs small ones. */
const SLICE_BYTES = 256 * 1024

/** Feeds `input` to a Node transform stream and yields its output, with backpressure. Always destroys `engine` at the end. */
export async function* pipeTransform(engine: Transform, input: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let inputError: { error: unknown } | undefined
  const feed = async () => {
    try {
      for await (const chunk of input) {
        for (let at = 0; at < chunk.length; at += SLICE_BYTES) {
          if (engine.destroyed || engine.readableEnded) return
          if (!engine.write(chunk.subarray(at, at + SLICE_BYTES))) await drained(engine)
        }
      }
      if (!engine.destroyed) await end(engine)
    } catch (error) {
      inputError = { error }
      engine.destroy(error instanceof Error ? error : new Error(String(error)))
    }
  }
  const feeding = feed()
  try {
    for await (const chunk of engine) yield chunk as Uint8Array
  } catch (error) {
    throw inputError ? inputError.error : error
  } finally {
    engine.destroy()
    await feeding
  }
}

/**
 * Ends the stream. workerd's zstd fails with `Unexpected end of file` if its last output does not fit into the rest of its output buffer.
 * So the buffer is replaced after all input has been processed.
 */
async function end(engine: Transform): Promise<void> {
  await new Promise<void>((resolve) => {
    engine.once('close', resolve)
    engine.write(new Uint8Array(0), () => resolve())
  })
  const inner = engine as Transform & { _outBuffer?: Uint8Array; _outOffset?: number; _chunkSize?: number }
  if (inner._outOffset && inner._chunkSize) {
    inner._outBuffer = Buffer.allocUnsafe(inner._chunkSize)
    inner._outOffset = 0
  }
  if (!engine.destroyed) engine.end()
}

/** Resolves when the stream accepts more input, or has ended. */
function drained(engine: Transform): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      for (const event of EVENTS) engine.off(event, done)
      resolve()
    }
    for (const event of EVENTS) engine.once(event, done)
    if (engine.destroyed || !engine.writableNeedDrain) done()
  })
}

const EVENTS = ['drain', 'close', 'error', 'end'] as const
