/** Encodes pictures as WebP with the lowest quality that reaches the target, or lossless if that is smaller. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import { WEBP_SIDE_MAX, WebpEncoder } from '../../../../wasm/webp/webp.ts'
import { perceptualTarget } from '../../catalog/small-pictures.ts'
import { message } from '../../i18n/message.ts'
import { fitsMemoryBudget } from '../../model/budget.ts'
import type { Options } from '../../model/codec.ts'
import { isCodecError, overBudget, unsupported } from '../../model/error.ts'
import { pixelLoss } from '../../model/loss.ts'
import { cachedIfSmall } from '../raster/cached-raster.ts'
import { hasFewColours } from '../raster/few-colours.ts'
import { asRgba, type PictureMetadata, type Raster } from '../raster/raster.ts'
import type { EncodedPicture, EncodeRequest } from '../search/encode-request.ts'
import { isMeasuredInBands, isSteeredByScore, isUnacceptable } from '../search/perceptual-search.ts'
import { alphaOf, channelsOfColours, coloursOf, hasAlpha } from './alpha.ts'
import { wrapWebp } from './container.ts'
import { type Cut, cutOf } from './cut.ts'
import { bytesOf, ExactForm, encodeExact, mostEngineBytes } from './exact-form.ts'
import { type LikelyForms, likelyForms, smallerFittedForm } from './fast-search.ts'
import { tokensExceedMemory, toSize, toTarget } from './luma-search.ts'
import {
  encodedToScore,
  type FilledEncoder,
  fileOf,
  type LikelyForm,
  type Planes,
  type ScoredEncoding,
  type ScoreJob,
} from './score-search.ts'
import {
  ALPHA_BYTES_PER_PIXEL,
  BASE_BYTES,
  CUT,
  FASTEST_METHOD,
  FITTED_CHROMA_LIMITS,
  LOSSY_BYTES_PER_PIXEL,
  METHOD_WITH_ALPHA,
  METHODS,
  MOST_KEPT_BYTES,
  NEXT_GROWTH,
  ROW_BUFFER_BYTES,
  SLOWEST_METHOD,
} from './tuning.ts'

export async function encodeWebp(decoded: Raster, carried: PictureMetadata, request: EncodeRequest): Promise<EncodedPicture> {
  const { width, height } = decoded
  const { targetSize } = request
  if (Math.max(width, height) > WEBP_SIDE_MAX) throw unsupported(message('webp_ends_at_pixels_side', { limit: WEBP_SIDE_MAX }))
  if (request.lossless) {
    const exact = await encodeExact(decoded, carried, request)
    if (exact) return exact
    throw overBudget(message('too_many_pixels_for_exact_webp', { width, height }))
  }
  const raster = keptIfRoom(decoded, request)
  const form = new ExactForm(raster, carried, request)
  const mayBeExact = request.pristine && (targetSize !== undefined || (await hasFewColours(raster)))
  const fits = mayBeExact && targetSize !== undefined ? await form.within(targetSize) : undefined
  if (fits) return fits
  if (Math.min(width, height) < 11) {
    const exact = mayBeExact ? await encodeExact(raster, carried, request) : undefined
    if (exact) return exact
    throw unsupported('too_small_to_be_measured')
  }
  const isExactTried = mayBeExact && targetSize === undefined
  const sizeLimit = isExactTried ? Math.min(request.sizeLimit, await form.mostBytes()) : request.sizeLimit
  const { lossy, scoreResult } = await encodeLossy(raster, carried, { ...request, sizeLimit })
  if (scoreResult?.reached !== false) return (isExactTried ? await form.within(bytesOf(lossy)) : undefined) ?? lossy
  // The lossy result misses the level, mostly in the colours of thin strokes, because WebP halves chroma at every quality. A lossless
  // result replaces it if it is small enough.
  const instead = await form.within(request.sizeLimit - 1)
  if (instead) return instead
  if (isUnacceptable(scoreResult)) throw unsupported('colours_webp_does_not_keep')
  return lossy
}

/** Returns the picture with its samples in memory, if there is room, so that a search does not decode the original for every probe. */
function keptIfRoom(raster: Raster, { options }: EncodeRequest): Raster {
  const { width, height, channels } = raster
  const bytes = width * height * channels
  if (
    hasAlpha(raster) ||
    bytes > MOST_KEPT_BYTES ||
    !fitsMemoryBudget(options, width * height * LOSSY_BYTES_PER_PIXEL + bytes + BASE_BYTES)
  )
    return raster
  return cachedIfSmall(raster, bytes, MOST_KEPT_BYTES)
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
    using encoder = (await filled(raster, request, { planes: 'means', isOpaque: false })).encoder
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
  const perPixel = hasAlpha({ channels }) ? ALPHA_BYTES_PER_PIXEL : LOSSY_BYTES_PER_PIXEL
  if (!fitsMemoryBudget(request.options, width * height * perPixel + BASE_BYTES, mostEngineBytes(request.options)))
    throw overBudget(message('too_many_pixels_for_webp', { width, height, megapixels: megapixels(request, perPixel) }))
  if (perPixel === ALPHA_BYTES_PER_PIXEL) request.options.estimated?.(mostEngineBytes(request.options) + ROW_BUFFER_BYTES)
}

