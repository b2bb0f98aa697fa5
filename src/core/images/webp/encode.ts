/** Encodes pictures as WebP with the lowest quality that reaches the target, or lossless if that is smaller. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { WEBP_MEMORY_MAX, WEBP_SIDE_MAX, WebpEncoder, type WebpFigures, WebpRows } from '../../../../wasm/webp/webp.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { perceptualTarget } from '../../catalog/small-pictures.ts'
import { FLOORS, reaches } from '../../catalog/target.ts'
import { message } from '../../i18n/message.ts'
import { highestThatFits, lowestThatHolds } from '../../metrics/search.ts'
import { fitsMemoryBudget, hasLargeMemoryBudget } from '../../model/budget.ts'
import type { Options } from '../../model/codec.ts'
import { isCodecError, overBudget, TargetUnreachable, unsupported } from '../../model/error.ts'
import { pixelLoss } from '../../model/loss.ts'
import { hasFewColours } from '../raster/few-colours.ts'
import { asRgba, type PictureMetadata, type Raster } from '../raster/raster.ts'
import type { EncodedPicture, EncodeRequest } from '../search/encode-request.ts'
import {
  isMeasuredInBands,
  isSteeredByScore,
  isUnacceptable,
  lowestPerceptualQuality,
  type PerceptualResult,
  perceptualFiguresOf,
  type QualityScale,
  scoreMarginPoints,
  withFewProbes,
} from '../search/perceptual-search.ts'
import { wrapWebp } from './container.ts'
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
  PERCEPTUAL_SCALE,
  QUALITY,
  ROW_BUFFER_BYTES,
  SAMPLE_PIXELS,
  SAMPLE_SLACK,
  SLOWEST_METHOD,
  TOKENS_PER_BYTE,
  TOLERANCE,
} from './tuning.ts'

const SCALE: QualityScale = {
  ...PERCEPTUAL_SCALE,
  highest: QUALITY.highest,
  coarseness: (quality) => -quality,
  qualityOf: (coarseness) => -coarseness,
}

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
  readonly scoreResult?: PerceptualResult<WebpFigures> | undefined
}

/**
 * Encodes lossily, with averaged chroma. If hues change between neighbouring pixels, it also tries chroma fitted by libsharpyuv at the
 * quality found, searches on from there if that scores higher, and returns the smaller file.
 */
async function encodeLossy(raster: Raster, carried: PictureMetadata, request: EncodeRequest): Promise<LossyResult> {
  const averaged = await encodeLossyWith(raster, carried, request, { planes: 'means' })
  const { scoreResult, hueContrast } = averaged
  if (request.options.effort === 'fast' && scoreResult?.reached) return averaged
  if (!scoreResult || hueContrast < FITTED_CHROMA_LIMITS.leastContrast || raster.width * raster.height > FITTED_CHROMA_LIMITS.mostPixels)
    return averaged
  const fitted = await encodeLossyWith(raster, carried, request, { planes: 'fitted', from: scoreResult }).catch((error: unknown) => {
    if (!isCodecError(error, 'over_budget')) throw error
  })
  if (!fitted?.scoreResult) return averaged
  const isSmaller = bytesOf(fitted.lossy) < bytesOf(averaged.lossy)
  return fitted.scoreResult.reached && (isSmaller || !scoreResult.reached) ? fitted : averaged
}

interface LossyForm {
  readonly planes: 'means' | 'fitted'
  /** End of the search with other planes, which these must beat. `undefined`: a search from the level's usual quality. */
  readonly from?: PerceptualResult<WebpFigures>
}

