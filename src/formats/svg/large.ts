/** Drawings whose trees do not fit in memory: the light pass, drawn and measured where the renderer can hold them. */

import { isEngineError } from '../../../wasm/engine-error.ts'
import { concat } from '../../bytes/concat.ts'
import { gzipCompress } from '../../bytes/deflate.ts'
import { yieldToOthers } from '../../bytes/yield.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../../codec/codec.ts'
import type { Similarity } from '../../quality/metrics.ts'
import { fewestDecimals, sideOf } from './decimals.ts'
import { readSvgBytes, refuseForLean } from './document.ts'
import { rootAttributes } from './inventory.ts'
import { leanDifference, leanSvg } from './lean.ts'
import { SvgMeter } from './measure.ts'
import { latin1 } from './scan.ts'
import { claimed, TARGETS } from './targets.ts'

/** Larger ones are not drawn: the renderer's own tree takes some eight times the text. */
const MAX_DRAWN_BYTES = 5 * 1024 * 1024
const PIECE_BYTES = 1024 * 1024
/** The root element stands here. */
const HEAD_BYTES = 64 * 1024
const DECIMALS = [0, 1, 2, 3, 4] as const

export async function compressLean(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  const { bytes, zipped } = await readSvgBytes(source)
  refuseForLean(bytes)
  let exactBytes = 0 // and the whole file was read: it is well-formed
  for (const piece of leanSvg(bytes, undefined)) exactBytes += piece.length
  options.progress(0.2)
  const rounded = await roundedLike(bytes, exactBytes, options)
  options.progress(0.8)
  const text = leanSvg(bytes, rounded?.decimals)
  if (zipped) await sink.write(gzipCompress(concat([...gathered(text)])))
  else {
    for (const piece of gathered(text)) {
      options.signal.throwIfAborted()
      await sink.write(piece)
      await yieldToOthers()
    }
  }
  const gzip = zipped ? ['gzip by libdeflate level 12'] : []
  if (!rounded) return { kind: 'compressed', steps: ['comments and white space removed, numbers written shorter', ...gzip] }
  const { decimals, similarity } = rounded
  return {
    kind: 'compressed',
    loss: { pictures: claimed(similarity) },
    steps: [`comments and white space removed, coordinates with ${decimals} decimals`, ...gzip],
  }
}

/** Rounding that saves less is not worth its loss. */
const WORTH_ROUNDING = 0.97

/** The fewest decimals that hold the level's target; undefined where none does, it cannot be seen, or little is gained. */
async function roundedLike(
  bytes: Uint8Array,
  exactBytes: number,
  options: Options,
): Promise<{ decimals: number; similarity: Similarity } | undefined> {
  if (options.lossless || bytes.length > MAX_DRAWN_BYTES) return undefined
  const target = TARGETS[options.quality]
  try {
    let meter: SvgMeter | undefined
    const fewest = fewestDecimals(
      sideOf(Object.fromEntries(rootAttributes(latin1(bytes.subarray(0, HEAD_BYTES))))) ?? Number.POSITIVE_INFINITY,
    )
    for (const decimals of DECIMALS.filter((decimals) => decimals >= fewest)) {
      await yieldToOthers(options.signal)
      const text = concat([...gathered(leanSvg(bytes, decimals))])
      if (text.length > exactBytes * WORTH_ROUNDING) return undefined
      meter ??= new SvgMeter(new TextDecoder().decode(bytes))
      const drawing = new TextDecoder().decode(text)
      const similarity = meter.measure(drawing)
      if (similarity && meter.reaches(drawing, similarity, target)) return { decimals, similarity }
    }
  } catch (error) {
    if (!isEngineError(error, 'resvg')) throw error
  }
  return undefined
}

/** Small pieces put together. */
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

/** Both read again, tag by tag: nothing missing, no value changed or none further than it may be; and drawn, where it was rounded. */
export async function verifyLean(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const [before, after] = [await readSvgBytes(original), await readSvgBytes(result)]
  if (before.zipped !== after.zipped) return { equal: false, difference: 'gzip came or went' }
  const exact = outcome.kind === 'compressed' && !outcome.loss
  const difference = leanDifference(before.bytes, after.bytes, exact ? 0 : 0.51)
  if (difference || exact) return difference ? { equal: false, difference } : { equal: true }
  options.signal.throwIfAborted()
  const decoder = new TextDecoder()
  const similarity = new SvgMeter(decoder.decode(before.bytes)).measure(decoder.decode(after.bytes))
  if (!similarity) return { equal: false, difference: 'the result cannot be drawn like the original' }
  return similarity.psnrDb < TARGETS.low.psnrDb ? { equal: false, difference: `drawn at ${similarity.psnrDb} dB` } : { equal: true }
}
