/** Encodes pictures as WebP with the lowest quality that reaches the target, or lossless if that is smaller. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { WEBP_MEMORY_MAX, WEBP_SIDE_MAX, WebpEncoder, type WebpFigures } from '../../../../wasm/webp/webp.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { perceptualTarget } from '../../catalog/small-pictures.ts'
import { FLOORS, reaches } from '../../catalog/target.ts'
import { message } from '../../i18n/message.ts'
import { highestThatFits, lowestThatHolds } from '../../metrics/search.ts'
import { fitsMemoryBudget, hasLargeMemoryBudget } from '../../model/budget.ts'
import type { Options } from '../../model/codec.ts'
import { isCodecError, overBudget, TargetUnreachable, unsupported } from '../../model/error.ts'
import { pixelLoss } from '../../model/loss.ts'
import { cachedIfSmall } from '../raster/cached-raster.ts'
import { hasFewColours } from '../raster/few-colours.ts'
import { asRgba, type PictureMetadata, type Raster } from '../raster/raster.ts'
import type { EncodedPicture, EncodeRequest } from '../search/encode-request.ts'
import { isMeasuredInBands, isSteeredByScore, isUnacceptable } from '../search/perceptual-search.ts'
import { wrapWebp } from './container.ts'
import { bandsOf, SampleRows } from './sample-rows.ts'
import {
  encodedToScore,
  type FilledEncoder,
  type LikelyForm,
  type Planes,
  predictedForm,
  type ScoredEncoding,
  type ScoreJob,
  smallerFittedForm,
} from './score-search.ts'
import {
  ALPHA_BYTES_PER_PIXEL,
  BASE_BYTES,
  EXACT_BYTES_PER_PIXEL,
  FASTEST_METHOD,
  FITTED_CHROMA_LIMITS,
  FRUGAL_PIXELS,
  LOSSY_BYTES_PER_PIXEL,
  METHOD_WITH_ALPHA,
  METHODS,
  MOST_TOKEN_BYTES,
  NEXT_GROWTH,
  PER_QUALITY_STEP,
  QUALITY,
  ROW_BUFFER_BYTES,
  SAMPLE_PIXELS,
  SAMPLE_SLACK,
  SLOWEST_METHOD,
  TOKENS_PER_BYTE,
  TOLERANCE,
} from './tuning.ts'

interface Lossy {
  readonly encoder: WebpEncoder
  readonly method: number
}

export async function encodeWebp(raster: Raster, carried: PictureMetadata, request: EncodeRequest): Promise<EncodedPicture> {
  const { width, height } = raster
  if (Math.max(width, height) > WEBP_SIDE_MAX) throw unsupported(message('webp_ends_at_pixels_side', { limit: WEBP_SIDE_MAX }))
  const mayBeExact = request.lossless || (request.pristine && (request.targetSize !== undefined || (await hasFewColours(raster))))
  const exact = mayBeExact ? await encodeLossless(raster, carried, request) : undefined
  if (request.lossless) {
    if (exact) return exact
    throw overBudget(message('too_many_pixels_for_exact_webp', { width, height }))
  }
  if (exact && request.targetSize !== undefined && bytesOf(exact) <= request.targetSize) return exact
  if (Math.min(width, height) < 11) {
    if (exact) return exact
    throw unsupported('too_small_to_be_measured')
  }
  const { lossy, scoreResult } = await encodeLossy(raster, carried, request)
  if (scoreResult?.reached !== false) return exact && bytesOf(exact) <= bytesOf(lossy) ? exact : lossy
  // The lossy result misses the level, mostly in the colours of thin strokes, because WebP halves chroma at every quality. A lossless
  // result replaces it if it is small enough.
  const instead = exact ?? (await encodeLossless(raster, carried, request))
  if (instead && bytesOf(instead) < request.sizeLimit) return instead
  if (isUnacceptable(scoreResult)) throw unsupported('colours_webp_does_not_keep')
  return lossy
}

const bytesOf = (encoded: EncodedPicture) => encoded.chunks.reduce((sum, chunk) => sum + chunk.length, 0)

/** Encodes losslessly. `undefined`: the memory budget is too small. */
async function encodeLossless(raster: Raster, carried: PictureMetadata, { options }: EncodeRequest): Promise<EncodedPicture | undefined> {
  const { width, height, channels } = raster
  if (!fitsMemoryBudget(options, width * height * EXACT_BYTES_PER_PIXEL + BASE_BYTES, mostEngineBytes(options))) return undefined
  options.estimated?.(mostEngineBytes(options) + ROW_BUFFER_BYTES)
  try {
    using encoder = new WebpEncoder(width, height, channels, 'exact')
    for await (const strip of raster.rows()) encoder.write(strip)
    await yieldToEventLoop(options.signal)
    encoder.encode({ quality: 75, method: width * height <= 1_000_000 ? 6 : 4, lossless: true })
    return { chunks: wrapWebp(encoder.file(), carried, raster), step: message('exact_webp') }
  } catch (error) {
    if (isEngineError(error, 'webp')) return undefined
    throw error
  }
}

