/**
 * Search for the lowest encoder quality at which a picture reaches the score of its level, upwards and downwards. Luma SSIM and PSNR protect
 * noise that nobody sees, and miss bands and hues that everybody sees.
 */
import type { PicturePerceptualTarget } from '../../catalog/levels.ts'
import { COLOUR_ALLOWANCE_DB, type ColourFigures } from '../../catalog/target.ts'
import { LEAST_SCORED, type PerceptualFigures, WIDEST } from '../../metrics/perceptual.ts'
import { bandsOf } from '../compare/bands.ts'
import { comparePictures } from '../compare/compare.ts'
import type { Strips } from '../compare/paired-rows.ts'
import type { Raster } from '../raster/raster.ts'
import type { EncodeRequest } from './encode-request.ts'
import {
  AIM_POINTS,
  BETTER_POINTS,
  CLOSE_POINTS,
  FAR_POINTS,
  LEAST_SCORE,
  LUMA_PER_POINT,
  MOST_MEASURED_PIXELS,
  MOST_MISSES,
  MOST_RULED_OUT,
  MOST_STEPS,
  POINTS_PER_WINDOW,
  PROBES_FROM_AFAR,
  WIDE_POINTS,
} from './tuning.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** Can a picture of this size be steered by what eyes see of it? */
export const canBeScored = ({ width, height }: Size): boolean => Math.min(width, height) >= LEAST_SCORED && width <= WIDEST

/** Is it steered by what eyes see? */
export const isSteeredByScore = (raster: Raster, { targetSize, byLuma }: Pick<EncodeRequest, 'targetSize' | 'byLuma'>): boolean =>
  targetSize === undefined && !byLuma && canBeScored(raster)

/** A coder's qualities. */
export interface QualityScale {
  readonly lowest: number
  readonly highest: number
  /** What the score falls with, evenly. */
  coarseness(quality: number): number
  qualityOf(coarseness: number): number
  /** Points of the score that one of it takes, as far as nothing is known yet. */
  readonly pointsPerCoarseness: number
  /** Looks at most, where one is good enough. */
  readonly mostProbes: number
  /** And where none is, which is then what is taken; by default some more, and the highest quality after them. */
  readonly mostMisses?: number
  /** The score of the worst tile falls so many times as fast as that of the whole. */
  readonly tileSlope?: number
  /** Looking takes longer than making: not at what luma rules out, where something is good enough. */
  readonly skipsProbes?: boolean
  /** Instead of `CLOSE_POINTS` and `AIM_POINTS`. */
  readonly closePoints?: number
  readonly aimPoints?: number
  /** Goes by the line between what is good enough and what is not, too: midway, or there where the two nearest looks lead beyond either. */
  readonly interpolates?: boolean
  /** Casts and steps are of the worst window, and may be of one that no quality mends: they ask for no more than so many points. */
  readonly mostAskedByWindows: number
}

/** Of pictures that are looked at in bands: codings take half a minute each, so two shall mostly do, a point or two above what is wanted. */
export const withFewProbes = (scale: QualityScale): QualityScale => ({
  ...scale,
  mostProbes: 4,
  closePoints: 4,
  aimPoints: 1.5,
  interpolates: true,
})

/** Is a picture of this size looked at in bands? */
export const isMeasuredInBands = ({ width, height }: Size): boolean => width * height > MOST_MEASURED_PIXELS

/** Makes the picture at a quality; what it made last is what is looked at. */
export interface QualityTrials<Figures extends ColourFigures> {
  make(quality: number): Promise<Figures>
  /** What was made last beside the picture as it came. */
  look(): Promise<PerceptualFigures>
  /** Would more bytes be of no use: is it nearly as large as what came in? */
  isPointless?(): boolean
}

/** Where a search ended. */
export interface SearchEnd {
  readonly quality: number
  /** Points above what is wanted. */
  readonly margin: number
}

export interface PerceptualResult<Figures extends ColourFigures> extends SearchEnd {
  readonly figures: Figures
  /** Does it look as it should? */
  readonly reached: boolean
  readonly visible: PerceptualFigures
}

/** Is it so far from what it should be that it had better not be made at all? */
export const isUnacceptable = ({ reached, visible }: PerceptualResult<ColourFigures>): boolean =>
  !reached && (visible.score ?? 0) < LEAST_SCORE

