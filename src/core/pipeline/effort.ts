/** Ensures that the effort `best` never makes a larger file than `balanced`. */
import { outputFacts } from '../catalog/outputs.ts'
import type { Codec, Options, Source } from '../model/codec.ts'
import { assertPatchable, type ResultSink } from '../model/sink.ts'
import { memorySource } from '../model/source.ts'
import { type CompressionResult, expectedFailure } from './compress.ts'
import { compressToGoal } from './score-goal.ts'

/**
 * Compresses a file at its level or to its score (see `compressToGoal`). At the effort `best`, a longer search may end elsewhere. So the size
 * of the `balanced` result is measured first, and that result is made if it is the smaller one.
 */
export async function compressWithEffort(
  codec: Codec,
  source: Source,
  openSink: () => Promise<ResultSink>,
  options: Options,
): Promise<CompressionResult> {
  if (options.effort !== 'best' || !(codec.format.hasEfforts || outputFacts(options.output).wraps))
    return await compressToGoal(codec, source, openSink, options)
  const { effort: _, ...balanced } = options
  const usualBytes = await balancedBytes(codec, source, { ...balanced, progress: (share) => options.progress(share * SHARE_OF_BALANCED) })
  const later = { ...options, progress: (share: number) => options.progress(SHARE_OF_BALANCED + share * (1 - SHARE_OF_BALANCED)) }
  let last: ResultSink | undefined
  const best = await compressToGoal(codec, source, async () => (last = await openSink()), later)
  if (usualBytes >= (best.result?.size ?? Number.POSITIVE_INFINITY)) return best
  await last?.abort()
  const usual = await compressToGoal(codec, source, openSink, balanced)
  return usual.result ? usual : await compressToGoal(codec, source, openSink, options)
}

/** Share of the work at `best` that `balanced` takes, for the progress. */
const SHARE_OF_BALANCED = 0.25

/** Size in bytes of the result at the effort `balanced`, which is not kept. Infinite: none. */
async function balancedBytes(codec: Codec, source: Source, options: Options): Promise<number> {
  const sink = countingSink()
  try {
    const { kind } = await codec.compress(source, sink, options)
    options.signal.throwIfAborted()
    return kind === 'compressed' ? sink.written : Number.POSITIVE_INFINITY
  } catch (error) {
    if (options.signal.aborted || !expectedFailure(codec.format.id, error)) throw error
    return Number.POSITIVE_INFINITY
  }
}

/** Sink that counts the bytes and drops them. */
function countingSink(): ResultSink {
  let written = 0
  return {
    get written() {
      return written
    },
    async write(chunk) {
      written += chunk.length
    },
    patch: (offset, bytes) => assertPatchable(offset, bytes.length, written),
    finish: async () => memorySource(new Uint8Array(), 'result'),
    async abort() {
      written = 0
    },
  }
}