/** Lossy result; `scoreResult`: result of the perceptual search, or `undefined` if luma steered the search. */
interface LossyResult {
  readonly lossy: EncodedPicture
  readonly scoreResult?: ScoredEncoding | undefined
}

async function encodeLossy(raster: Raster, carried: PictureMetadata, request: EncodeRequest): Promise<LossyResult> {
  requireMemory(raster, request)
  try {
    if (isSteeredByScore(raster, request)) return await encodeToScore(raster, carried, request)
    using encoder = (await filled(raster, request, 'means')).encoder
    const lossy = { encoder, method: methodFor(raster, request.options) }
    const overhead = wrapWebp(new Uint8Array(30), carried, raster).reduce((sum, chunk) => sum + chunk.length, 0)
    const { quality, figures } =
      request.targetSize === undefined
        ? await toTarget(lossy, raster, request)
        : await toSize(lossy, raster, request, request.targetSize - overhead)
    const chunks = wrapWebp(encoder.file(), carried, raster)
    return { lossy: { chunks, loss: pixelLoss(figures), step: message('webp_at_quality', { quality }), steeredByScore: false } }
  } catch (error) {
    if (isEngineError(error, 'webp')) throw overBudget(message('webp_pixels_over_memory', { width: raster.width, height: raster.height }))
    throw error
  }
}

/** @throws CodecError `over_budget` */
function requireMemory({ width, height, channels }: Raster, request: EncodeRequest): void {
  const perPixel = channels === 2 || channels === 4 ? ALPHA_BYTES_PER_PIXEL : LOSSY_BYTES_PER_PIXEL
  if (!fitsMemoryBudget(request.options, width * height * perPixel + BASE_BYTES, mostEngineBytes(request.options)))
    throw overBudget(message('too_many_pixels_for_webp', { width, height, megapixels: megapixels(request, perPixel) }))
  if (perPixel === ALPHA_BYTES_PER_PIXEL) request.options.estimated?.(mostEngineBytes(request.options) + ROW_BUFFER_BYTES)
}

/** Opens an encoder with the planes of the picture. Only opaque pictures have a sample. */
async function filled(raster: Raster, { options }: EncodeRequest, planes: Planes, mayBeSampled = false): Promise<FilledEncoder> {
  const { width, height, channels } = raster
  const encoder = new WebpEncoder(width, height, channels, planes)
  const isLarge = mayBeSampled && (channels === 1 || channels === 3) && width * height > 2 * SAMPLE_PIXELS
  const sample = isLarge && !isMeasuredInBands(raster) ? new SampleRows(raster) : undefined
  try {
    let rows = 0
    for await (const strip of raster.rows()) {
      encoder.write(strip)
      sample?.add(strip)
      rows += strip.length / (width * channels)
      options.progress((0.3 * rows) / height)
      options.signal.throwIfAborted()
    }
    return { encoder, planes, ...(sample && encoder.sample(bandsOf(raster)) && { sample }) }
  } catch (error) {
    encoder[Symbol.dispose]()
    throw error
  }
}

