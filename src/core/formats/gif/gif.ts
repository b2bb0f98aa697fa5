/**
 * GIF codec: encodes every frame against the canvas that viewers show. Lossless at `high`, within a target for each frame at `medium` and
 * `low`. GIFs with a canvas that exceeds memory, or that viewers show differently: see large.ts.
 */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { BYTES_PER_PIXEL, type CanvasRectangle, GifEngine, type GifFacts } from '../../../../wasm/gif/gif.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { GIF } from '../../catalog/formats/gif.ts'
import { isLosslessGoal } from '../../catalog/score-goal.ts'
import { mostExactBytes, targetForSize } from '../../catalog/small-pictures.ts'
import { message } from '../../i18n/message.ts'
import { scoreOfRows } from '../../images/compare/compare.ts'
import { convertPicture } from '../../images/convert/convert.ts'
import type { RenditionSource } from '../../images/convert/rendition.ts'
import { CLAIM_TOLERANCE } from '../../images/convert/tuning.ts'
import { verifyPicture } from '../../images/convert/verify-picture.ts'
import { withRenditions } from '../../images/convert/with-renditions.ts'
import { asRgba } from '../../images/raster/raster.ts'
import { refuseReduction } from '../../images/search/fit-to-size.ts'
import { PALETTE_TARGETS, paletteTargetsOf, type RasterTarget, TARGETS_BY_QUALITY } from '../../images/search/targets.ts'
import { gentlestThatFits } from '../../metrics/search.ts'
import type { MetadataCodec, Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { overBudget } from '../../model/error.ts'
import { lossOf, NO_STILL_PICTURE, pixelLoss } from '../../model/loss.ts'
import { freedChunks } from '../../model/source.ts'
import { compressKeepingTrailingData, trailingDataDifference } from '../../model/trailing-data.ts'
import { animatedGifSeconds, checkWork } from '../../model/work-estimate.ts'
import { convertibleGif } from './convert.ts'
import { surveyGif } from './end.ts'
import { canvasFits, isCanvasTooLarge, readCanvasSize, recodeFrames, verifyRecodedFrames } from './large.ts'
import { type GifExtension, readGifMetadata } from './metadata.ts'
import {
  CLEARLY_LARGER_RATIO,
  CLEARLY_SMALLER_RATIO,
  FIXED_BYTES,
  IN_MEMORY_RESULT_BYTES,
  LEAST_COMPARED_SHARE,
  LEAST_FRAMES_WITH_REFERENCE,
  MOST_CANVAS_PIXELS,
} from './tuning.ts'
import { withoutGifMetadata } from './without-metadata.ts'

export const gif: MetadataCodec = withRenditions(
  {
    withoutMetadata: withoutGifMetadata,
    format: GIF,

    async compress(source, sink, options) {
      const { end, extensions, frames, framePixels } = await surveyGif(source)
      if (frames > 1) checkWork(animatedGifSeconds(framePixels), options)
      return await compressKeepingTrailingData(source, end, sink, options, (body, asked) => compressFile(body, extensions, sink, asked))
    },

    async verify(original, result, outcome, options) {
      if (options.output !== 'gif') {
        const { end, extensions } = await surveyGif(original)
        const { carried } = await readGifMetadata(original, extensions, options.output)
        return await verifyPicture({ ...(await still(original, options)), carried, end }, { original, result, outcome }, options)
      }
      const difference = await trailingDataDifference(original, (await surveyGif(original)).end, result, (await surveyGif(result)).end)
      if (difference) return differ(difference)
      if (await isCanvasTooLarge(original, options)) return await verifyRecodedFrames(original, result, framesOf, options)
      return await verifyGif(original, result, outcome, options).catch((error: unknown) => {
        if (!isDisputed(error)) throw error
        return verifyRecodedFrames(original, result, framesOf, options)
      })
    },
  },
  gifForRendition,
)

/** Compresses the GIF without the bytes after its trailer. */
async function compressFile(source: Source, extensions: readonly GifExtension[], sink: Sink, options: Options): Promise<Outcome> {
  if (options.output === 'gif') refuseReduction(GIF, await readCanvasSize(source), options)
  if (await isCanvasTooLarge(source, options)) return await recodeFrames(source, sink, framesOf, options)
  const outcome = await compressGif(source, extensions, sink, options).catch((error: unknown) => {
    if (!isDisputed(error) || options.output !== 'gif' || sink.written > 0) throw error
    return undefined
  })
  return outcome ?? (await recodeFrames(source, sink, framesOf, options))
}

/** True if viewers show the file differently, or if it has too many colours to distinguish. Its frames then stay unchanged. */
const isDisputed = (error: unknown) => isEngineError(error, 'gif') && error.failure === 'unsupported'

/**
 * Opens an engine whose canvas must fit into `share` of the memory budget. Animations are checked again after their frames are counted
 * (`canvasFits`).
 */
function openEngine(options: Options, share = 1, use: keyof typeof BYTES_PER_PIXEL = 'still'): GifEngine {
  return new GifEngine((width, height) => {
    const bytes = width * height * BYTES_PER_PIXEL[use] + FIXED_BYTES
    if (bytes > options.memoryBudget * share) throw overBudget(message('canvas_needs_bytes', { width, height, bytes }))
  })
}

/** Decodes a file frame by frame. Yields `true` after each frame, when the engine's canvas shows it, and `false` at the end. */
export async function* framesOf(source: Source, engine: GifEngine, options: Options): AsyncGenerator<boolean> {
  let since = 0
  for await (const chunk of freedChunks(source)) {
    options.signal.throwIfAborted()
    for (let at = 0; at < chunk.length; ) {
      const { taken, frame } = engine.push(chunk.subarray(at))
      at += taken
      since += taken
      if (frame) yield true
      if (since > 65536) {
        since = 0
        await yieldToEventLoop(options.signal)
      }
    }
  }
  yield false
}

async function scan(source: Source, engine: GifEngine, options: Options): Promise<GifFacts> {
  engine.begin('scan')
  let pixels = 0
  for await (const frame of framesOf(source, engine, options)) {
    if (!frame) break
    const { width, height } = engine.facts()
    if ((pixels += width * height) > MOST_CANVAS_PIXELS.all) throw overBudget('more_frames_than_job_has_time')
  }
  engine.finish()
  return engine.facts()
}

/** Scans a file with an engine of its own, if nothing is encoded afterwards. */
async function scanOnly(source: Source, options: Options): Promise<GifFacts> {
  using engine = openEngine(options)
  return await scan(source, engine, options)
}

/**
 * Limits in addition to the target: colour cast, change of smooth areas (squared: 5 or 7 luma steps), and error of any pixel (squared: 8
 * or 11 steps).
 */
const capsOf = ({ ssim }: RasterTarget) =>
  ssim >= PALETTE_TARGETS.medium.ssim ? { cast: 4, smooth: 25, most: 64 } : { cast: 7, smooth: 49, most: 121 }

interface Encoding {
  /** Target of every frame. `undefined`: lossless. */
  readonly target: RasterTarget | undefined
  /** Receives the file. `undefined`: the bytes are only counted. */
  readonly sink?: Pick<Sink, 'write'> | undefined
  /** Called after each frame with the bytes so far. Returns false to stop the encoding. */
  readonly afterFrame?: (frame: number, bytes: number) => boolean
}

/** Encodes the file once. @returns the size of the result in bytes; `undefined`: `afterFrame` stopped the encoding */
async function encode(source: Source, engine: GifEngine, encoding: Encoding, options: Options): Promise<number | undefined> {
  const { target, sink, afterFrame } = encoding
  const { frames, width, height } = engine.facts()
  const hurry = target !== undefined && width * height * frames > MOST_CANVAS_PIXELS.hurried
  engine.begin('encode', { ...(target ? { target: { ...capsOf(target), ...target } } : {}), mute: !sink, hurry })
  let done = 0
  for await (const frame of framesOf(source, engine, options)) {
    if (frame) options.progress(Math.min(0.95, 0.1 + (0.85 * ++done) / Math.max(1, frames)))
    for (const piece of engine.drain()) await sink?.write(piece)
    if (frame && afterFrame?.(done, engine.written) === false) return undefined
  }
  const bytes = engine.finish()
  for (const piece of engine.drain(true)) await sink?.write(piece)
  return bytes
}

/** Compresses or converts the GIF. `undefined`: the restored frames exceed the memory budget. */
async function compressGif(
  source: Source,
  extensions: readonly GifExtension[],
  sink: Sink,
  options: Options,
): Promise<Outcome | undefined> {
  if (options.output !== 'gif') {
    const facts = await scanOnly(source, options)
    if (!canvasFits(facts, options)) return undefined
    const picture = convertibleGif(source, facts, () => openEngine(options, 0.5, 'look'), framesOf, options)
    const { carried, omitted } = await readGifMetadata(source, extensions, options.output)
    return await convertPicture({ ...picture, carried, omitted: () => omitted }, source, sink, options)
  }
  using engine = openEngine(options)
  const facts = await scan(source, engine, options)
  if (!canvasFits(facts, options)) return undefined
  const chosen = await choose(source, engine, facts, options)
  const encoded = chosen.encoded ?? (await encodeTo(source, engine, chosen.target, sink, options))
  for (const piece of chosen.encoded?.pieces ?? []) await sink.write(piece)
  const frames =
    facts.frames === 1 ? message('frame_against_what_is_shown') : message('frames_against_what_is_shown', { frames: facts.frames })
  const { quality } = encoded
  // Luma PSNR alone can be infinite although colours differ.
  if (!chosen.target || quality.rgbPsnrDb === Number.POSITIVE_INFINITY) return { kind: 'compressed', steps: [frames, message('exact')] }
  return { kind: 'compressed', ...lossOf(pixelLoss(quality)), steps: [frames, message('tolerance_chosen_per_frame')] }
}

/** Finished encoding. `pieces`: the file, if it was kept in memory. */
interface Made {
  readonly bytes: number
  readonly quality: { ssim: number; psnrDb: number; rgbPsnrDb: number }
  readonly pieces?: readonly Uint8Array[]
}

interface Choice {
  /** Target of every frame. `undefined`: lossless. */
  readonly target: RasterTarget | undefined
  readonly encoded?: Made
}

async function encodeTo(source: Source, engine: GifEngine, target: RasterTarget | undefined, sink: Sink, options: Options): Promise<Made> {
  const bytes = (await encode(source, engine, { target, sink }, options)) ?? 0
  return { bytes, quality: engine.quality() }
}

async function choose(source: Source, engine: GifEngine, facts: GifFacts, options: Options): Promise<Choice> {
  if (options.lossless === true) return { target: undefined }
  if (options.targetSize !== undefined) return { target: await chooseBySize(source, engine, facts, options) }
  if (isLosslessGoal(options) || (options.targetScore !== undefined && facts.frames > 1)) return { target: undefined }
  return chooseByLevel(source, engine, facts, options)
}

/**
 * Chooses the smallest encoding of the level, gentler levels and lossless. A gentler level can be smaller, because an error in one frame
 * may enlarge the next. Sizes are those of real encodings; an attempt stops when it falls behind.
 */
async function chooseByLevel(source: Source, engine: GifEngine, facts: GifFacts, options: Options): Promise<Choice> {
  if (facts.width * facts.height * facts.frames > MOST_CANVAS_PIXELS.lossy) return { target: undefined }
  const quarter = Math.ceil(facts.frames / 4)
  const startsLossless = facts.frames >= LEAST_FRAMES_WITH_REFERENCE
  const exactAfter: number[] = []
  let best = await attempt(source, engine, undefined, options, (_, bytes) => exactAfter.push(bytes) < quarter || !startsLossless)
  if (!best && !startsLossless) return { target: undefined }
  const whole = best
  const isComparable = (bytes: number) => bytes >= source.size * LEAST_COMPARED_SHARE
  let bestAfter: readonly number[] = exactAfter
  let isLosslessLarger = !startsLossless
  for (const level of paletteTargetsOf(options).toReversed()) {
    const target = targetForSize(level, facts)
    const most = best?.encoded.bytes ?? source.size
    const rivalAfter = best?.target ? bestAfter : []
    const after: number[] = []
    const attempted = await attempt(source, engine, target, options, (frame, bytes) => {
      after.push(bytes)
      if (bytes >= most) return false
      if (frame < quarter || !isComparable(bytes)) return true
      return bytes < Math.min(exactAfter[frame - 1] ?? bytes + 1, CLEARLY_LARGER_RATIO.within * (rivalAfter[frame - 1] ?? bytes))
    })
    if (!attempted || attempted.encoded.bytes >= most) continue
    best = attempted
    bestAfter = after
    const [early, exactly] = [after[quarter - 1] ?? 0, exactAfter[quarter - 1] ?? 0]
    isLosslessLarger ||= isComparable(early) && early < CLEARLY_SMALLER_RATIO * exactly
  }
  if (!isLosslessLarger) {
    const most = best ? mostExactBytes(best.encoded.bytes, facts) : source.size
    const exact = await attempt(source, engine, undefined, options, (frame, bytes) => {
      if (bytes >= most) return false
      return !best || frame < quarter || !isComparable(bytes) || bytes < CLEARLY_LARGER_RATIO.exact * (bestAfter[frame - 1] ?? bytes)
    })
    if (exact && exact.encoded.bytes <= most) best = exact
  }
  if (best && whole && whole.encoded.bytes <= mostExactBytes(best.encoded.bytes, facts)) best = whole
  if (!best) return { target: undefined }
  return best.encoded.pieces ? best : { target: best.target }
}

async function attempt(
  source: Source,
  engine: GifEngine,
  target: RasterTarget | undefined,
  options: Options,
  afterFrame: (frame: number, bytes: number) => boolean,
): Promise<(Choice & { encoded: Made }) | undefined> {
  const pieces: Uint8Array[] = []
  const isInMemory = source.size <= IN_MEMORY_RESULT_BYTES
  let size = 0
  const write = async (piece: Uint8Array) => {
    size += piece.length
    if (size < source.size) pieces.push(piece)
  }
  const bytes = await encode(source, engine, { target, sink: isInMemory ? { write } : undefined, afterFrame }, options)
  if (bytes === undefined) return undefined
  const encoded = { bytes, quality: engine.quality() }
  return { target, encoded: isInMemory && size < source.size ? { ...encoded, pieces } : encoded }
}

/** Returns the highest-quality target whose result fits the target size. */
async function chooseBySize(source: Source, engine: GifEngine, facts: GifFacts, options: Options): Promise<RasterTarget | undefined> {
  const targetSize = Math.min(options.targetSize ?? source.size, source.size)
  const exactBytes = (await encode(source, engine, { target: undefined }, options)) ?? 0
  if (exactBytes < targetSize) return undefined
  if (facts.width * facts.height * facts.frames > MOST_CANVAS_PIXELS.lossy) throw overBudget('more_frames_than_size_can_be_searched')
  const found = await gentlestThatFits(TARGETS_BY_QUALITY, targetSize, async (target) => ({
    target,
    bytes: (await encode(source, engine, { target }, options)) ?? 0,
  }))
  return found.target
}

function unionOf(a: CanvasRectangle | undefined, b: CanvasRectangle): CanvasRectangle {
  if (!a?.height) return b
  if (!b.height) return a
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)]
  const [right, bottom] = [Math.max(a.x + a.width, b.x + b.width), Math.max(a.y + a.height, b.y + b.height)]
  return { x, y, width: right - x, height: bottom - y }
}

