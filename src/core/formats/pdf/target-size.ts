/** Option `target_size`: chooses the highest quality level whose result fits. */

import type { Options, Outcome, Quality, Sink, Source } from '../../model/codec.ts'
import { isCodecError, noGain, TargetUnreachable } from '../../model/error.ts'
import { memorySink } from '../../model/sink.ts'
import { MAX_BUFFERED_RESULT_BYTES } from './tuning.ts'

type Press = (source: Source, sink: Sink, options: Options) => Promise<Outcome>

/** Quality levels to try for each requested level, best first. */
const LOWER: Readonly<Record<Quality, readonly Quality[]>> = {
  high: ['high', 'medium', 'low'],
  medium: ['medium', 'low'],
  low: ['low'],
  ultra: ['low'],
}

/** True if `target_size` is below the size of the source. */
export const asksForSmallerSize = (source: Source, { targetSize }: Options): boolean => targetSize !== undefined && targetSize < source.size

/**
 * Compresses with the highest level, starting at the requested one, whose result fits into `target_size`.
 * @throws TargetUnreachable if no level fits.
 */
export async function compressToTargetSize(press: Press, source: Source, sink: Sink, options: Options): Promise<Outcome> {
  const targetBytes = options.targetSize ?? source.size
  let best = source.size
  for (const quality of LOWER[options.quality]) {
    const buffered = memorySink(Math.min(MAX_BUFFERED_RESULT_BYTES, targetBytes + 1), source.name)
    const counter = countingSink(buffered, source.size)
    const outcome = await press(source, counter, { ...options, quality }).catch(ignoreNoGain)
    if (!outcome) continue
    if (outcome.kind === 'unchanged') return outcome
    best = Math.min(best, counter.written)
    if (counter.written > targetBytes) continue
    if (!counter.holds) return press(source, sink, { ...options, quality })
    await sink.write(buffered.bytes())
    return outcome
  }
  throw new TargetUnreachable(best)
}

function ignoreNoGain(error: unknown): undefined {
  if (!isCodecError(error, 'no_gain')) throw error
}

/**
 * Sink that counts all written bytes and stores them in `buffered` while it has capacity.
 * @throws CodecError (no_gain) once `limit` bytes are written.
 */
function countingSink(buffered: ReturnType<typeof memorySink>, limit: number): Sink & { readonly holds: boolean } {
  let written = 0
  let holds = true
  return {
    get written() {
      return written
    },
    get holds() {
      return holds
    },
    async write(chunk) {
      written += chunk.length
      if (written >= limit) throw noGain()
      if (!holds) return
      try {
        await buffered.write(chunk)
      } catch (error) {
        ignoreNoGain(error)
        holds = false
        await buffered.abort()
      }
    },
    patch(offset, bytes) {
      if (holds) buffered.patch(offset, bytes)
    },
    async abort() {
      written = 0
      holds = true
      await buffered.abort()
    },
  }
}
