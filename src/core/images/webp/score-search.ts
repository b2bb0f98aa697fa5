/**
 * Searches for the WebP settings that reach a perceptual score: a fast method predicts the quality and the form of chroma, and encodings
 * with the method of the result search on from there.
 */
import { type WebpEncoder, WebpRows } from '../../../../wasm/webp/webp.ts'
import { log } from '../../bytes/same-math.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import type { PicturePerceptualTarget } from '../../catalog/levels.ts'
import { COLOUR_ALLOWANCE_DB, type ColourFigures } from '../../catalog/target.ts'
import type { PerceptualFigures } from '../../metrics/perceptual.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import { colourFiguresOf } from '../compare/colour-figures.ts'
import { comparePictures } from '../compare/compare.ts'
import { LEAST_RGB_PSNR_DB } from '../convert/tuning.ts'
import type { Raster } from '../raster/raster.ts'
import {
  isMeasuredInBands,
  lowestPerceptualQuality,
  lumaMargin,
  marginInPoints,
  type PerceptualResult,
  perceptualFiguresOf,
  type QualityScale,
  scoreMarginPoints,
  withFewProbes,
} from '../search/perceptual-search.ts'
import { nearestOf, type Prediction, predictions, qualityFrom, slopeOf } from '../search/prediction.ts'
import type { SampleRows } from './sample-rows.ts'
import { FAST_METHOD, FITTED_CHROMA_LIMITS, GAIN_OVER_FAST, PERCEPTUAL_SCALE, PREDICTION, QUALITY } from './tuning.ts'

export type Planes = 'means' | 'fitted'

/** Encoder that holds the planes of a picture. */
export interface FilledEncoder {
  readonly encoder: WebpEncoder
  readonly planes: Planes
  /** Rows of the encoder's sample. `undefined`: it has none. */
  readonly sample?: SampleRows | undefined
}

/** Picture of a search. */
export interface ScoreJob {
  /** Picture as RGBA. */
  readonly reference: Raster
  readonly target: PicturePerceptualTarget
  readonly signal: AbortSignal
  /** Method of the result. */
  readonly method: number
  /** Size of the upload in bytes. A result of this size is useless. */
  readonly sizeLimit: number
  /** True if tokens of a result of so many bytes must be computed twice, because they would use too much memory. */
  isFrugal(bytes: number): boolean
}

export interface ScoredEncoding extends PerceptualResult<ColourFigures> {
  readonly bytes: number
  /** Comparison of the last encoding with the picture, both as viewers show them. */
  readonly similarity: Similarity
}

/** Quality and form that are expected to reach the target. */
export interface LikelyForm {
  readonly quality: number
  readonly slope: number | undefined
}

const SCALE: QualityScale = {
  ...PERCEPTUAL_SCALE,
  highest: QUALITY.highest,
  coarseness: (quality) => -quality,
  qualityOf: (coarseness) => -coarseness,
}

interface FastProbe {
  readonly bytes: number
  readonly perceptual: PerceptualFigures
}

/** Encodes once with the fast method, the sample if there is one. The figures are corrected to those of the result's method. */
async function fastProbe({ encoder, sample }: FilledEncoder, job: ScoreJob, quality: number): Promise<Prediction<FastProbe>> {
  const { target, signal } = job
  await yieldToEventLoop(signal)
  const bytes = encoder.encode({ quality, method: FAST_METHOD }, sample ? 'sample' : 'whole')
  const reference = sample ?? job.reference
  using rows = decoded(encoder, reference)
  const found = await comparePictures(reference, rows.strips(), ['similarity', 'perceptual'])
  if (!found) throw new Error('the result has fewer rows than the picture')
  const { score = 0, worstTile = 0 } = found.perceptual
  const gain = gainOverFast(quality)
  const perceptual = { ...found.perceptual, score: score + gain, worstTile: worstTile + gain }
  const margin = Math.min(lumaMargin(figuresOf(found.similarity, target), target), marginInPoints(perceptual, target, SCALE))
  return { quality, margin, found: { bytes, perceptual } }
}

