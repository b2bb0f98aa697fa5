/** Predicts the quality at which a picture reaches its target, from cheap probes whose figures are corrected to those of the result. */
import type { QualityScale } from './perceptual-search.ts'
import { AIM_POINTS } from './tuning.ts'

/** Cheap probe at a quality. */
export interface Prediction<Found> {
  readonly quality: number
  /** Score points above the target that the result would have; negative: below. */
  readonly margin: number
  readonly found: Found
}

/** Range and shape of a quality scale. */
type Scale = Pick<QualityScale, 'lowest' | 'highest' | 'coarseness' | 'qualityOf' | 'pointsPerCoarseness'>

/** Limits of the cheap probes of one search. */
export interface PredictionLimits {
  readonly mostProbes: number
  /** Distance from the aim in score points at which the next probe is not worth its time. */
  readonly nearPoints: number
}

/**
 * Probes until a quality is near the target. @param first quality of the first probe
 * @returns all probes, of which `nearestOf` is the best
 */
export async function predictions<Found>(
  probe: (quality: number) => Promise<Prediction<Found>>,
  first: number,
  scale: Scale,
  { mostProbes, nearPoints }: PredictionLimits,
): Promise<Prediction<Found>[]> {
  const probes: Prediction<Found>[] = []
  for (let quality = first; probes.length < mostProbes && !probes.some((one) => one.quality === quality); ) {
    probes.push(await probe(quality))
    const nearest = nearestOf(probes)
    if (Math.abs(nearest.margin - AIM_POINTS) < nearPoints) break
    quality = qualityFrom(nearest, slopeOf(probes, scale) ?? scale.pointsPerCoarseness, scale)
  }
  return probes
}

/** Returns the probe that is nearest to the target. @throws RangeError if there is none */
export function nearestOf<Found>(probes: readonly Prediction<Found>[]): Prediction<Found> {
  const [nearest] = byDistance(probes)
  if (!nearest) throw new RangeError('no probe was made')
  return nearest
}

const byDistance = <Found>(probes: readonly Prediction<Found>[]) =>
  probes.toSorted((one, other) => Math.abs(one.margin) - Math.abs(other.margin))

/** Score points lost for each unit of coarseness, from the two probes nearest to the target. `undefined`: unknown or implausible. */
export function slopeOf(probes: readonly Prediction<unknown>[], { coarseness, pointsPerCoarseness: usual }: Scale): number | undefined {
  const [a, b] = byDistance(probes)
  if (!a || !b) return undefined
  const slope = (a.margin - b.margin) / (coarseness(b.quality) - coarseness(a.quality))
  return slope > usual / 4 ? Math.min(slope, usual * 3) : undefined
}

/** Returns the quality that is expected to exceed the target by `AIM_POINTS`. */
export function qualityFrom({ quality, margin }: Pick<Prediction<unknown>, 'quality' | 'margin'>, slope: number, scale: Scale): number {
  const { lowest, highest, coarseness, qualityOf } = scale
  return Math.min(highest, Math.max(lowest, Math.round(qualityOf(coarseness(quality) - (AIM_POINTS - margin) / slope))))
}
