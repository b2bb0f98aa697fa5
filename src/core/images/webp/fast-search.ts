/** Predicts the quality and the form of chroma of a WebP with a fast method, on a cut of the picture if it has one. */
import { WebpEncoder } from '../../../../wasm/webp/webp.ts'
import { log } from '../../bytes/same-math.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import type { PerceptualFigures } from '../../metrics/perceptual.ts'
import { comparePictures } from '../compare/compare.ts'
import { cachedIfSmall } from '../raster/cached-raster.ts'
import { asRgba, type Raster } from '../raster/raster.ts'
import { lumaMargin, marginInPoints, scoreMarginPoints } from '../search/perceptual-search.ts'
import { nearestOf, type Prediction, predictions, qualityFrom, slopeOf } from '../search/prediction.ts'
import { alphaOf, channelsOfColours, coloursOf } from './alpha.ts'
import type { Cut } from './cut.ts'
import { decoded, encode, type FilledEncoder, figuresOf, type LikelyForm, type Planes, SCALE, type ScoreJob } from './score-search.ts'
import { CUT, FAST_METHOD, FITTED_CHROMA_LIMITS, GAIN_OVER_FAST, PREDICTION, SLOWEST_METHOD } from './tuning.ts'

interface FastProbe {
  readonly bytes: number
  readonly perceptual: PerceptualFigures
}

/** Prediction of both forms of chroma. */
export interface LikelyForms {
  readonly means: LikelyForm & { readonly nearest: Prediction<FastProbe> }
  /** Fitted chroma, or `larger` if averaged chroma gives fewer bytes. `undefined`: not known yet. */
  readonly fitted?: LikelyForm | 'larger' | undefined
}

/** Picture, or the cut of it, that fast probes encode. */
interface Probed {
  readonly form: FilledEncoder
  /** Rows of the picture or the cut as RGBA. */
  readonly reference: Raster
}

/** Encodes once with the fast method. The figures are corrected to those of the whole picture with the result's method. */
async function fastProbe({ form, reference }: Probed, job: ScoreJob, quality: number): Promise<Prediction<FastProbe>> {
  const { target, signal, method } = job
  await yieldToEventLoop(signal)
  const bytes = encode(form, { quality, method: FAST_METHOD })
  using rows = decoded(form, reference)
  const found = await comparePictures(reference, rows.strips(), ['similarity', 'perceptual'])
  if (!found) throw new Error('the result has fewer rows than the picture')
  const { score = 0, worstTile = 0 } = found.perceptual
  const bitsPerPixel = (8 * bytes) / (reference.width * reference.height)
  const gain = gainOverFast(method, quality, bitsPerPixel)
  const perceptual = { ...found.perceptual, score: score + gain, worstTile: worstTile + gain }
  const margin = Math.min(lumaMargin(figuresOf(found.similarity, target), target), marginInPoints(perceptual, target, SCALE))
  return { quality, margin, found: { bytes, perceptual } }
}

function gainOverFast(method: number, quality: number, bitsPerPixel: number): number {
  const { base, perQuality, perLogBits, least, most } = GAIN_OVER_FAST[method === SLOWEST_METHOD ? 'slow' : 'usual']
  return Math.min(most, Math.max(least, base + perQuality * (quality - 72) + perLogBits * log(bitsPerPixel)))
}

/**
 * Predicts the qualities of both forms of chroma with fast probes. `means`: encoder of the whole picture. `competes`: true if fitted chroma
 * may be smaller; only a cut with as many hues as the picture can decide that.
 */
export async function likelyForms(means: FilledEncoder, cut: Cut | undefined, job: ScoreJob, competes: boolean): Promise<LikelyForms> {
  const alpha = cut && (await alphaOf(cut, FAST_METHOD, job.signal))
  const form = cut && (await filledWithCut(cut, 'means', alpha))
  using encoder = form?.encoder
  const hasHues = !competes || (encoder && encoder.hueContrast >= CUT.leastHues * means.encoder.hueContrast)
  if (!cut || !form || !hasHues) return { means: await predictedForm({ form: means, reference: job.reference }, job) }
  const reference = cachedIfSmall(asRgba(cut))
  const likely = await predictedForm({ form, reference }, job)
  if (!competes) return { means: likely }
  const fitted = await filledWithCut(cut, 'fitted', alpha)
  using _ = fitted.encoder
  return { means: likely, fitted: (await smallerForm({ form: fitted, reference }, job, likely)) ?? 'larger' }
}

async function filledWithCut(cut: Cut, planes: Planes, alpha: Uint8Array | undefined): Promise<FilledEncoder> {
  const encoder = new WebpEncoder(cut.width, cut.height, channelsOfColours(cut), planes)
  for await (const strip of cut.rows()) encoder.write(coloursOf(strip, cut))
  return { encoder, planes, alpha }
}

async function predictedForm(probed: Probed, job: ScoreJob) {
  const probes = await predictions((quality) => fastProbe(probed, job, quality), job.target.usualQuality.webp, SCALE, PREDICTION)
  const [nearest, slope] = [nearestOf(probes), slopeOf(probes, SCALE)]
  return { nearest, slope, quality: qualityFrom(nearest, slope ?? SCALE.pointsPerCoarseness, SCALE) }
}

/** Predicts the quality of fitted chroma of the whole picture. `undefined`: its file would not be smaller than that of averaged chroma. */
export const smallerFittedForm = (form: FilledEncoder, job: ScoreJob, means: LikelyForms['means']): Promise<LikelyForm | undefined> =>
  smallerForm({ form, reference: job.reference }, job, means)

async function smallerForm(fitted: Probed, job: ScoreJob, { nearest, slope }: LikelyForms['means']): Promise<LikelyForm | undefined> {
  const probe = await fastProbe(fitted, job, nearest.quality)
  const size = ({ found, margin }: Prediction<FastProbe>) =>
    log(found.bytes) - FITTED_CHROMA_LIMITS.bytesPerPoint * Math.min(margin, scoreMarginPoints(found.perceptual, job.target))
  if (size(probe) >= size(nearest)) return undefined
  return { slope, quality: qualityFrom(probe, slope ?? SCALE.pointsPerCoarseness, SCALE) }
}
