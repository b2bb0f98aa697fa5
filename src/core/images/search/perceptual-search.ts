/**
 * Searches for the lowest encoder quality at which a picture reaches the perceptual score of its level. Luma SSIM and PSNR alone protect
 * invisible noise and miss visible banding and colour casts.
 */
import { log } from '../../bytes/same-math.ts'
import type { PicturePerceptualTarget } from '../../catalog/levels.ts'
import { COLOUR_ALLOWANCE_DB, type ColourFigures } from '../../catalog/target.ts'
import { MAX_MEASURED_WIDTH, MIN_SCORED_SIDE, type PerceptualFigures } from '../../metrics/perceptual.ts'
import { bandsOf } from '../compare/bands.ts'
import { comparePictures } from '../compare/compare.ts'
import type { Strips } from '../compare/paired-rows.ts'
import type { Raster } from '../raster/raster.ts'
import type { EncodeRequest } from './encode-request.ts'
import {
  AIM_POINTS,
  BEST_SEARCH,
  CLOSE_POINTS,
  EXTRA_PROBES_AFTER_FAR,
  EXTRA_PROBES_OF_WANTED_SCORE,
  FAR_POINTS,
  FAST_SEARCH,
  LEAST_LEAD_POINTS,
  LEAST_SCORE,
  LUMA_PER_POINT,
  MOST_MEASURED_PIXELS,
  MOST_MISSES,
  MOST_RULED_OUT,
  MOST_STEPS,
  POINTS_PER_WINDOW,
  WIDE_POINTS,
} from './tuning.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** True if the perceptual score can be measured for a picture of this size. */
export const canBeScored = ({ width, height }: Size): boolean => Math.min(width, height) >= MIN_SCORED_SIDE && width <= MAX_MEASURED_WIDTH

/** True if the perceptual score steers the search, instead of luma SSIM and PSNR. */
export const isSteeredByScore = (raster: Raster, { targetSize, byLuma }: Pick<EncodeRequest, 'targetSize' | 'byLuma'>): boolean =>
  targetSize === undefined && !byLuma && canBeScored(raster)

/** Quality range of an encoder, and how its score depends on quality. */
export interface QualityScale {
  readonly lowest: number
  readonly highest: number
  /** Measure of coarseness in which the score falls linearly. */
  coarseness(quality: number): number
  qualityOf(coarseness: number): number
  /** Score points lost for each unit of coarseness (first guess of the search). */
  readonly pointsPerCoarseness: number
  /** Most probes in a search in which one of them reaches the target. */
  readonly mostProbes: number
  /**
   * Most probes in a search in which none reaches the target; the best probe is then the result. Default: `MOST_MISSES`, followed by the
   * highest quality.
   */
  readonly mostMisses?: number
  /** Factor by which the worst tile's score falls faster than the score of the whole picture. Default: 1. */
  readonly tileSlope?: number
  /**
   * True if a probe takes longer than an encoding. Qualities that luma rules out are then not probed once another quality reaches the
   * target.
   */
  readonly skipsRuledOutProbes?: boolean
  /** Score points that replace `CLOSE_POINTS` and `AIM_POINTS`. `undefined`: those constants. */
  readonly closePoints?: number
  readonly aimPoints?: number
  /** Points above the target from which further probes are made. `undefined`: `WIDE_POINTS`, or never in searches of two probes. */
  readonly widePoints?: number
  /** True if the next quality also takes into account the line between the nearest probes below and above the target. */
  readonly interpolates?: boolean
  /** Most score points that casts and steps may demand. They come from the worst window, which a higher quality may not improve. */
  readonly mostAskedByWindows: number
}

/**
 * Returns the scale with limits for pictures that are measured in bands. An encoding takes half a minute, so two probes should suffice,
 * one or two points above the target.
 */
export const withFewProbes = (scale: QualityScale): QualityScale => ({
  ...scale,
  mostProbes: 4,
  closePoints: 4,
  aimPoints: 1.5,
  interpolates: true,
})

/** True if a picture of this size is measured in bands. */
export const isMeasuredInBands = ({ width, height }: Size): boolean => width * height > MOST_MEASURED_PIXELS