/**
 * Encodes to the perceptual score. If hues change between neighbouring pixels, chroma fitted by libsharpyuv competes with averaged chroma;
 * fast probes choose between them. At the effort `best`, or if the first form misses the target, both are searched.
 */
async function encodeToScore(raster: Raster, carried: PictureMetadata, request: EncodeRequest): Promise<LossyResult> {
  const { options } = request
  const { width, height } = raster
  const reference = cachedIfSmall(asRgba(raster))
  const job: ScoreJob = {
    reference,
    target: perceptualTarget(options, raster),
    signal: options.signal,
    sizeLimit: request.sizeLimit,
    method: methodFor(raster, options),
    isFrugal: (bytes) => tokensExceedMemory(raster, bytes * NEXT_GROWTH),
  }
  const open = (planes: Planes) => filled(raster, request, planes, planes === 'means')
  const resultOf = async (form: FilledEncoder, likely: LikelyForm): Promise<LossyResult> => {
    const found = await encodedToScore(form, job, likely)
    const step = message(form.planes === 'fitted' ? 'webp_at_quality_chroma_fitted' : 'webp_at_quality', { quality: found.quality })
    const { similarity, perceptual } = found
    const chunks = wrapWebp(form.encoder.file(), carried, raster)
    return {
      lossy: { chunks, loss: pixelLoss(similarity), similarity, step, steeredByScore: true, score: perceptual.score },
      scoreResult: found,
    }
  }
  const means = await open('means')
  let prediction: Awaited<ReturnType<typeof predictedForm>>
  {
    using encoder = means.encoder
    const hasHues = encoder.hueContrast >= FITTED_CHROMA_LIMITS.leastContrast && width * height <= FITTED_CHROMA_LIMITS.mostPixels
    const competes = hasHues && options.effort !== 'fast'
    // Fast probes pay where they choose between two forms, or where they see a sample only.
    if (!competes && !means.sample) return await resultOf(means, { quality: job.target.usualQuality.webp, slope: undefined })
    prediction = await predictedForm(means, job)
    if (!competes) return await resultOf(means, prediction)
  }
  const fitted = await fittedResult(open, job, prediction, resultOf)
  if (fitted?.scoreResult?.reached && options.effort !== 'best') return fitted
  const again = await open('means')
  using _ = again.encoder
  const averaged = await resultOf(again, prediction)
  if (averaged.scoreResult?.reached && options.effort !== 'best') return averaged
  const other =
    fitted ??
    (await fittedResult(open, job, { ...prediction, quality: averaged.scoreResult?.quality ?? prediction.quality }, resultOf, true))
  if (!other?.scoreResult?.reached) return averaged
  return !averaged.scoreResult?.reached || bytesOf(other.lossy) < bytesOf(averaged.lossy) ? other : averaged
}

/** Result with fitted chroma. `undefined`: averaged chroma is smaller, or memory does not suffice. `isWanted`: it is made in any case. */
async function fittedResult(
  open: (planes: Planes) => Promise<FilledEncoder>,
  job: ScoreJob,
  prediction: Awaited<ReturnType<typeof predictedForm>>,
  resultOf: (form: FilledEncoder, likely: LikelyForm) => Promise<LossyResult>,
  isWanted = false,
): Promise<LossyResult | undefined> {
  try {
    const fitted = await open('fitted')
    using _ = fitted.encoder
    const likely = isWanted ? prediction : await smallerFittedForm(fitted, job, prediction)
    return likely && (await resultOf(fitted, likely))
  } catch (error) {
    if (isCodecError(error, 'over_budget') || isEngineError(error, 'webp')) return undefined
    throw error
  }
}

