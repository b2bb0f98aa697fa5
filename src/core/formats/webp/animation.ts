/**
 * Compresses animated WebP files: encodes each frame again and keeps what is smaller. Positions, times and blending of the frames stay, so
 * that a result plays like the original. Quality is measured on the canvases that viewers show.
 */
import { concat } from '../../bytes/concat.ts'
import { gentlerLevelsOf } from '../../catalog/level-order.ts'
import { pictureTarget, type Quality } from '../../catalog/levels.ts'
import { isLosslessGoal } from '../../catalog/score-goal.ts'
import { message } from '../../i18n/message.ts'
import { OUTPUT_CODECS } from '../../images/convert/output-codecs.ts'
import { encodeKeepingFloors } from '../../images/convert/output-floors.ts'
import { type Raster, withoutOpaqueAlpha } from '../../images/raster/raster.ts'
import type { EncodedPicture } from '../../images/search/encode-request.ts'
import { chunk, webpChunks } from '../../images/webp/container.ts'
import { fitsMemoryBudget, maxPixelsOf } from '../../model/budget.ts'
import type { Options, Outcome, Sink, Source } from '../../model/codec.ts'
import { isCodecError, noGain, overBudget, TargetUnreachable } from '../../model/error.ts'
import { lossOf, pixelLoss } from '../../model/loss.ts'
import { type Piece, splice } from '../../model/splice.ts'
import { trailingDataSteps } from '../../model/trailing-data.ts'
import { worstSimilarity } from './compare-frames.ts'
import { FRAME_HEADER_BYTES, readWebpFile, type WebpFile, type WebpFrame } from './file.ts'
import { codedChunks, isPictureChunk, wholeChunk } from './picture.ts'
import { openRaster } from './raster.ts'
import { BASE_BYTES, CANVAS_BYTES_PER_PIXEL, LOSSY_RATIO, MOST_ANIMATION_PIXELS, SMALL_FRAME_PIXELS } from './tuning.ts'

/** Frame that was encoded again and became smaller. */
interface NewFrame {
  readonly bytes: Uint8Array
  readonly isExact: boolean
}

/** Levels from the best to the smallest, for a target size. */
const LEVELS_BY_SIZE: readonly Quality[] = ['high', 'medium', 'low']

export async function compressAnimation(source: Source, file: WebpFile, sink: Sink, options: Options): Promise<Outcome> {
  checkLimits(source, file, options)
  const { targetSize } = options
  const isTooLarge = targetSize !== undefined && targetSize < source.size
  let made = { result: source, encoded: 0, exact: 0 }
  for (const quality of isTooLarge ? LEVELS_BY_SIZE : [options.quality]) {
    made = await encodedFrames(source, file, { ...options, quality })
    if (!isTooLarge || made.result.size <= targetSize) break
  }
  if (isTooLarge && made.result.size > targetSize) throw new TargetUnreachable(made.result.size)
  const { result, encoded, exact } = made
  if (encoded === 0) throw noGain('webp_frames_not_smaller')
  const worst =
    exact === encoded ? undefined : await worstSimilarity([source, file], [result, await readWebpFile(result, options.signal)], options)
  options.progress(0.95)
  for await (const piece of result.stream()) await sink.write(piece.slice())
  const steps = [message('webp_frames_encoded', { encoded, frames: file.frames.length, exact }), ...trailingDataSteps(source, file.end)]
  return { kind: 'compressed', ...lossOf(worst && pixelLoss(worst)), steps }
}

/** @throws CodecError (over_budget) if canvas, frames or file exceed the job's memory or time */
function checkLimits(source: Source, { width, height, frames }: WebpFile, options: Options): void {
  const canvas = width * height
  const inFrames = frames.reduce((sum, { picture }) => sum + picture.width * picture.height, 0)
  const most = {
    frames: maxPixelsOf(MOST_ANIMATION_PIXELS.frames, options),
    canvases: maxPixelsOf(MOST_ANIMATION_PIXELS.canvases, options),
  }
  const fits = fitsMemoryBudget(options, canvas * CANVAS_BYTES_PER_PIXEL + source.size + BASE_BYTES)
  if (!fits || inFrames > most.frames || canvas * frames.length > most.canvases)
    throw overBudget(message('webp_animation_over_budget', { frames: frames.length, width, height }))
}

async function encodedFrames(source: Source, { chunks, frames, end }: WebpFile, options: Options) {
  const frameOf = new Map(frames.map((frame) => [frame.chunk, frame]))
  const pieces: Piece[] = []
  let [encoded, exact, done] = [0, 0, 0]
  for (const one of chunks) {
    const frame = frameOf.get(one)
    const made = frame && (await encodedFrame(source, frame, options))
    pieces.push(made ? made.bytes : wholeChunk(one, end))
    if (made) encoded++
    if (made?.isExact) exact++
    if (frame) options.progress((0.8 * ++done) / frames.length)
    options.signal.throwIfAborted()
  }
  const bytes = splice(source, pieces).size + 4
  const head = concat([chunk('RIFF', new Uint8Array()), new TextEncoder().encode('WEBP')])
  new DataView(head.buffer).setUint32(4, bytes, true)
  return { result: splice(source, [head, ...pieces, { from: end, to: source.size }]), encoded, exact }
}

/** Encodes a frame at the level. `undefined`: the result is not smaller, or misses the level. */
async function encodedFrame(source: Source, frame: WebpFrame, options: Options): Promise<NewFrame | undefined> {
  const { chunk: whole, picture, others } = frame
  const raster = await withoutOpaqueAlpha(await openRaster(source, picture, options))
  const isSmall = picture.width * picture.height <= SMALL_FRAME_PIXELS
  let best: EncodedPicture | undefined
  for (const quality of [options.quality, ...(isSmall ? gentlerLevelsOf(options) : [])]) {
    const made = await encodedAt(raster, frame, { ...options, quality })
    if (made && (!best || sizeOf(made) < sizeOf(best))) best = made
  }
  if (!best) return undefined
  const coded = webpChunks(concat([...best.chunks])).flatMap(({ name, data }) => (isPictureChunk({ id: name }) ? [chunk(name, data)] : []))
  const header = await source.read(whole.offset, FRAME_HEADER_BYTES)
  const bytes = chunk('ANMF', concat([header, ...coded, ...(await codedChunks(source, others))]))
  const isSmaller = bytes.length < (whole.size + 8) * (picture.lossless ? 1 : LOSSY_RATIO)
  return isSmaller ? { bytes, isExact: best.loss === undefined } : undefined
}

const sizeOf = ({ chunks }: EncodedPicture) => chunks.reduce((sum, part) => sum + part.length, 0)

/** Encodes the picture of a frame at one level. `undefined`: not possible. */
async function encodedAt(raster: Raster, { chunk: whole, picture }: WebpFrame, options: Options): Promise<EncodedPicture | undefined> {
  const { targetSize: _, ...asked } = options
  const isExact = options.lossless === true || (picture.lossless && isLosslessGoal(asked))
  const encode = OUTPUT_CODECS['webp']?.encode
  if (!encode || (isExact && !picture.lossless)) return undefined
  const request = {
    target: pictureTarget(options.quality),
    lossless: isExact,
    pristine: picture.lossless,
    options: { ...asked, progress: () => undefined },
    sizeLimit: whole.size,
  }
  return await encodeKeepingFloors('webp', encode, raster, {}, request).catch((error: unknown) => {
    if (!isCodecError(error, 'unsupported_feature', 'over_budget')) throw error
    return undefined
  })
}