async function encodeLossyWith(
  raster: Raster,
  carried: PictureMetadata,
  request: EncodeRequest,
  { planes, from }: LossyForm,
): Promise<LossyResult & { readonly hueContrast: number }> {
  const { width, height, channels } = raster
  const perPixel = channels === 2 || channels === 4 ? ALPHA_BYTES_PER_PIXEL : LOSSY_BYTES_PER_PIXEL
  if (!fitsMemoryBudget(request.options, width * height * perPixel + BASE_BYTES, mostEngineBytes(request.options)))
    throw overBudget(message('too_many_pixels_for_webp', { width, height, megapixels: megapixels(request, perPixel) }))
  if (perPixel === ALPHA_BYTES_PER_PIXEL) request.options.estimated?.(mostEngineBytes(request.options) + ROW_BUFFER_BYTES)
  try {
    using encoder = new WebpEncoder(width, height, channels, planes)
    let rows = 0
    for await (const strip of raster.rows()) {
      encoder.write(strip)
      rows += strip.length / (width * channels)
      request.options.progress((0.3 * rows) / height)
      request.options.signal.throwIfAborted()
    }
    const lossy = { encoder, method: methodFor(raster, request.options) }
    const overhead = wrapWebp(new Uint8Array(30), carried, raster).reduce((sum, chunk) => sum + chunk.length, 0)
    const scoreResult = isSteeredByScore(raster, request) ? await toScore(lossy, raster, request, from) : undefined
    const { quality, figures } =
      scoreResult ??
      (request.targetSize === undefined
        ? await toTarget(lossy, raster, request)
        : await toSize(lossy, raster, request, request.targetSize - overhead))
    const chunks = wrapWebp(encoder.file(), carried, raster)
    const step = message(planes === 'fitted' ? 'webp_at_quality_chroma_fitted' : 'webp_at_quality', { quality })
    return {
      lossy: { chunks, loss: pixelLoss(figures), step, steeredByScore: scoreResult !== undefined, score: scoreResult?.perceptual.score },
      scoreResult,
      hueContrast: encoder.hueContrast,
    }
  } catch (error) {
    if (isEngineError(error, 'webp')) throw overBudget(message('webp_pixels_over_memory', { width, height }))
    throw error
  }
}

const mostEngineBytes = (options: Options) =>
  hasLargeMemoryBudget(options) ? options.memoryBudget : Math.min(options.memoryBudget, WEBP_MEMORY_MAX)
const megapixels = ({ options }: EncodeRequest, perPixel: number) => Math.floor((mostEngineBytes(options) - BASE_BYTES) / perPixel / 1e6)

type SearchResult = { quality: number; figures: WebpFigures }

/** Searches for the lowest quality that reaches the perceptual target, decoding each result as viewers do. */
async function toScore(
  { encoder, method }: Lossy,
  raster: Raster,
  { options }: EncodeRequest,
  from: PerceptualResult<WebpFigures> | undefined,
): Promise<PerceptualResult<WebpFigures>> {
  const { width, height } = raster
  const target = perceptualTarget(options, raster)
  const bands = bandsOf(raster)
  const first = from?.quality ?? target.usualQuality.webp
  const sampled = width * height > 2 * SAMPLE_PIXELS && encoder.sample(bands)
  let bytes = sampled ? (encoder.encode({ quality: first, method }, 'sample') * height) / (64 * bands) : 0
  const make = async (quality: number) => {
    await yieldToEventLoop(options.signal)
    const frugal = tokensExceedMemory(raster, bytes * NEXT_GROWTH)
    bytes = encoder.encode({ quality, method, frugal })
    return encoder.measure()
  }
  const probe = async () => {
    using rows = WebpRows.open(encoder.file(), width, height)
    if (!rows) throw new Error('the result of the WebP encoder cannot be decoded')
    return await perceptualFiguresOf(asRgba(raster), rows.strips())
  }
  return lowestPerceptualQuality(
    { encode: make, perceptualFigures: probe, bytes: () => bytes },
    target,
    isMeasuredInBands(raster) ? withFewProbes(SCALE) : SCALE,
    from && from.margin < FITTED_CHROMA_LIMITS.mostMargin
      ? { quality: first, otherMargin: from.margin, otherScoreMargin: scoreMarginPoints(from.perceptual, target) }
      : { quality: first },
  )
}

const bandsOf = ({ width }: Raster) => Math.max(4, Math.round(SAMPLE_PIXELS / width / 64))

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
