/** Quality targets of the levels for pictures. The absolute floors are lower. */
import { log10 } from '../../bytes/same-math.ts'
import { alternativePaletteTargets, paletteTargets } from '../../catalog/level-order.ts'
import { LEVELS, type PerceptualTarget, type RasterTarget } from '../../catalog/levels.ts'
import { aimOf, type QualityGoal } from '../../catalog/score-goal.ts'
import { CAST_BETWEEN_WINDOWS, NEAR_SPECKS, POINTS_PER_DB, TILE_ALLOWANCE_POINTS } from './tuning.ts'

export type { RasterTarget }

type Shades = Pick<RasterTarget, 'bands' | 'specks' | 'worstTile'>
type NotMeasured = 'leastColours' | 'scored' | 'nearSpecks' | 'fineHues'

/** Quality figures of a result. Figures that were not measured do not limit the margin. */
export type RasterFigures = Omit<RasterTarget, NotMeasured | keyof Shades | keyof PerceptualTarget> & Partial<PerceptualTarget & Shades>

type Luma = readonly [ssim: number, psnrDb: number, rgbPsnrDb: number, blockPsnrDb: number, blockRgbPsnrDb: number]
type Perceptual = readonly [score: number, cast: number, steps: number, bands: number, specks: number]

const target = (
  luma: Luma,
  perceptual: Perceptual,
  { leastColours = 16, scoredSsim = luma[0], tileBelow = TILE_ALLOWANCE_POINTS } = {},
): RasterTarget => {
  const [ssim, psnrDb, rgbPsnrDb, blockPsnrDb, blockRgbPsnrDb] = luma
  const [score, cast, steps, bands, specks] = perceptual
  const shades = { score, worstTile: score - tileBelow, cast, steps, bands, specks, nearSpecks: specks * NEAR_SPECKS, fineHues: 1 }
  return { ssim, psnrDb, scored: { ssim: scoredSsim, psnrDb }, rgbPsnrDb, blockPsnrDb, blockRgbPsnrDb, ...shades, leastColours }
}

export const PALETTE_TARGETS = LEVELS.palette
const { medium: MEDIUM, low: LOW } = PALETTE_TARGETS

/** Targets of decreasing quality, from nearly lossless to just above the floors. A search for a target size goes down this list. */
export const TARGETS_BY_QUALITY: readonly RasterTarget[] = [
  target([0.99, 42, 38, 36, 33], [87, 2, 0.3, 0.3, 3]),
  target([0.985, 40, 36, 34, 31], [83, 2.5, 0.32, 0.32, 3.2]),
  target([0.975, 37.5, 33.5, 32, 29], [77, 3.2, 0.34, 0.34, 3.4]),
  MEDIUM,
  target([0.945, 33.5, 29.5, 28.5, 25.5], [63, 5.5, 0.42, 0.42, 4], { scoredSsim: 0.93 }),
  LOW,
  target([0.915, 31, 27, 24, 21], [40, 12, 2.5, 2.5, 12], { leastColours: 4 }),
  target([0.903, 30.2, 26, 20, 18], [10, 25, 8, 8, 40], { leastColours: 2, tileBelow: 200 }),
]

/**
 * Returns the palette targets that a goal tries, the gentlest first: those of the level and of gentler levels, or the target of a score, with
 * the other figures between those of the neighbouring targets.
 */
export function paletteTargetsOf(goal: QualityGoal): readonly RasterTarget[] {
  const aim = aimOf(goal)
  return aim === undefined ? paletteTargets(goal.quality) : [paletteTargetOfScore(aim)]
}

/** Returns the targets of stronger palettes that a goal also tries. */
export const strongerPaletteTargetsOf = ({ quality, targetScore, effort }: QualityGoal): readonly RasterTarget[] =>
  targetScore === undefined && effort !== 'fast' ? alternativePaletteTargets(quality) : []

function paletteTargetOfScore(score: number): RasterTarget {
  const below = TARGETS_BY_QUALITY.findIndex((target) => target.score <= score)
  const gentler = TARGETS_BY_QUALITY[Math.max(0, below - 1)] ?? MEDIUM
  const stronger = TARGETS_BY_QUALITY[Math.max(0, below)] ?? LOW
  const share = gentler.score > stronger.score ? (score - stronger.score) / (gentler.score - stronger.score) : 0
  const mixed = (figure: (target: RasterTarget) => number) => figure(stronger) + share * (figure(gentler) - figure(stronger))
  return {
    ...stronger,
    score,
    worstTile: score - TILE_ALLOWANCE_POINTS,
    scored: { ssim: mixed(({ scored }) => scored.ssim), psnrDb: mixed(({ scored }) => scored.psnrDb) },
    rgbPsnrDb: mixed(({ rgbPsnrDb }) => rgbPsnrDb),
    blockPsnrDb: mixed(({ blockPsnrDb }) => blockPsnrDb),
    blockRgbPsnrDb: mixed(({ blockRgbPsnrDb }) => blockRgbPsnrDb),
    cast: mixed(({ cast }) => cast),
    steps: mixed(({ steps }) => steps),
    bands: mixed(({ bands }) => bands),
    specks: mixed(({ specks }) => specks),
    nearSpecks: mixed(({ nearSpecks }) => nearSpecks),
  }
}

/**
 * Distance of the worst figure from the target in dB, with a small tolerance for rounding; negative: below the target. SSIM is converted by
 * its distance from 1. `margin`: safety factor of a sample, 0 to 1.
 */
export function rasterMarginDb(found: RasterFigures, target: RasterTarget, margin = 0): number {
  const slack = margin * 0.25 + 0.02
  const luma = found.score === undefined ? target : target.scored
  const ssim = 10 * log10((1 - luma.ssim - margin * 0.004 - 0.0003) / Math.max(1e-9, 1 - found.ssim))
  return Math.min(
    ssim,
    found.psnrDb - luma.psnrDb - slack,
    found.rgbPsnrDb - target.rgbPsnrDb - slack,
    found.blockPsnrDb - target.blockPsnrDb - slack - margin * 0.4,
    found.blockRgbPsnrDb - target.blockRgbPsnrDb - slack,
    perceptualMarginDb(found, target, margin),
  )
}

/**
 * Distance of the worst perceptual figure from the target in dB. `margin` covers what a sample misses: the worst windows and wide
 * structures.
 */
function perceptualMarginDb(found: Partial<PerceptualTarget & Shades>, target: PerceptualTarget & Shades, margin: number): number {
  const { score = 100, worstTile = 100, cast = 0, steps = 0, bands = 0, specks = 0 } = found
  const within = (value: number, most: number, missed: number) => 10 * log10((most * (1 - missed * margin)) / Math.max(1e-3, value))
  return Math.min(
    (score - target.score - margin * 1.5) / POINTS_PER_DB,
    (worstTile - target.worstTile - margin * 1.5) / POINTS_PER_DB,
    within(cast * (1 + CAST_BETWEEN_WINDOWS), target.cast, 0.03),
    within(steps, target.steps, 0.1),
    within(bands, target.bands, 0.1),
    within(specks, target.specks, 0.1),
  )
}
