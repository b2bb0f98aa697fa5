import { EngineError } from '../../../wasm/engine-error.ts'
import type { StreamEngine } from '../../../wasm/stream-engine.ts'
import { YieldBudget } from './yield.ts'

/** Input of one step in bytes, so that a slow compressor yields to the event loop often enough. */
const STEP_BYTES = 64 * 1024

/**
 * Feeds `input` to a new engine and yields its output. Stops reading at the end of the stream, and always disposes the engine.
 * @param bytesPerPause input and output in bytes between two yields to the event loop
 * @throws EngineError `damaged`, `truncated` or `memory`
 */
export async function* runStream(
  open: () => StreamEngine | Promise<StreamEngine>,
  input: AsyncIterable<Uint8Array>,
  bytesPerPause: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  using engine = await open()
  const pauses = new YieldBudget(bytesPerPause)
  for await (const chunk of input) {
    for (let at = 0; at < chunk.length; at += STEP_BYTES) {
      const step = chunk.subarray(at, at + STEP_BYTES)
      await pauses.after(step.length)
      for (const output of engine.push(step)) {
        yield output
        await pauses.after(output.length)
      }
      if (engine.complete) return
    }
  }
  yield* engine.finish()
}

/**
 * Passes chunks on.
 * @throws EngineError `too_large` after `maxBytes`
 */
export async function* withByteLimit(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array, void, undefined> {
  let total = 0
  for await (const chunk of chunks) {
    total += chunk.length
    if (total > maxBytes) throw tooLarge(maxBytes)
    yield chunk
  }
}

/** Returns the error for decompressed data above a limit. */
export const tooLarge = (maxBytes: number): EngineError =>
  new EngineError('deflate', 'too_large', `the decompressed data is larger than the limit of ${maxBytes} bytes`)
