/** Ensures that the effort `best` never makes a larger file than `balanced`. */
import { discard } from '../../../wasm/memories/discard.ts'
import type { Codec, Options, Source } from '../model/codec.ts'
import { TargetUnreachable } from '../model/error.ts'
import { assertPatchable, MIN_FREED_BYTES, type ResultSink } from '../model/sink.ts'
import { memorySource } from '../model/source.ts'
import { type CompressionResult, expectedFailure } from './compress.ts'
import { compressToGoal } from './score-goal.ts'

/**
 * Compresses a file at its level or to its score (see `compressToGoal`) with the effort `best`. A longer search may end elsewhere. So the
 * size of the `balanced` result is measured first, and that result is made if it is the smaller one.
 */
export async function compressBest(
  codec: Codec,
  source: Source,
  openSink: () => Promise<ResultSink>,
  options: Options,
): Promise<CompressionResult> {
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
  const sink = droppingSink()
  try {
    const { kind } = await codec.compress(source, sink, options)
    options.signal.throwIfAborted()
    return kind === 'compressed' ? sink.written : Number.POSITIVE_INFINITY
  } catch (error) {
    const isExpected = error instanceof TargetUnreachable || expectedFailure(codec.format.id, error)
    if (options.signal.aborted || !isExpected) throw error
    return Number.POSITIVE_INFINITY
  }
}

/** Sink that counts the bytes of a result and drops them. */
function droppingSink(): ResultSink {
  let written = 0
  return {
    get written() {
      return written
    },
    async write(chunk) {
      written += chunk.length
      // As in the other sinks: without this, the dropped chunks stay as garbage of the result's size.
      if (chunk.length >= MIN_FREED_BYTES) discard(chunk)
    },
    patch: (offset, bytes) => assertPatchable(offset, bytes.length, written),
    finish: async () => memorySource(new Uint8Array(), 'result'),
    async abort() {
      written = 0
    },
  }
}
