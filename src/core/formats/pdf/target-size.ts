/** Option `target_size`: chooses the highest quality level whose result fits. */

import type { Options, Outcome, Quality, Sink, Source } from '../../model/codec.ts'
import { isCodecError, noGain, TargetUnreachable } from '../../model/error.ts'
import { memorySink } from '../../model/sink.ts'
import { HELD_RESULT_BYTES } from './tuning.ts'

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
  const wanted = options.targetSize ?? source.size
  let best = source.size
  for (const quality of LOWER[options.quality]) {
    const held = memorySink(Math.min(HELD_RESULT_BYTES, wanted + 1), source.name)
    const counter = counting(held, source.size)
    const outcome = await press(source, counter, { ...options, quality }).catch(larger)
    if (!outcome) continue
    if (outcome.kind === 'unchanged') return outcome
    best = Math.min(best, counter.written)
    if (counter.written > wanted) continue
    if (!counter.holds) return press(source, sink, { ...options, quality })
    await sink.write(held.bytes())
    return outcome
  }
  throw new TargetUnreachable(best)
}

function larger(error: unknown): undefined {
  if (!isCodecError(error, 'no_gain')) throw error
}

/**
 * Sink that counts all written bytes and stores them in `held` while it has capacity.
 * @throws CodecError (no_gain) once `limit` bytes are written.
 */
function counting(held: ReturnType<typeof memorySink>, limit: number): Sink & { readonly holds: boolean } {
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
        await held.write(chunk)
      } catch (error) {
        larger(error)
        holds = false
        await held.abort()
      }
    },
    patch(offset, bytes) {
      if (holds) held.patch(offset, bytes)
    },
    async abort() {
      written = 0
      holds = true
      await held.abort()
    },
  }
}