const differ = (difference: string): Verdict => ({ equal: false, difference })

/**
 * Decodes both files frame by frame and compares canvases (or their similarity) and times. One frame of the result may replace several
 * equal frames of the upload.
 */
async function verifyGif(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  using first = openEngine(options, 0.5, 'look')
  using second = openEngine(options, 0.5, 'look')
  const engines = [first, second] as const
  for (const engine of engines) engine.begin('look')
  const [before, after] = [framesOf(original, engines[0], options), framesOf(result, engines[1], options)]
  const loss = outcome.kind === 'compressed' ? outcome.loss : undefined
  const worst = { ssim: 1, psnrDb: Number.POSITIVE_INFINITY }
  let remainingDelay = 0 // remaining delay of the result's frame, in 1/100 s
  let needsNextFrame = true
  let changed: CanvasRectangle | undefined // area changed since the last comparison of canvases
  let number = 0
  for (; ; number++) {
    const frame = await before.next()
    if (frame.done || !frame.value) break
    if (needsNextFrame) {
      const right = await after.next()
      if (right.done || !right.value) return differ(`the result ends before frame ${number}`)
      remainingDelay = engines[1].currentFrame().delay
      changed = unionOf(changed, engines[1].changedPart())
    }
    changed = unionOf(changed, engines[0].changedPart())
    const { delay, digest } = engines[0].currentFrame()
    const [facts, resultFacts] = [engines[0].facts(), engines[1].facts()]
    if (facts.width !== resultFacts.width || facts.height !== resultFacts.height)
      return differ(`the canvas size changed: ${facts.width}×${facts.height} became ${resultFacts.width}×${resultFacts.height}`)
    if (delay > remainingDelay) return differ(`frame ${number}: the delay of ${delay}/100 s became ${remainingDelay}/100 s`)
    needsNextFrame = (remainingDelay -= delay) === 0
    if (digest === engines[1].currentFrame().digest) continue
    if (!loss) return differ(`frame ${number}: pixels differ`)
    const found = engines[1].similarityTo(engines[0], changed)
    changed = undefined
    worst.ssim = Math.min(worst.ssim, found.ssim)
    worst.psnrDb = Math.min(worst.psnrDb, found.psnrDb)
  }
  if (!needsNextFrame) return differ(`the last frame is shown ${remainingDelay}/100 s too long`)
  if ((await after.next()).value) return differ('the result has more frames')
  for (const engine of engines) engine.finish()
  if (!loss) return { equal: true }
  const claim = loss.pictures
  if (!claim) return differ('the outcome has a loss without quality figures')
  if (claim.ssim > worst.ssim + CLAIM_TOLERANCE.ssim || claim.psnrDb > worst.psnrDb + CLAIM_TOLERANCE.psnrDb) {
    return differ(`claimed ${claim.ssim} and ${claim.psnrDb} dB, found ${worst.ssim} and ${worst.psnrDb} dB`)
  }
  return { equal: true, ssimulacra2: number === 1 ? await stillScore(original, result, options) : NO_STILL_PICTURE }
}

async function stillScore(original: Source, result: Source, options: Options): Promise<number | undefined> {
  const [before, after] = [await still(original, options), await still(result, options)]
  return await scoreOfRows(asRgba(before.raster), asRgba(after.raster).rows())
}

const still = async (source: Source, options: Options) =>
  convertibleGif(source, await scanOnly(source, options), () => openEngine(options, 0.5, 'look'), framesOf, options)

async function gifForRendition(source: Source, options: Options): Promise<RenditionSource> {
  const { extensions } = await surveyGif(source)
  const picture = await still(source, options)
  const { carried } = await readGifMetadata(source, extensions, options.output)
  return { picture: { ...picture, carried }, stored: picture.raster }
}
