/** Predicts AVIF settings with probes at a fast encoder speed, whose figures are corrected to those of the final speed. */
import { log } from '../../bytes/same-math.ts'
import type { PicturePerceptualTarget } from '../../catalog/levels.ts'
import { lumaMargin, marginInPoints, scoreMarginPoints } from '../search/perceptual-search.ts'
import { AIM_POINTS } from '../search/tuning.ts'
import type { Chroma } from './libaom.ts'
import { type AvifProbe, type AvifSettings, scaleOf } from './scale.ts'
import {
  BYTES_PER_POINT,
  FAST_LOSS,
  FAST_PROBES,
  NEAR_PREDICTION,
  PERCEPTUAL_RANGE,
  POINTS_LOST_BY_HALVING,
  POINTS_PER_COARSENESS,
  UNCERTAIN_SIZE,
} from './tuning.ts'

type Probe = (settings: AvifSettings) => Promise<AvifProbe>

interface Prediction {
  readonly quality: number
  /** Score points above the target, expected at the final speed; negative: below. */
  readonly margin: number
  readonly found: AvifProbe
}

/** Logarithm of the bytes that a probe would have at a margin of zero. */
export const sizeAtTarget = ({ bytes, perceptual }: AvifProbe, chroma: Chroma, target: PicturePerceptualTarget): number =>
  log(bytes) - BYTES_PER_POINT * marginInPoints(perceptual, target, scaleOf(chroma, 1))

/**
 * Predicts the settings with the fewest bytes that reach the target at the final speed.
 * @returns one entry for each chroma format that may give the smallest file, the likeliest first
 */
export async function likelySettings(probe: Probe, target: PicturePerceptualTarget, first: number): Promise<AvifSettings[]> {
  const probes: Prediction[] = []
  const probeAt = async ({ quality, chroma }: AvifSettings): Promise<Prediction> => {
    const found = asAtFinalSpeed(await probe({ quality, chroma }))
    const margin = Math.min(lumaMargin(found.figures, target), marginInPoints(found.perceptual, target, scaleOf(chroma, 1)))
    return { quality, margin, found }
  }
  for (let quality = first; probes.length < FAST_PROBES && !probes.some((one) => one.quality === quality); ) {
    probes.push(await probeAt({ quality, chroma: 'halved' }))
    const nearest = nearestOf(probes)
    if (Math.abs(nearest.margin - AIM_POINTS) < NEAR_PREDICTION) break
    quality = qualityFrom(nearest, slopeOf(probes))
  }
  const [halved, slope] = [nearestOf(probes), slopeOf(probes)]
  const { quality } = halved
  const full = await probeAt({ quality, chroma: 'full' })
  const lost = scoreMarginPoints(full.found.perceptual, target) - scoreMarginPoints(halved.found.perceptual, target)
  if (lost < POINTS_LOST_BY_HALVING) return [{ chroma: 'halved', quality: qualityFrom(halved, slope) }]
  const fitted = await probeAt({ quality, chroma: 'fitted' })
  const size = (chroma: Chroma, { found }: Prediction) => sizeAtTarget(found, chroma, target)
  const isFitted = size('fitted', fitted) < size('halved', halved)
  const [coarse, coarseProbe] = isFitted ? (['fitted', fitted] as const) : (['halved', halved] as const)
  const saved = size(coarse, coarseProbe) - size('full', full)
  const settings = { chroma: coarse, quality: qualityFrom(coarseProbe, slope) }
  const fullSettings = { chroma: 'full', quality: qualityFrom(full, slope) } as const
  if (Math.abs(saved) > UNCERTAIN_SIZE) return [saved > 0 ? fullSettings : settings]
  return saved > 0 ? [fullSettings, settings] : [settings, fullSettings]
}

function nearestOf(probes: readonly Prediction[]): Prediction {
  const [nearest] = probes.toSorted((a, b) => Math.abs(a.margin) - Math.abs(b.margin))
  if (!nearest) throw new RangeError('no probe was made')
  return nearest
}

const { coarseness, qualityOf } = scaleOf('halved', 1)

/** Score points lost for each unit of coarseness, from the two probes nearest to the target; the usual value if it is implausible. */
function slopeOf(probes: readonly Prediction[]): number {
  const [a, b] = probes.toSorted((one, other) => Math.abs(one.margin) - Math.abs(other.margin))
  const slope = a && b ? (a.margin - b.margin) / (coarseness(b.quality) - coarseness(a.quality)) : POINTS_PER_COARSENESS
  return slope > POINTS_PER_COARSENESS / 4 ? Math.min(slope, POINTS_PER_COARSENESS * 3) : POINTS_PER_COARSENESS
}

/** Quality at which the target is reached with the usual aim. */
function qualityFrom({ quality, margin }: Prediction, slope: number): number {
  const { lowest, highest } = PERCEPTUAL_RANGE
  return Math.min(highest, Math.max(lowest, Math.round(qualityOf(coarseness(quality) - (AIM_POINTS - margin) / slope))))
}

/** Figures that the encoder would reach at its final speed with the settings of a fast probe. */
function asAtFinalSpeed({ bytes, figures, perceptual }: AvifProbe): AvifProbe {
  const { score = 0, worstTile = 0, cast } = perceptual
  const { ssim, psnrDb, colourPsnrDb } = figures
  const nearer = (points: number, ratio: number) => 100 - (100 - points) / ratio
  return {
    bytes,
    figures: {
      ssim: 1 - (1 - ssim) / FAST_LOSS.ssim,
      psnrDb: psnrDb + FAST_LOSS.psnrDb,
      colourPsnrDb: colourPsnrDb + FAST_LOSS.psnrDb,
    },
    perceptual: {
      ...perceptual,
      score: nearer(score, FAST_LOSS.score),
      worstTile: nearer(worstTile, FAST_LOSS.worstTile),
      cast: cast / FAST_LOSS.cast,
    },
  }
}
