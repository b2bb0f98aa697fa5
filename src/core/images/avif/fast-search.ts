/** Predicts AVIF settings with probes at a fast encoder speed, whose figures are corrected to those of the final speed. */
import { log } from '../../bytes/same-math.ts'
import type { PicturePerceptualTarget } from '../../catalog/levels.ts'
import { lumaMargin, marginInPoints, scoreMarginPoints } from '../search/perceptual-search.ts'
import { nearestOf, type Prediction, predictions, qualityFrom, slopeOf } from '../search/prediction.ts'
import type { Chroma } from './libaom.ts'
import { type AvifProbe, type AvifSettings, scaleOf } from './scale.ts'
import {
  BYTES_PER_POINT,
  FAST_LOSS,
  FAST_PROBES,
  NEAR_PREDICTION,
  POINTS_LOST_BY_HALVING,
  POINTS_PER_COARSENESS,
  UNCERTAIN_SIZE,
} from './tuning.ts'

type Probe = (settings: AvifSettings) => Promise<AvifProbe>

/** Settings that are expected to reach the target. */
export interface LikelySettings {
  /** One entry for each chroma format that may give the smallest file, the likeliest first. */
  readonly settings: readonly AvifSettings[]
  /** Score points lost for each unit of coarseness. `undefined`: unknown. */
  readonly slope: number | undefined
}

/** Logarithm of the bytes that a probe would have at a margin of zero. */
export const sizeAtTarget = ({ bytes, perceptual }: AvifProbe, chroma: Chroma, target: PicturePerceptualTarget): number =>
  log(bytes) - BYTES_PER_POINT * marginInPoints(perceptual, target, scaleOf(chroma, 1))

/** Predicts the settings with the fewest bytes that reach the target at the final speed. */
export async function likelySettings(probe: Probe, target: PicturePerceptualTarget, first: number): Promise<LikelySettings> {
  const probeAt = async ({ quality, chroma }: AvifSettings): Promise<Prediction<AvifProbe>> => {
    const found = asAtFinalSpeed(await probe({ quality, chroma }))
    const margin = Math.min(lumaMargin(found.figures, target), marginInPoints(found.perceptual, target, scaleOf(chroma, 1)))
    return { quality, margin, found }
  }
  const probes = await predictions((quality) => probeAt({ quality, chroma: 'halved' }), first, SCALE, LIMITS)
  const [halved, measured] = [nearestOf(probes), slopeOf(probes, SCALE)]
  const slope = measured ?? POINTS_PER_COARSENESS
  const likely = (chroma: Chroma, one: Prediction<AvifProbe>): AvifSettings => ({ chroma, quality: qualityFrom(one, slope, SCALE) })
  const { quality } = halved
  const full = await probeAt({ quality, chroma: 'full' })
  const lost = scoreMarginPoints(full.found.perceptual, target) - scoreMarginPoints(halved.found.perceptual, target)
  if (lost < POINTS_LOST_BY_HALVING) return { settings: [likely('halved', halved)], slope: measured }
  const fitted = await probeAt({ quality, chroma: 'fitted' })
  const size = (chroma: Chroma, { found }: Prediction<AvifProbe>) => sizeAtTarget(found, chroma, target)
  const isFitted = size('fitted', fitted) < size('halved', halved)
  const [coarse, coarseProbe] = isFitted ? (['fitted', fitted] as const) : (['halved', halved] as const)
  const saved = size(coarse, coarseProbe) - size('full', full)
  const settings = likely(coarse, coarseProbe)
  const fullSettings = likely('full', full)
  if (Math.abs(saved) > UNCERTAIN_SIZE) return { settings: [saved > 0 ? fullSettings : settings], slope: measured }
  return { settings: saved > 0 ? [fullSettings, settings] : [settings, fullSettings], slope: measured }
}

const SCALE = scaleOf('halved', 1)
const LIMITS = { mostProbes: FAST_PROBES, nearPoints: NEAR_PREDICTION }

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