const mostEngineBytes = (options: Options) =>
  hasLargeMemoryBudget(options) ? options.memoryBudget : Math.min(options.memoryBudget, WEBP_MEMORY_MAX)
const megapixels = ({ options }: EncodeRequest, perPixel: number) => Math.floor((mostEngineBytes(options) - BASE_BYTES) / perPixel / 1e6)

type SearchResult = { quality: number; figures: WebpFigures }

/** libwebp's method for this picture. */
function methodFor({ width, height, channels }: Raster, { effort }: Options): number {
  const hasAlpha = channels === 2 || channels === 4
  const usual = METHODS.find(({ mostPixels }) => width * height <= mostPixels)?.method ?? FASTEST_METHOD
  const method = effort === 'fast' ? FASTEST_METHOD : effort === 'best' ? SLOWEST_METHOD : usual
  return hasAlpha ? Math.min(method, METHOD_WITH_ALPHA) : method
}

/** True if the tokens of a result of `bytes` bytes would use too much memory. */
const tokensExceedMemory = ({ width, height }: Raster, bytes: number) => 1.5 * width * height + TOKENS_PER_BYTE * bytes > MOST_TOKEN_BYTES

/** Searches for the quality on a sample, then encodes the whole picture, at a higher quality if it misses the target. */
async function toTarget({ encoder, method }: Lossy, raster: Raster, { target, options }: EncodeRequest): Promise<SearchResult> {
  const { width, height } = raster
  const bands = bandsOf(raster)
  const sampled = encoder.sample(bands) && width * height > 2 * SAMPLE_PIXELS
  const slack = sampled ? SAMPLE_SLACK : { ssim: 0, psnrDb: 0 }
  let bytes = 0
  let quality = await lowestThatHolds(QUALITY.lowest, QUALITY.highest, async (value) => {
    await yieldToEventLoop(options.signal)
    const made = encoder.encode({ quality: value, method }, sampled ? 'sample' : 'whole')
    const isReached = reaches(encoder.measure(), target, slack)
    if (isReached || bytes === 0) bytes = made // size of the last quality that reached the target
    return isReached
  })
  const frugal = sampled && tokensExceedMemory(raster, bytes * (height / (64 * bands)))
  for (;;) {
    await yieldToEventLoop(options.signal)
    encoder.encode({ quality, method, frugal })
    const figures = encoder.measure()
    if (quality >= QUALITY.highest || reaches(figures, target, TOLERANCE)) return { quality, figures }
    const missing = Math.max(
      (target.ssim - figures.ssim) / PER_QUALITY_STEP.ssim,
      (target.psnrDb - figures.psnrDb) / PER_QUALITY_STEP.psnrDb,
      1,
    )
    quality = Math.min(QUALITY.highest, quality + Math.min(PER_QUALITY_STEP.mostSteps, Math.ceil(missing)))
  }
}

async function toSize(
  { encoder, method }: Lossy,
  { width, height }: Raster,
  { options }: EncodeRequest,
  limit: number,
): Promise<SearchResult> {
  const frugal = width * height > FRUGAL_PIXELS
  const sizes = new Map<number, number>()
  const size = async (quality: number) => {
    await yieldToEventLoop(options.signal)
    const bytes = encoder.encode({ quality, method, frugal })
    sizes.set(quality, bytes)
    return bytes
  }
  const quality = await highestThatFits(1, 99, async (value) => (await size(value)) <= limit)
  await size(quality ?? 1)
  const figures = encoder.measure()
  if (quality !== undefined && reaches(figures, FLOORS)) return { quality, figures }
  const least = await lowestThatHolds(1, 99, async (value) => {
    await size(value)
    return reaches(encoder.measure(), FLOORS)
  })
  throw new TargetUnreachable(sizes.get(least) ?? (await size(least)))
}
