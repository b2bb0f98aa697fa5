/** Settings and probes of the perceptual search for AVIF, and its quality scale. */
import { pow } from '../../bytes/same-math.ts'
import type { ColourFigures } from '../../catalog/target.ts'
import type { PerceptualFigures } from '../../metrics/perceptual.ts'
import type { QualityScale } from '../search/perceptual-search.ts'
import type { Chroma } from './libaom.ts'
import { ASKED_BY_WINDOWS, CURVE, PERCEPTUAL_RANGE, POINTS_PER_COARSENESS, TWO_PROBES } from './tuning.ts'

/** Size and quality figures of an encoded picture or sample. */
export interface AvifProbe {
  readonly bytes: number
  readonly figures: ColourFigures
  readonly perceptual: PerceptualFigures
}

export interface AvifSettings {
  readonly quality: number
  readonly chroma: Chroma
}

/** Most probes until one reaches the target. `two`: at most two probes in all, for pictures where each takes a minute or two. */
export type ProbeLimit = number | 'two'

/**
 * Quality scale of the search. @param slope score points lost for each unit of coarseness; default: those of most pictures. Colour casts come mostly from halved chroma and do not
 * decrease with quality.
 */
export const scaleOf = (chroma: Chroma, limit: ProbeLimit, slope = POINTS_PER_COARSENESS): QualityScale => ({
  ...PERCEPTUAL_RANGE,
  coarseness: (quality) => pow(100 - quality, CURVE),
  qualityOf: (coarseness) => 100 - pow(Math.max(0, coarseness), 1 / CURVE),
  pointsPerCoarseness: chroma === 'fitted' ? slope / 2 : slope,
  ...(limit === 'two' ? TWO_PROBES : { mostProbes: limit }),
  mostAskedByWindows: chroma === 'full' || chroma === 'grey' ? ASKED_BY_WINDOWS.full : ASKED_BY_WINDOWS.halved,
})

/** Figures of a whole picture after a change that was probed on a part of it. */
export function changedAs(whole: AvifProbe, part: AvifProbe, changed: AvifProbe): AvifProbe {
  const { figures: from, perceptual: seen } = part
  const { figures: to, perceptual: changedSeen } = changed
  const by = <K extends string>(
    keys: readonly K[],
    of: Readonly<Record<K, number>>,
    before: Readonly<Record<K, number>>,
    after: Readonly<Record<K, number>>,
  ) => Object.fromEntries(keys.map((key) => [key, Math.max(0, of[key] + after[key] - before[key])])) as Record<K, number>
  const points = (key: 'score' | 'worstTile') => (whole.perceptual[key] ?? 0) + (changedSeen[key] ?? 0) - (seen[key] ?? 0)
  return {
    bytes: Math.round((whole.bytes * changed.bytes) / part.bytes),
    figures: by(['ssim', 'psnrDb', 'colourPsnrDb'], whole.figures, from, to),
    perceptual: {
      ...by(['cast', 'steps', 'bands', 'specks', 'dirt'], whole.perceptual, seen, changedSeen),
      score: points('score'),
      worstTile: points('worstTile'),
    },
  }
}