/** Encoder that a search calls for each quality. `perceptualFigures()` refers to the last encoding. */
export interface QualityTrials<Figures extends ColourFigures> {
  encode(quality: number): Promise<Figures>
  /** Perceptual figures of the last encoding, compared with the original. */
  perceptualFigures(): Promise<PerceptualFigures>
  /** Size of the last encoding in bytes, or an estimate. */
  bytes(): number
  /**
   * True if no result that reaches the target will be smaller than the source. @param margin score points of the last encoding above the
   * target; negative: below
   */
  isPointless?(margin: number): boolean
}

/** Quality at which a search ended, with its margin. */
interface SearchEnd {
  readonly quality: number
  /** Score points above the target at the end of the search. */
  readonly margin: number
}

export interface PerceptualResult<Figures extends ColourFigures> extends SearchEnd {
  readonly figures: Figures
  /** True if the target is reached. */
  readonly reached: boolean
  readonly perceptual: PerceptualFigures
}

/** True if the score is so far below the target that the result must be rejected. */
export const isUnacceptable = ({ reached, perceptual: visible }: PerceptualResult<ColourFigures>): boolean =>
  !reached && (visible.score ?? 0) < LEAST_SCORE

/** Quality with its known margin above or below the target. */
export interface QualityMargin {
  readonly quality: number
  /** Score points above the target at this quality; negative: below. */
  readonly margin: number
}

interface Probe<Figures extends ColourFigures> extends Omit<PerceptualResult<Figures>, 'reached'> {
  readonly bytes: number
}

/** First quality of a search, and what is already known. */
export interface SearchStart {
  readonly quality: number
  /**
   * Margin in score points of another form of the picture at this quality. The search goes on only if this form has a larger margin.
   * `undefined`: always.
   */
  readonly otherMargin?: number | undefined
  /** Score margin (`scoreMarginPoints`) of that form, which counts if its lead is larger. `undefined`: only `otherMargin` counts. */
  readonly otherScoreMargin?: number | undefined
  /** Lower qualities whose luma is below its floor, so that they need no probe. */
  readonly ruledOut?: readonly QualityMargin[]
  /** Predicts the search after its first probe. `undefined`: along the usual slope. */
  readonly foretell?: ((first: QualityMargin) => Foretold) | undefined
}

/** Prediction from a part of the picture. */
export interface Foretold {
  /** Second quality to try. */
  readonly quality: number
  /** Highest quality below the first one that will surely miss the target, so that it needs no probe. */
  readonly ruledOut?: QualityMargin | undefined
}

/**
 * Searches for the lowest quality that reaches the target. It returns the probe with the fewest bytes that reaches the target, or else
 * the one with the highest quality. The returned quality is the last one that was encoded.
 */
export async function lowestPerceptualQuality<Figures extends ColourFigures>(
  trials: QualityTrials<Figures>,
  target: PicturePerceptualTarget,
  usualScale: QualityScale,
  { quality: first, otherMargin, otherScoreMargin = Number.POSITIVE_INFINITY, ruledOut = [], foretell }: SearchStart,
): Promise<PerceptualResult<Figures>> {
  const scale = scaleOfEffort(usualScale, target)
  const probes: Probe<Figures>[] = []
  const ruledOutQualities: QualityMargin[] = [...ruledOut]
  let last = first
  for (let quality: number | undefined = first; quality !== undefined; ) {
    last = quality
    const figures = await trials.encode(quality)
    const luma = lumaMargin(figures, target)
    if (scale.skipsRuledOutProbes && luma < 0 && probes.some(reachesTarget)) {
      ruledOutQualities.push({ quality, margin: luma })
      quality = ruledOutQualities.length > MOST_RULED_OUT ? undefined : nextQuality(probes, ruledOutQualities, scale)
      continue
    }
    const visible = await trials.perceptualFigures()
    const margin = Math.min(luma, marginInPoints(visible, target, scale))
    probes.push({ quality, figures, margin, perceptual: visible, bytes: trials.bytes() })
    const lead = (other: number) => Math.max(margin - other, scoreMarginPoints(visible, target, scale.tileSlope) - otherScoreMargin)
    const isPointless =
      otherMargin !== undefined && probes.length === 1 ? lead(otherMargin) < LEAST_LEAD_POINTS : trials.isPointless?.(margin)
    const foretold = probes.length === 1 ? foretell?.({ quality, margin }) : undefined
    if (foretold?.ruledOut) ruledOutQualities.push(foretold.ruledOut)
    quality = isPointless ? undefined : nextQuality(probes, ruledOutQualities, scale, foretold?.quality)
  }
  const best = bestOf(probes)
  if (best.quality !== last) await trials.encode(best.quality)
  return { ...best, reached: reachesTarget(best) }
}