/** What is known of a quality. */
interface Known {
  readonly quality: number
  /** Points above what is wanted. */
  readonly margin: number
}

interface Probe<Figures extends ColourFigures> extends Omit<PerceptualResult<Figures>, 'reached'> {}

/** Where a search begins. */
export interface SearchStart {
  readonly quality: number
  /** Points that another form of the picture has at this quality. This form is searched further only if it has more. */
  readonly otherMargin?: number | undefined
  /** Lower ones that luma rules out, whatever there is to be seen. */
  readonly ruledOut?: readonly Known[]
}

/** The lowest quality that looks as it should, or the highest; it is what `maker` made last. */
export async function lowestPerceptualQuality<Figures extends ColourFigures>(
  maker: QualityTrials<Figures>,
  wanted: PicturePerceptualTarget,
  scale: QualityScale,
  { quality: first, otherMargin, ruledOut = [] }: SearchStart,
): Promise<PerceptualResult<Figures>> {
  const looks: Probe<Figures>[] = []
  const without: Known[] = [...ruledOut]
  let last = first
  for (let quality: number | undefined = first; quality !== undefined; ) {
    last = quality
    const figures = await maker.make(quality)
    const luma = lumaMargin(figures, wanted)
    if (scale.skipsProbes && luma < 0 && looks.some(isGood)) {
      without.push({ quality, margin: luma })
      quality = without.length > MOST_RULED_OUT ? undefined : nextQuality(looks, without, scale)
      continue
    }
    const visible = await maker.look()
    const margin = Math.min(luma, marginInPoints(visible, wanted, scale))
    looks.push({ quality, figures, margin, visible })
    const isPointless =
      otherMargin !== undefined && looks.length === 1 ? margin < otherMargin + BETTER_POINTS : margin < 0 && maker.isPointless?.()
    quality = isPointless ? undefined : nextQuality(looks, without, scale)
  }
  const best = bestOf(looks)
  if (best.quality !== last) await maker.make(best.quality)
  return { ...best, reached: isGood(best) }
}

/**
 * Perceptual figures of `rows`, which have the channels of `reference`.
 * @param most pixels that are measured: bands of a larger picture, spread evenly
 */
export async function perceptualFiguresOf(reference: Raster, rows: Strips, most = MOST_MEASURED_PIXELS): Promise<PerceptualFigures> {
  const found = await comparePictures(reference, rows, ['perceptual'], bandsOf(reference, most))
  if (!found) throw new Error('rows of a result are missing')
  return found.perceptual
}

/** Points that luma is above its floor. */
export const lumaMargin = ({ ssim, psnrDb, colourPsnrDb }: ColourFigures, { floor }: PicturePerceptualTarget) =>
  Math.min(
    (ssim - floor.ssim) / LUMA_PER_POINT.ssim,
    (psnrDb - floor.psnrDb) / LUMA_PER_POINT.psnrDb,
    (colourPsnrDb + COLOUR_ALLOWANCE_DB - floor.psnrDb) / LUMA_PER_POINT.psnrDb,
  )

/** Points that the score of a picture and that of its worst tile are above what is wanted; the lesser of both. */
export const pointsToSpare = ({ score = 0, worstTile = 0 }: PerceptualFigures, wanted: PicturePerceptualTarget, tileSlope = 1): number =>
  Math.min(score - wanted.score, (worstTile - wanted.worstTile) / tileSlope)

/** Points that all is above what is wanted, the scarcest of it. */
export function marginInPoints(
  visible: PerceptualFigures,
  wanted: PicturePerceptualTarget,
  { mostAskedByWindows, tileSlope }: QualityScale,
): number {
  const { cast, steps } = visible
  const scored = pointsToSpare(visible, wanted, tileSlope)
  const windows = POINTS_PER_WINDOW * Math.min(Math.log(wanted.cast / Math.max(cast, 1e-3)), Math.log(wanted.steps / Math.max(steps, 1e-3)))
  return Math.min(scored, Math.max(windows, scored - mostAskedByWindows))
}

