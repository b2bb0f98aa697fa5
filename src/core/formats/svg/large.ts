/**
 * Compresses drawings whose element trees exceed the memory limit. It uses the streaming pass, and rounds only if the renderer can measure
 * the result.
 */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { concat } from '../../bytes/concat.ts'
import { gzipCompress } from '../../bytes/deflate.ts'
import { YieldBudget, yieldToEventLoop } from '../../bytes/yield.ts'
import { message } from '../../i18n/message.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { assertStreamable, readSvgBytes } from './document.ts'
import { findAllowedChanges } from './freedom.ts'
import { SvgMeter } from './measure.ts'
import { fewestDecimalsOfBoxes, streamingPass, streamingPassDifference } from './streaming-pass.ts'
import { declaredLoss, TARGETS } from './targets.ts'
import { LARGE_ROUNDING_SHARE, MAX_DRAWN_BYTES } from './tuning.ts'

const PIECE_BYTES = 1024 * 1024
const DECIMALS = [0, 1, 2, 3, 4] as const

export async function compressLargeSvg(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  const { bytes, zipped } = await readSvgBytes(source)
  assertStreamable(bytes)
  let exactBytes = 0 // counts the exact output, and scanning the file proves that it is well-formed
  const breath = new YieldBudget(PIECE_BYTES, options.signal)
  for (const piece of streamingPass(bytes, undefined)) {
    exactBytes += piece.length
    await breath.after(piece.length)
  }
  options.progress(0.2)
  const rounded = await roundToTarget(bytes, exactBytes, options)
  options.progress(0.8)
  const text = streamingPass(bytes, rounded?.decimals, rounded?.hidingClasses)
  if (zipped) await sink.write(gzipCompress(await collect(text, options)))
  else {
    for (const piece of gathered(text)) {
      await yieldToEventLoop(options.signal)
      await sink.write(piece)
    }
  }
  const gzip = zipped ? [message('gzip_by_libdeflate_12')] : []
  if (!rounded) return { kind: 'compressed', steps: [message('comments_removed_numbers_shorter'), ...gzip] }
  const { decimals, similarity } = rounded
  return {
    kind: 'compressed',
    loss: { pictures: declaredLoss(similarity) },
    steps: [message('comments_removed_coordinates', { decimals }), ...gzip],
  }
}

/**
 * Rounds to the fewest decimals that reach the level's target. `undefined`: none does, the drawing cannot be measured, or the gain is too
 * small.
 */
async function roundToTarget(
  bytes: Uint8Array,
  exactBytes: number,
  options: Options,
): Promise<{ decimals: number; hidingClasses: ReadonlySet<string>; similarity: Similarity } | undefined> {
  if (options.lossless || bytes.length > MAX_DRAWN_BYTES) return undefined
  const target = TARGETS[options.quality]
  const pause = () => yieldToEventLoop(options.signal)
  try {
    let meter: SvgMeter | undefined
    const { rounding, hidingClasses } = findAllowedChanges(new TextDecoder().decode(bytes), { strict: true })
    if (!rounding) return undefined
    const fewest = await fewestDecimalsOfBoxes(bytes, new YieldBudget(PIECE_BYTES, options.signal))
    for (const decimals of DECIMALS.filter((decimals) => decimals >= fewest)) {
      await pause()
      const text = await collect(streamingPass(bytes, decimals, hidingClasses), options)
      if (text.length > exactBytes * LARGE_ROUNDING_SHARE) return undefined
      await pause()
      meter ??= new SvgMeter(new TextDecoder().decode(bytes))
      const judged = await meter.judge(new TextDecoder().decode(text), target, pause)
      if (judged?.fits) return { decimals, hidingClasses, similarity: judged.similarity }
    }
  } catch (error) {
    if (!isEngineError(error, 'resvg')) throw error
  }
  return undefined
}

/** Concatenates all chunks and yields to other tasks after every megabyte. */
async function collect(pieces: Iterable<Uint8Array>, options: Options): Promise<Uint8Array> {
  const large: Uint8Array[] = []
  for (const piece of gathered(pieces)) {
    large.push(piece)
    await yieldToEventLoop(options.signal)
  }
  return concat(large)
}

/** Combines small chunks into chunks of up to 1 MiB. */
function* gathered(pieces: Iterable<Uint8Array>): Generator<Uint8Array> {
  let capacity = new Uint8Array(PIECE_BYTES)
  let used = 0
  for (const piece of pieces) {
    if (used + piece.length > capacity.length && used > 0) {
      yield capacity.subarray(0, used)
      capacity = new Uint8Array(PIECE_BYTES)
      used = 0
    }
    if (piece.length > capacity.length) yield piece.slice()
    else {
      capacity.set(piece, used)
      used += piece.length
    }
  }
  if (used > 0) yield capacity.subarray(0, used)
}

/**
 * Compares original and result tag by tag: nothing is missing, and no value differs by more than the tolerance. Rounded results are also
 * rendered and compared.
 */
export async function verifyLargeSvg(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const [before, after] = [await readSvgBytes(original), await readSvgBytes(result)]
  if (before.zipped !== after.zipped) return { equal: false, difference: 'gzip compression was added or removed' }
  const isLossless = outcome.kind === 'compressed' && !outcome.loss
  const difference = await streamingPassDifference(
    before.bytes,
    after.bytes,
    isLossless ? 0 : 0.51,
    new YieldBudget(PIECE_BYTES, options.signal),
  )
  if (difference || isLossless) return difference ? { equal: false, difference } : { equal: true }
  const decoder = new TextDecoder()
  await yieldToEventLoop(options.signal)
  const meter = new SvgMeter(decoder.decode(before.bytes))
  await yieldToEventLoop(options.signal)
  const similarity = meter.measure(decoder.decode(after.bytes))
  if (!similarity) return { equal: false, difference: 'the result cannot be rendered at the size of the original' }
  return similarity.psnrDb < TARGETS.low.psnrDb
    ? { equal: false, difference: `the rendering differs: PSNR ${similarity.psnrDb} dB, minimum ${TARGETS.low.psnrDb} dB` }
    : { equal: true }
}