/**
 * Adapts a search to the effort and to a score that the caller asked for. The probes of `best` begin with those of `balanced`, so that its
 * result is not larger.
 */
function scaleOfEffort(scale: QualityScale, { isWantedScore, effort }: PicturePerceptualTarget): QualityScale {
  if (scale.mostProbes < 3) return scale
  if (effort === 'fast') return { ...scale, ...FAST_SEARCH, mostProbes: Math.min(scale.mostProbes, FAST_SEARCH.mostProbes) }
  const patient = isWantedScore ? { ...scale, mostProbes: scale.mostProbes + EXTRA_PROBES_OF_WANTED_SCORE } : scale
  if (effort !== 'best') return patient
  return { ...patient, closePoints: BEST_SEARCH.closePoints, mostProbes: patient.mostProbes + BEST_SEARCH.extraProbes }
}

/**
 * Perceptual figures of `rows`, which have the channels of `reference`. @param most pixels that are measured; larger pictures are measured
 * in bands, spread evenly
 */
export async function perceptualFiguresOf(reference: Raster, rows: Strips, most = MOST_MEASURED_PIXELS): Promise<PerceptualFigures> {
  const found = await comparePictures(reference, rows, ['perceptual'], bandsOf(reference, most))
  if (!found) throw new Error('the result has fewer rows than the picture')
  return found.perceptual
}

/** Margin of luma SSIM and PSNR above their floors, in score points. */
export const lumaMargin = ({ ssim, psnrDb, colourPsnrDb }: ColourFigures, { floor }: PicturePerceptualTarget) =>
  Math.min(
    (ssim - floor.ssim) / LUMA_PER_POINT.ssim,
    (psnrDb - floor.psnrDb) / LUMA_PER_POINT.psnrDb,
    (colourPsnrDb + COLOUR_ALLOWANCE_DB - floor.psnrDb) / LUMA_PER_POINT.psnrDb,
  )

/** Score points above the target: the lower margin of the whole picture and of its worst tile. */
export const scoreMarginPoints = (
  { score = 0, worstTile = 0 }: PerceptualFigures,
  target: PicturePerceptualTarget,
  tileSlope = 1,
): number => Math.min(score - target.score, (worstTile - target.worstTile) / tileSlope)

/** Margin above the target in score points: the lowest of score, worst tile, casts and steps. */
export function marginInPoints(
  visible: PerceptualFigures,
  target: PicturePerceptualTarget,
  { mostAskedByWindows, tileSlope }: QualityScale,
): number {
  const { cast, steps } = visible
  const scored = scoreMarginPoints(visible, target, tileSlope)
  const windows = POINTS_PER_WINDOW * Math.min(log(target.cast / Math.max(cast, 1e-3)), log(target.steps / Math.max(steps, 1e-3)))
  return Math.min(scored, Math.max(windows, scored - mostAskedByWindows))
}

/**
 * Returns the smallest encoding that reaches the target, or the better one of two that are as large. If none reaches it, the highest
 * quality.
 */
function bestOf<Figures extends ColourFigures>(probes: readonly Probe<Figures>[]): Probe<Figures> {
  const reached = probes.filter(reachesTarget)
  const [first, ...others] = reached.length > 0 ? reached : probes
  if (!first) throw new RangeError('the search has no probe')
  if (reached.length === 0) return others.reduce((best, probe) => (probe.quality >= best.quality ? probe : best), first)
  const isBetter = (one: Probe<Figures>, other: Probe<Figures>) =>
    one.bytes < other.bytes || (one.bytes === other.bytes && (one.perceptual.score ?? 0) > (other.perceptual.score ?? 0))
  return others.reduce((best, probe) => (isBetter(probe, best) ? probe : best), first)
}