function gainOverFast(quality: number): number {
  const { usual, atUsual, perQuality, least, most } = GAIN_OVER_FAST
  return Math.min(most, Math.max(least, atUsual + perQuality * (quality - usual)))
}

/** Predicts the quality of the form of chroma that `filled` holds. */
export async function predictedForm(
  filled: FilledEncoder,
  job: ScoreJob,
): Promise<LikelyForm & { readonly nearest: Prediction<FastProbe> }> {
  const probes = await predictions((quality) => fastProbe(filled, job, quality), job.target.usualQuality.webp, SCALE, PREDICTION)
  const [nearest, slope] = [nearestOf(probes), slopeOf(probes, SCALE)]
  return { nearest, slope, quality: qualityFrom(nearest, slope ?? SCALE.pointsPerCoarseness, SCALE) }
}

/** Predicts the quality of fitted chroma. `undefined`: its file would not be smaller than that of averaged chroma. */
export async function smallerFittedForm(
  fitted: FilledEncoder,
  job: ScoreJob,
  { nearest: means, slope }: { readonly nearest: Prediction<FastProbe>; readonly slope: number | undefined },
): Promise<LikelyForm | undefined> {
  const probe = await fastProbe(fitted, job, means.quality)
  const size = ({ found, margin }: Prediction<FastProbe>) =>
    log(found.bytes) - FITTED_CHROMA_LIMITS.bytesPerPoint * Math.min(margin, scoreMarginPoints(found.perceptual, job.target))
  if (size(probe) >= size(means)) return undefined
  return { slope, quality: qualityFrom(probe, slope ?? SCALE.pointsPerCoarseness, SCALE) }
}

/** Searches with the method of the result. The encoder then holds the file of the returned quality. */
export async function encodedToScore({ encoder }: FilledEncoder, job: ScoreJob, { quality, slope }: LikelyForm): Promise<ScoredEncoding> {
  const { reference, target, signal, method } = job
  const inBands = isMeasuredInBands(reference)
  let bytes = 0
  let last: { readonly similarity: Similarity; readonly perceptual: PerceptualFigures } | undefined
  const measured = () => {
    if (!last) throw new Error('no encoding exists yet: call encode() first')
    return last
  }
  const encode = async (tried: number) => {
    await yieldToEventLoop(signal)
    bytes = encoder.encode({ quality: tried, method, frugal: job.isFrugal(bytes) })
    using rows = decoded(encoder, reference)
    const found = await comparePictures(reference, rows.strips(), inBands ? ['similarity'] : ['similarity', 'perceptual'])
    if (!found) throw new Error('the result has fewer rows than the picture')
    last = { similarity: found.similarity, perceptual: inBands ? await figuresInBands() : found.perceptual }
    return figuresOf(last.similarity, target)
  }
  const figuresInBands = async () => {
    using rows = decoded(encoder, reference)
    return await perceptualFiguresOf(reference, rows.strips())
  }
  const known = slope === undefined ? SCALE : { ...SCALE, pointsPerCoarseness: slope }
  const trials = {
    encode,
    perceptualFigures: async () => measured().perceptual,
    bytes: () => bytes,
    isPointless: () => bytes >= job.sizeLimit,
  }
  const found = await lowestPerceptualQuality(trials, target, inBands ? withFewProbes(known) : known, { quality })
  return { ...found, bytes, similarity: measured().similarity }
}

function decoded(encoder: WebpEncoder, { width, height }: Pick<Raster, 'width' | 'height'>): WebpRows {
  const rows = WebpRows.open(encoder.file(), width, height)
  if (!rows) throw new Error('the result of the WebP encoder cannot be decoded')
  return rows
}

/**
 * Figures of the search. WebP halves chroma at every quality, so colours only have to keep the floor of conversions, which the search's
 * allowance would otherwise exceed.
 */
function figuresOf(similarity: Similarity, { floor }: PicturePerceptualTarget): ColourFigures {
  const figures = colourFiguresOf(similarity)
  return { ...figures, colourPsnrDb: figures.colourPsnrDb + floor.psnrDb - COLOUR_ALLOWANCE_DB - LEAST_RGB_PSNR_DB }
}