/** The lowest that was good enough; where none was, the highest. */
function bestOf<Figures extends ColourFigures>(looks: readonly Probe<Figures>[]): Probe<Figures> {
  const good = looks.filter(isGood)
  const [first, ...others] = good.length > 0 ? good : looks
  if (!first) throw new RangeError('nothing was looked at')
  return others.reduce((best, look) => (good.length > 0 === look.quality < best.quality ? look : best), first)
}

/**
 * Where to look next; undefined when there is nothing to gain. `without` a look some are known to be too low: how far they are from what is
 * wanted is not.
 */
function nextQuality(looks: readonly Known[], without: readonly Known[], scale: QualityScale): number | undefined {
  const above = looks.filter(isGood).toSorted((a, b) => a.quality - b.quality)[0]
  const below = [...looks, ...without]
    .filter(({ margin, quality }) => margin < 0 && quality < (above?.quality ?? scale.highest + 1))
    .toSorted((a, b) => b.quality - a.quality)[0]
  const wasFar = looks.some(isFar)
  const isWide = above && above.margin > WIDE_POINTS && scale.mostProbes >= 3
  const last = above ? scale.mostProbes + (wasFar || isWide ? PROBES_FROM_AFAR : 0) : (scale.mostMisses ?? MOST_MISSES)
  const [first, end] = [(below?.quality ?? scale.lowest - 1) + 1, (above?.quality ?? scale.highest + 1) - 1]
  if (first > end || (above && above.margin < (scale.closePoints ?? CLOSE_POINTS))) return undefined
  if (looks.length >= last) return above || scale.mostMisses ? undefined : scale.highest
  const led = Math.max(acrossPlateau(looks, scale), alongSlope(looks, scale, above && wasFar))
  // What falls apart all at once has no slope that leads anywhere but to where it has fallen already.
  const next = above && below && (isFar(below) || (!wasFar && led < first && end > first)) ? between(below, above) : led
  const line = scale.interpolates && above && below ? alongSlope([below, above], scale, true) : next
  const taken = first <= next && next <= end ? (next + line) / 2 : line
  return Math.min(end, Math.max(first, Math.round(taken)))
}

const isGood = ({ margin }: Known) => margin >= 0
const isFar = ({ margin }: Known) => margin < -FAR_POINTS

/** Halfway from the middle to where a line between both would be good enough. */
function between(below: Known, above: Known): number {
  const share = above.margin / (above.margin - below.margin)
  return above.quality - (above.quality - below.quality) * ((share + 0.5) / 2)
}

/**
 * Where to go on from where it hardly rises, or falls, and nothing is good enough: steps grow, as what lacks a little at every one of a few
 * is made at the highest quality in the end, which takes more than a gentler level does.
 */
function acrossPlateau(looks: readonly Known[], { coarseness, pointsPerCoarseness }: QualityScale): number {
  const [last, previous] = looks.toSorted((a, b) => b.quality - a.quality)
  if (!last || !previous || looks.some(isGood)) return 0
  const risen = last.margin - previous.margin
  const usual = pointsPerCoarseness * (coarseness(previous.quality) - coarseness(last.quality))
  return risen < usual / 4 ? last.quality + Math.min(MOST_STEPS, 2 * (last.quality - previous.quality)) : 0
}

/** By the two looks that are nearest to what is wanted; how steep that may be is limited, or not. */
function alongSlope(looks: readonly Known[], scale: QualityScale, anySlope = false): number {
  const [nearest, other] = looks.toSorted((a, b) => Math.abs(a.margin) - Math.abs(b.margin))
  if (!nearest) throw new RangeError('nothing was looked at')
  const usual = scale.pointsPerCoarseness
  const known = other && (nearest.margin - other.margin) / (scale.coarseness(other.quality) - scale.coarseness(nearest.quality))
  const isKnown = known && known > usual / 4
  // Where a lower quality is no worse, from there, or the same one would be looked at again.
  const from = other && !isKnown && isGood(nearest) && isGood(other) && other.quality < nearest.quality ? other : nearest
  const slope = isKnown ? Math.min(known, anySlope ? known : usual * 3) : usual
  return scale.qualityOf(scale.coarseness(from.quality) - ((scale.aimPoints ?? AIM_POINTS) - from.margin) / slope)
}