/** Next quality to probe. `undefined`: nothing to gain. `predicted`: quality that replaces the usual slope. */
function nextQuality(
  probes: readonly QualityMargin[],
  ruledOutQualities: readonly QualityMargin[],
  scale: QualityScale,
  predicted?: number,
): number | undefined {
  const above = probes.filter(reachesTarget).toSorted((a, b) => a.quality - b.quality)[0]
  const below = [...probes, ...ruledOutQualities]
    .filter(({ margin, quality }) => margin < 0 && quality < (above?.quality ?? scale.highest + 1))
    .toSorted((a, b) => b.quality - a.quality)[0]
  const wasFar = probes.some(isFar)
  const isWide = above && above.margin > (scale.widePoints ?? (scale.mostProbes >= 3 ? WIDE_POINTS : Number.POSITIVE_INFINITY))
  const last = above ? scale.mostProbes + (wasFar || isWide ? EXTRA_PROBES_AFTER_FAR : 0) : (scale.mostMisses ?? MOST_MISSES)
  const [first, end] = [(below?.quality ?? scale.lowest - 1) + 1, (above?.quality ?? scale.highest + 1) - 1]
  if (first > end || (above && above.margin < (scale.closePoints ?? CLOSE_POINTS))) return undefined
  if (probes.length >= last) return above || scale.mostMisses ? undefined : scale.highest
  const extrapolated = predicted ?? Math.max(acrossPlateau(probes, scale), alongSlope(probes, scale, above && wasFar))
  // If quality collapses within a few steps, the slope only leads back to the collapsed range. Bisect instead.
  const next = above && below && (isFar(below) || (!wasFar && extrapolated < first && end > first)) ? between(below, above) : extrapolated
  const interpolated = scale.interpolates && above && below ? alongSlope([below, above], scale, true) : next
  const chosen = first <= next && next <= end ? (next + interpolated) / 2 : interpolated
  return Math.min(end, Math.max(first, Math.round(chosen)))
}

const reachesTarget = ({ margin }: QualityMargin) => margin >= 0
const isFar = ({ margin }: QualityMargin) => margin < -FAR_POINTS

/** Midpoint of two estimates: the middle of both qualities, and the point where a line between them meets the target. */
function between(below: QualityMargin, above: QualityMargin): number {
  const share = above.margin / (above.margin - below.margin)
  return above.quality - (above.quality - below.quality) * ((share + 0.5) / 2)
}

/**
 * Next quality on a plateau, where the score hardly rises and no probe reaches the target. Steps grow, because small steps would end at
 * the highest quality, above what a gentler level needs. 0: no plateau.
 */
function acrossPlateau(probes: readonly QualityMargin[], { coarseness, pointsPerCoarseness }: QualityScale): number {
  const [last, previous] = probes.toSorted((a, b) => b.quality - a.quality)
  if (!last || !previous || probes.some(reachesTarget)) return 0
  const risen = last.margin - previous.margin
  const usual = pointsPerCoarseness * (coarseness(previous.quality) - coarseness(last.quality))
  return risen < usual / 4 ? last.quality + Math.min(MOST_STEPS, 2 * (last.quality - previous.quality)) : 0
}

/** Next quality by linear extrapolation through the two probes nearest to the target. The slope is limited unless `anySlope`. */
export function alongSlope(probes: readonly QualityMargin[], scale: QualityScale, anySlope = false): number {
  const [nearest, other] = probes.toSorted((a, b) => Math.abs(a.margin) - Math.abs(b.margin))
  if (!nearest) throw new RangeError('the search has no probe')
  const usual = scale.pointsPerCoarseness
  const known = other && (nearest.margin - other.margin) / (scale.coarseness(other.quality) - scale.coarseness(nearest.quality))
  const isKnown = known && known > usual / 4
  // If a lower quality scores as well, start there; otherwise the same quality would be probed again.
  const from = other && !isKnown && reachesTarget(nearest) && reachesTarget(other) && other.quality < nearest.quality ? other : nearest
  const slope = isKnown ? Math.min(known, anySlope ? known : usual * 3) : usual
  return scale.qualityOf(scale.coarseness(from.quality) - ((scale.aimPoints ?? AIM_POINTS) - from.margin) / slope)
}
