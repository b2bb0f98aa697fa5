/** Tells which limit of a level stopped a search: the figure of a result that is closest to its limit. */
import { LEVELS } from '../../../src/core/catalog/levels.ts'
import { perceptualTarget, targetForSize } from '../../../src/core/catalog/small-pictures.ts'
import { COLOUR_ALLOWANCE_DB } from '../../../src/core/catalog/target.ts'
import { CAST_BETWEEN_WINDOWS, LUMA_PER_POINT, POINTS_PER_DB, POINTS_PER_WINDOW } from '../../../src/core/images/search/tuning.ts'
import type { SeenFigures } from './figures.ts'

/** Limits of a level. `lowest`: the lowest quality or the smallest palette of the encoder. `other`: a lossless result, or one of a gentler level that is as small. */
export const GATES = ['score', 'tile', 'casts', 'steps', 'floors', 'lowest', 'other'] as const
export type Gate = (typeof GATES)[number]

/** Score points (or their equivalent) above each limit. */
export type Margins = Readonly<Partial<Record<Gate, number>>>

type LossyLevel = 'high' | 'medium' | 'low'

/** Encoders that are steered like photographs, by the targets of palettes, or frame by frame. */
export type Steering = 'photograph' | 'palette' | 'animation'

/** Score that a level aims at. */
export const goalOf = (steering: Steering, level: LossyLevel, size: { width: number; height: number }): number =>
  steering === 'photograph' ? perceptualTarget({ quality: level }, size).score : LEVELS.palette[level === 'high' ? 'medium' : level].score

export function marginsOf(steering: Steering, level: LossyLevel, figures: SeenFigures, isNearLossless: boolean): Margins {
  if (steering === 'photograph') return photographMargins(level, figures)
  const { score, tile, casts, ...others } = paletteMargins(level, figures, isNearLossless)
  return steering === 'palette' ? { score, tile, casts, ...others } : { score, tile, casts }
}

/** Returns the limit with the smallest margin. */
export const closestOf = (margins: Margins): Gate =>
  GATES.reduce(
    (closest, gate) => ((margins[gate] ?? Number.POSITIVE_INFINITY) < (margins[closest] ?? Number.POSITIVE_INFINITY) ? gate : closest),
    'other',
  )

function photographMargins(level: LossyLevel, figures: SeenFigures): Margins {
  const { score, worstTile, cast, steps, floor } = perceptualTarget({ quality: level }, figures)
  const windows = (most: number, found: number) => POINTS_PER_WINDOW * Math.log(most / Math.max(1e-3, found))
  return {
    score: (figures.score ?? 0) - score,
    tile: (figures.worstTile ?? 0) - worstTile,
    casts: windows(cast, figures.cast),
    steps: windows(steps, figures.steps),
    floors: Math.min(
      (figures.ssim - floor.ssim) / LUMA_PER_POINT.ssim,
      (figures.psnrDb - floor.psnrDb) / LUMA_PER_POINT.psnrDb,
      (figures.psnrRgbDb + COLOUR_ALLOWANCE_DB - floor.psnrDb) / LUMA_PER_POINT.psnrDb,
    ),
  }
}

function paletteMargins(level: LossyLevel, figures: SeenFigures, isNearLossless: boolean): Required<Omit<Margins, 'lowest' | 'other'>> {
  const target = targetForSize(LEVELS.palette[level === 'high' ? 'medium' : level], figures)
  const points = (db: number) => db * POINTS_PER_DB
  const share = (most: number, found: number) => points(10 * Math.log10(most / Math.max(1e-3, found)))
  return {
    score: (figures.score ?? 0) - target.score,
    tile: (figures.worstTile ?? 0) - target.worstTile,
    casts: share(target.cast, figures.cast * (1 + CAST_BETWEEN_WINDOWS)),
    steps: Math.min(
      share(target.steps, figures.steps),
      share(target.bands, figures.bands),
      share(isNearLossless ? target.nearSpecks : target.specks, figures.specks),
    ),
    floors: Math.min(
      share(1 - target.scored.ssim, 1 - figures.ssim),
      points(figures.psnrDb - target.scored.psnrDb),
      points(figures.psnrRgbDb - target.rgbPsnrDb),
      points(figures.blockPsnrDb - target.blockPsnrDb),
      points(figures.blockRgbPsnrDb - target.blockRgbPsnrDb),
    ),
  }
}
