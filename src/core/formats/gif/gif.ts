/**
 * GIF: every frame written anew against what is shown; exact at `high`, within a target per frame at `medium` and `low`. Where
 * the canvas does not fit, or viewers would not agree on it: see large.ts.
 */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { BYTES_PER_PIXEL, GifEngine, type GifFacts, type GifPart } from '../../../../wasm/gif/gif.ts'
import { yieldToOthers } from '../../bytes/yield.ts'
import { GIF } from '../../catalog/formats/gif.ts'
import { paletteTargets } from '../../catalog/level-order.ts'
import { mostExactBytes, targetForSize } from '../../catalog/small-pictures.ts'
import { type Message, message } from '../../i18n/message.ts'
import { scoreOfRows } from '../../images/compare/compare.ts'
import { convertPicture } from '../../images/convert/convert.ts'
import { verifyPicture } from '../../images/convert/verify-picture.ts'
import { asRgba } from '../../images/raster/raster.ts'
import { PALETTE_TARGETS, type RasterTarget, TARGET_LADDER } from '../../images/search/targets.ts'
import { gentlestThatFits } from '../../metrics/search.ts'
import type { Codec, Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { overBudget } from '../../model/error.ts'
import { lossOf, NO_STILL_PICTURE, ofPixels } from '../../model/loss.ts'
import { chunksOf } from '../../model/source.ts'
import { tailDifference, withTail } from '../../model/trailing-data.ts'
import { mostAnimationBytes } from '../../model/work-estimate.ts'
import { convertibleGif } from './convert.ts'
import { surveyGif } from './end.ts'
import { compressLarge, FIXED_BYTES, fits, isLarge, verifyLarge } from './large.ts'

export const gif: Codec = {
  format: GIF,

  async compress(source, sink, options) {
    const { end, notes, frames, framePixels } = await surveyGif(source)
    if (frames > 1 && framePixels > mostAnimationBytes(end))
      throw overBudget(message('frames_of_pixels_in_bytes', { frames, framePixels, end }))
    return await withTail(source, end, sink, options, (body, asked) => compressFile(body, notes, sink, asked))
  },

  async verify(original, result, outcome, options) {
    if (options.output !== 'gif') {
      const picture = await still(original, options)
      return await verifyPicture({ ...picture, end: (await surveyGif(original)).end }, { original, result, outcome }, options)
    }
    const difference = await tailDifference(original, (await surveyGif(original)).end, result, (await surveyGif(result)).end)
    if (difference) return differ(difference)
    if (await isLarge(original, options)) return await verifyLarge(original, result, framesOf, options)
    return await verifyGif(original, result, outcome, options).catch((error: unknown) => {
      if (!isDisputed(error)) throw error
      return verifyLarge(original, result, framesOf, options)
    })
  },
}

/** All but what stands behind the trailer. */
async function compressFile(source: Source, notes: readonly Message[], sink: Sink, options: Options): Promise<Outcome> {
  if (await isLarge(source, options)) return await compressLarge(source, sink, framesOf, options)
  const outcome = await compressGif(source, notes, sink, options).catch((error: unknown) => {
    if (!isDisputed(error) || options.output !== 'gif' || sink.written > 0) throw error
    return undefined
  })
  return outcome ?? (await compressLarge(source, sink, framesOf, options))
}

/**
 * Pixels of all frames together; more would take more CPU than a job has. Above `hurried` fewer trials are made, above `lossy`
 * every level is exact and no size is searched for.
 */
const MOST_PIXELS = { all: 900_000_000, lossy: 300_000_000, hurried: 3_000_000 }

/** Viewers do not agree what such a file shows, or it has more colours than can be told apart: its frames stay as they are. */
const isDisputed = (error: unknown) => isEngineError(error, 'gif') && error.failure === 'unsupported'

/** Whether an animation fits is known when its frames are counted (`fits`). */
function openEngine(options: Options, share = 1, use: keyof typeof BYTES_PER_PIXEL = 'still'): GifEngine {
  return new GifEngine((width, height) => {
    const bytes = width * height * BYTES_PER_PIXEL[use] + FIXED_BYTES
    if (bytes > options.memoryBudget * share) throw overBudget(message('canvas_needs_bytes', { width, height, bytes }))
  })
}

/** Frames of a file one by one: yields after each, with the engine's canvas showing it; once more (`false`) at the end. */
export async function* framesOf(source: Source, engine: GifEngine, options: Options): AsyncGenerator<boolean> {
  let since = 0
  for await (const chunk of chunksOf(source)) {
    options.signal.throwIfAborted()
    for (let at = 0; at < chunk.length; ) {
      const { taken, frame } = engine.push(chunk.subarray(at))
      at += taken
      since += taken
      if (frame) yield true
      if (since > 65536) {
        since = 0
        await yieldToOthers(options.signal)
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
    if ((pixels += width * height) > MOST_PIXELS.all) throw overBudget('more_frames_than_job_has_time')
  }
  engine.finish()
  return engine.facts()
}

/** The same where nothing is to be written afterwards. */
async function scanned(source: Source, options: Options): Promise<GifFacts> {
  using engine = openEngine(options)
  return await scan(source, engine, options)
}

/** What holds beside a target: no hue changes, smooth areas stay smooth (a luma of 5 or 7 steps), and no pixel is far off (of 8 or 11). */
const capsOf = ({ ssim }: RasterTarget) =>
  ssim >= PALETTE_TARGETS.medium.ssim ? { cast: 4, smooth: 25, most: 64 } : { cast: 7, smooth: 49, most: 121 }

interface Encoding {
  /** Of every frame; undefined for an exact result. */
  readonly target: RasterTarget | undefined
  /** Where the file goes; without one its bytes are only counted. */
  readonly sink?: Pick<Sink, 'write'> | undefined
  /** Is told the bytes so far, and may end it. */
  readonly afterFrame?: (frame: number, bytes: number) => boolean
}

/** One encode. @returns the bytes of the file; undefined where `afterFrame` ended it */
async function encode(source: Source, engine: GifEngine, encoding: Encoding, options: Options): Promise<number | undefined> {
  const { target, sink, afterFrame } = encoding
  const { frames, width, height } = engine.facts()
  const hurry = target !== undefined && width * height * frames > MOST_PIXELS.hurried
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

/** undefined: what frames restore does not fit either. */
async function compressGif(source: Source, notes: readonly Message[], sink: Sink, options: Options): Promise<Outcome | undefined> {
  if (options.output !== 'gif') {
    const facts = await scanned(source, options)
    if (!fits(facts, options)) return undefined
    const picture = convertibleGif(source, facts, () => openEngine(options, 0.5, 'look'), framesOf, options)
    return await convertPicture({ ...picture, leftOut: () => notes }, source, sink, options)
  }
  using engine = openEngine(options)
  const facts = await scan(source, engine, options)
  if (!fits(facts, options)) return undefined
  const chosen = await choose(source, engine, facts, options)
  const made = chosen.made ?? (await make(source, engine, chosen.target, sink, options))
  for (const piece of chosen.made?.pieces ?? []) await sink.write(piece)
  const frames =
    facts.frames === 1 ? message('frame_against_what_is_shown') : message('frames_against_what_is_shown', { frames: facts.frames })
  const { quality } = made
  // Luma alone may be the same where colours are not.
  if (!chosen.target || quality.rgbPsnrDb === Number.POSITIVE_INFINITY) return { kind: 'compressed', steps: [frames, message('exact')] }
  return { kind: 'compressed', ...lossOf(ofPixels(quality)), steps: [frames, message('tolerance_chosen_per_frame')] }
}

/** A finished encode. `pieces`: the file, where it was held in memory. */
interface Made {
  readonly bytes: number
  readonly quality: { ssim: number; psnrDb: number; rgbPsnrDb: number }
  readonly pieces?: readonly Uint8Array[]
}

interface Choice {
  /** Of every frame; undefined for an exact result. */
  readonly target: RasterTarget | undefined
  readonly made?: Made
}

async function make(source: Source, engine: GifEngine, target: RasterTarget | undefined, sink: Sink, options: Options): Promise<Made> {
  const bytes = (await encode(source, engine, { target, sink }, options)) ?? 0
  return { bytes, quality: engine.quality() }
}

async function choose(source: Source, engine: GifEngine, facts: GifFacts, options: Options): Promise<Choice> {
  if (options.lossless === true) return { target: undefined }
  if (options.targetSize !== undefined) return { target: await chooseBySize(source, engine, facts, options) }
  if (options.quality === 'high') return { target: undefined }
  return chooseByLevel(source, engine, facts, options)
}

/** Animations of so many frames are begun exactly, to their quarter, before it is known that this is of any use. */
const LEAST_BEGUN_FRAMES = 8
/** An attempt this much smaller than the exact one in the first quarter stays smaller: the exact one is not made. */
const CLEARLY_SMALLER = 0.7
/**
 * And one that is so much larger than another attempt by then, or later, does not catch up (at 1.05 one of 650 random animations
 * did; 1.3 would cost a quarter more CPU); exact ones gain on others for longer.
 */
const CLEARLY_LARGER = { within: 1.12, exact: 1.3 }
/** What frames so far have to be of the file, to tell anything. */
const TELLING_SHARE = 0.05

/**
 * A level's own target, unless a gentler level makes fewer bytes: frames build on each other, so that more tolerance in one may
 * cost more in the next. Bytes decide that are really made; an attempt ends when it is behind.
 */
async function chooseByLevel(source: Source, engine: GifEngine, facts: GifFacts, options: Options): Promise<Choice> {
  if (facts.width * facts.height * facts.frames > MOST_PIXELS.lossy) return { target: undefined }
  const quarter = Math.ceil(facts.frames / 4)
  const begun = facts.frames >= LEAST_BEGUN_FRAMES
  const exactAfter: number[] = []
  let best = await attempt(source, engine, undefined, options, (_, bytes) => exactAfter.push(bytes) < quarter || !begun)
  if (!best && !begun) return { target: undefined }
  const whole = best
  const telling = (bytes: number) => bytes >= source.size * TELLING_SHARE
  let bestAfter: readonly number[] = exactAfter
  let exactIsBehind = !begun
  for (const level of paletteTargets(options.quality).toReversed()) {
    const target = targetForSize(level, facts)
    const most = best?.made.bytes ?? source.size
    const rivalAfter = best?.target ? bestAfter : []
    const after: number[] = []
    const other = await attempt(source, engine, target, options, (frame, bytes) => {
      after.push(bytes)
      if (bytes >= most) return false
      if (frame < quarter || !telling(bytes)) return true
      return bytes < Math.min(exactAfter[frame - 1] ?? bytes + 1, CLEARLY_LARGER.within * (rivalAfter[frame - 1] ?? bytes))
    })
    if (!other || other.made.bytes >= most) continue
    best = other
    bestAfter = after
    const [early, exactly] = [after[quarter - 1] ?? 0, exactAfter[quarter - 1] ?? 0]
    exactIsBehind ||= telling(early) && early < CLEARLY_SMALLER * exactly
  }
  if (!exactIsBehind) {
    const most = best ? mostExactBytes(best.made.bytes, facts) : source.size
    const exact = await attempt(source, engine, undefined, options, (frame, bytes) => {
      if (bytes >= most) return false
      return !best || frame < quarter || !telling(bytes) || bytes < CLEARLY_LARGER.exact * (bestAfter[frame - 1] ?? bytes)
    })
    if (exact && exact.made.bytes <= most) best = exact
  }
  if (best && whole && whole.made.bytes <= mostExactBytes(best.made.bytes, facts)) best = whole
  if (!best) return { target: undefined }
  return best.made.pieces ? best : { target: best.target }
}

/** Results of larger files are not held: they are made again. */
const MOST_HELD_BYTES = 8 * 1024 * 1024

async function attempt(
  source: Source,
  engine: GifEngine,
  target: RasterTarget | undefined,
  options: Options,
  afterFrame: (frame: number, bytes: number) => boolean,
): Promise<(Choice & { made: Made }) | undefined> {
  const pieces: Uint8Array[] = []
  const held = source.size <= MOST_HELD_BYTES
  let size = 0
  const write = async (piece: Uint8Array) => {
    size += piece.length
    if (size < source.size) pieces.push(piece)
  }
  const bytes = await encode(source, engine, { target, sink: held ? { write } : undefined, afterFrame }, options)
  if (bytes === undefined) return undefined
  const made = { bytes, quality: engine.quality() }
  return { target, made: held && size < source.size ? { ...made, pieces } : made }
}

/** The gentlest step of the ladder whose result fits. */
async function chooseBySize(source: Source, engine: GifEngine, facts: GifFacts, options: Options): Promise<RasterTarget | undefined> {
  const wanted = Math.min(options.targetSize ?? source.size, source.size)
  const exactBytes = (await encode(source, engine, { target: undefined }, options)) ?? 0
  if (exactBytes < wanted) return undefined
  if (facts.width * facts.height * facts.frames > MOST_PIXELS.lossy) throw overBudget('more_frames_than_size_can_be_searched')
  const found = await gentlestThatFits(TARGET_LADDER, wanted, async (target) => ({
    target,
    bytes: (await encode(source, engine, { target }, options)) ?? 0,
  }))
  return found.target
}

function around(a: GifPart | undefined, b: GifPart): GifPart {
  if (!a?.height) return b
  if (!b.height) return a
  const [x, y] = [Math.min(a.x, b.x), Math.min(a.y, b.y)]
  const [right, bottom] = [Math.max(a.x + a.width, b.x + b.width), Math.max(a.y + a.height, b.y + b.height)]
  return { x, y, width: right - x, height: bottom - y }
}

const differ = (difference: string): Verdict => ({ equal: false, difference })

/**
 * Decodes both frame by frame: the same canvases (or the claimed similarity) at the same times. A frame of the result may stand
 * for several equal ones of the upload.
 */
async function verifyGif(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  using first = openEngine(options, 0.5, 'look')
  using second = openEngine(options, 0.5, 'look')
  const engines = [first, second] as const
  for (const engine of engines) engine.begin('look')
  const [before, after] = [framesOf(original, engines[0], options), framesOf(result, engines[1], options)]
  const loss = outcome.kind === 'compressed' ? outcome.loss : undefined
  const worst = { ssim: 1, psnrDb: Number.POSITIVE_INFINITY }
  let shownFor = 0 // what is left of the delay of the result's frame
  let needed = true
  let changed: GifPart | undefined // since the canvases were compared last
  let number = 0
  for (; ; number++) {
    const left = await before.next()
    if (left.done || !left.value) break
    if (needed) {
      const right = await after.next()
      if (right.done || !right.value) return differ(`the result ends before frame ${number}`)
      shownFor = engines[1].look().delay
      changed = around(changed, engines[1].changed())
    }
    changed = around(changed, engines[0].changed())
    const { delay, digest } = engines[0].look()
    const [facts, other] = [engines[0].facts(), engines[1].facts()]
    if (facts.width !== other.width || facts.height !== other.height) return differ('the canvas has another size')
    if (delay > shownFor) return differ(`frame ${number}: delay ${delay} became ${shownFor}`)
    needed = (shownFor -= delay) === 0
    if (digest === engines[1].look().digest) continue
    if (!loss) return differ(`frame ${number}: pixels differ`)
    const found = engines[1].similarityTo(engines[0], changed)
    changed = undefined
    worst.ssim = Math.min(worst.ssim, found.ssim)
    worst.psnrDb = Math.min(worst.psnrDb, found.psnrDb)
  }
  if (!needed) return differ(`the last frame is shown ${shownFor} hundredths of a second too long`)
  if ((await after.next()).value) return differ('the result has more frames')
  for (const engine of engines) engine.finish()
  if (!loss) return { equal: true }
  const claim = loss.pictures
  if (!claim) return differ('a loss without figures')
  if (claim.ssim > worst.ssim + 0.002 || claim.psnrDb > worst.psnrDb + 0.1) {
    return differ(`claimed ${claim.ssim} and ${claim.psnrDb} dB, found ${worst.ssim} and ${worst.psnrDb} dB`)
  }
  return { equal: true, ssimulacra2: number === 1 ? await stillScore(original, result, options) : NO_STILL_PICTURE }
}

async function stillScore(original: Source, result: Source, options: Options): Promise<number | undefined> {
  const [before, after] = [await still(original, options), await still(result, options)]
  return await scoreOfRows(asRgba(before.raster), asRgba(after.raster).rows())
}

const still = async (source: Source, options: Options) =>
  convertibleGif(source, await scanned(source, options), () => openEngine(options, 0.5, 'look'), framesOf, options)