/** What an encoder gets. */
interface Filling {
  readonly planes: Planes
  /** True if it gets the colours without alpha. */
  readonly isOpaque: boolean
  /** Takes the rows of the picture, too. */
  readonly cut?: Cut | undefined
}

/** Opens an encoder with the planes of the picture. */
async function filled(raster: Raster, { options }: EncodeRequest, { planes, isOpaque, cut }: Filling): Promise<FilledEncoder> {
  const { width, height, channels } = raster
  const encoder = new WebpEncoder(width, height, isOpaque ? channelsOfColours(raster) : channels, planes)
  try {
    let rows = 0
    for await (const strip of raster.rows()) {
      encoder.write(isOpaque ? coloursOf(strip, raster) : strip)
      cut?.add(strip)
      rows += strip.length / (width * channels)
      options.progress((0.3 * rows) / height)
      options.signal.throwIfAborted()
    }
    return { encoder, planes }
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
  const isBest = options.effort === 'best'
  const job: ScoreJob = {
    picture: raster,
    reference: cachedIfSmall(asRgba(raster)),
    target: perceptualTarget(options, raster),
    signal: options.signal,
    sizeLimit: request.sizeLimit,
    method: methodFor(raster, options),
    isFrugal: (bytes) => tokensExceedMemory(raster, bytes * NEXT_GROWTH),
  }
  const alpha = await alphaOf(raster, job.method, options.signal)
  const open = async (planes: Planes, cut?: Cut): Promise<FilledEncoder> => ({
    ...(await filled(raster, request, { planes, isOpaque: true, cut })),
    alpha,
  })
  const resultOf = (form: FilledEncoder, likely: LikelyForm) => resultToScore(form, job, likely, carried)
  const isEnough = (result: LossyResult | undefined): result is LossyResult => result?.scoreResult?.reached === true && !isBest
  let averaged: LossyResult | undefined
  let forms: LikelyForms
  {
    const mayCompete = options.effort !== 'fast' && raster.channels > 2 && isUpTo(FITTED_CHROMA_LIMITS.mostPixels, raster)
    const cut = mayCompete || isLargeAndOpaque(raster) ? cutOf(raster) : undefined
    const means = await open('means', cut)
    using encoder = means.encoder
    const competes = mayCompete && encoder.hueContrast >= FITTED_CHROMA_LIMITS.leastContrast
    if (!competes && !isWorthPredicting(raster, job, request))
      return await resultOf(means, { quality: job.target.usualQuality.webp, slope: undefined })
    forms = await likelyForms(means, cut, job, competes)
    if (!competes || forms.fitted === 'larger') averaged = await resultOf(means, forms.means)
    if (averaged && (!competes || (isEnough(averaged) && !isAbovePrediction(averaged, forms.means)))) return averaged
  }
  const fitted = averaged ? undefined : await fittedResult(open, job, forms, resultOf)
  if (isEnough(fitted)) return fitted
  if (!averaged) {
    const again = await open('means')
    using _ = again.encoder
    averaged = await resultOf(again, forms.means)
    if (isEnough(averaged)) return averaged
  }
  const wanted = { ...forms.means, quality: averaged.scoreResult?.quality ?? forms.means.quality }
  const other = fitted ?? (await fittedResult(open, job, { means: forms.means, fitted: wanted }, resultOf))
  if (!other?.scoreResult?.reached) return averaged
  return !averaged.scoreResult?.reached || bytesOf(other.lossy) < bytesOf(averaged.lossy) ? other : averaged
}

/** True if a quality is so far above the prediction of a cut that the cut probably chose the wrong form of chroma. */
const isAbovePrediction = ({ scoreResult }: LossyResult, { quality }: LikelyForm): boolean =>
  scoreResult !== undefined && scoreResult.quality > quality + CUT.mostQualityError

/** Searches the quality of a form that is likely the best. */
async function resultToScore(form: FilledEncoder, job: ScoreJob, likely: LikelyForm, carried: PictureMetadata): Promise<LossyResult> {
  const found = await encodedToScore(form, job, likely)
  const step = message(form.planes === 'fitted' ? 'webp_at_quality_chroma_fitted' : 'webp_at_quality', { quality: found.quality })
  const { similarity, perceptual } = found
  const { score } = perceptual
  const scoreOfFile = isMeasuredInBands(job.reference) ? undefined : score
  const chunks = wrapWebp(fileOf(form, job.picture), carried, job.picture)
  const figures = { loss: pixelLoss(similarity), similarity, steeredByScore: true, score, scoreOfFile }
  return { lossy: { chunks, step, ...figures }, scoreResult: found }
}

/**
 * True if fast probes pay although only one form is tried: they see a cut only, or save probes of the slowest method. Most photographs that
 * were compressed before end near the usual quality.
 */
const isWorthPredicting = (raster: Raster, { method }: ScoreJob, { pristine, options }: EncodeRequest) =>
  isLargeAndOpaque(raster) || (pristine && method === SLOWEST_METHOD && options.effort !== 'fast')

const isUpTo = (mostPixels: number, { width, height }: Raster) => width * height <= mostPixels

/** True if a picture without hues is predicted from a cut. */
const isLargeAndOpaque = (raster: Raster) => !hasAlpha(raster) && !isUpTo(CUT.largePixels, raster) && !isMeasuredInBands(raster)

/** Result with fitted chroma. `undefined`: averaged chroma is smaller, or memory does not suffice. */
async function fittedResult(
  open: (planes: Planes) => Promise<FilledEncoder>,
  job: ScoreJob,
  { means, fitted: known }: LikelyForms,
  resultOf: (form: FilledEncoder, likely: LikelyForm) => Promise<LossyResult>,
): Promise<LossyResult | undefined> {
  if (known === 'larger') return undefined
  try {
    const fitted = await open('fitted')
    using _ = fitted.encoder
    const likely = known ?? (await smallerFittedForm(fitted, job, means))
    return likely && (await resultOf(fitted, likely))
  } catch (error) {
    if (isCodecError(error, 'over_budget') || isEngineError(error, 'webp')) return undefined
    throw error
  }
}

const megapixels = ({ options }: EncodeRequest, perPixel: number) => Math.floor((mostEngineBytes(options) - BASE_BYTES) / perPixel / 1e6)

/** libwebp's method for this picture. */
function methodFor({ width, height, channels }: Raster, { effort }: Options): number {
  const usual = METHODS.find(({ mostPixels }) => width * height <= mostPixels)?.method ?? FASTEST_METHOD
  const method = effort === 'fast' ? FASTEST_METHOD : effort === 'best' ? SLOWEST_METHOD : usual
  return hasAlpha({ channels }) ? Math.min(method, METHOD_WITH_ALPHA) : method
}
