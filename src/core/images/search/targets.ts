/** What the levels aim at for pictures. Floors are under them (codec.ts). */
import { LEVELS, type PerceptualTarget, type RasterTarget } from '../../catalog/levels.ts'
import { CAST_BETWEEN, NEAR_SPECKS, POINTS_PER_DB, TILE_BELOW } from './tuning.ts'

export type { PerceptualTarget as SeenTarget, RasterTarget }

type Shades = Pick<RasterTarget, 'bands' | 'specks' | 'worstTile'>
type NotMeasured = 'leastColours' | 'scored' | 'nearSpecks' | 'fineHues'

/** Figures of a result; those that were not measured hold nothing back. */
export type RasterFigures = Omit<RasterTarget, NotMeasured | keyof Shades | keyof PerceptualTarget> & Partial<PerceptualTarget & Shades>

type Luma = readonly [ssim: number, psnrDb: number, rgbPsnrDb: number, blockPsnrDb: number, blockRgbPsnrDb: number]
type Seen = readonly [score: number, cast: number, steps: number, bands: number, specks: number]

const target = (luma: Luma, seen: Seen, { leastColours = 16, scoredSsim = luma[0], tileBelow = TILE_BELOW } = {}): RasterTarget => {
  const [ssim, psnrDb, rgbPsnrDb, blockPsnrDb, blockRgbPsnrDb] = luma
  const [score, cast, steps, bands, specks] = seen
  const shades = { score, worstTile: score - tileBelow, cast, steps, bands, specks, nearSpecks: specks * NEAR_SPECKS, fineHues: 1 }
  return { ssim, psnrDb, scored: { ssim: scoredSsim, psnrDb }, rgbPsnrDb, blockPsnrDb, blockRgbPsnrDb, ...shades, leastColours }
}

export const PALETTE_TARGETS = LEVELS.palette
const { medium: MEDIUM, low: LOW } = PALETTE_TARGETS

/** From the gentlest to just above the floors: the ladder that `target_size` climbs down. */
export const TARGET_LADDER: readonly RasterTarget[] = [
  target([0.99, 42, 38, 36, 33], [87, 2, 0.3, 0.3, 3]),
  target([0.985, 40, 36, 34, 31], [83, 2.5, 0.32, 0.32, 3.2]),
  target([0.975, 37.5, 33.5, 32, 29], [77, 3.2, 0.34, 0.34, 3.4]),
  MEDIUM,
  target([0.945, 33.5, 29.5, 28.5, 25.5], [63, 5.5, 0.42, 0.42, 4], { scoredSsim: 0.93 }),
  LOW,
  target([0.915, 31, 27, 24, 21], [40, 12, 2.5, 2.5, 12], { leastColours: 4 }),
  target([0.903, 30.2, 26, 20, 18], [10, 25, 8, 8, 40], { leastColours: 2, tileBelow: 200 }),
]

/** Figures are compared with a hair's breadth, so that rounding does not decide. `margin`: how much more a sample must show. */
export function reachesTarget(found: RasterFigures, wanted: RasterTarget, margin = 0): boolean {
  return marginDb(found, wanted, margin) >= 0
}

/** How far the figures are above the target (below: negative), in dB; the least of them. SSIM counts by its distance from 1. */
export function marginDb(found: RasterFigures, wanted: RasterTarget, margin = 0): number {
  const hair = margin * 0.25 + 0.02
  const luma = found.score === undefined ? wanted : wanted.scored
  const ssim = 10 * Math.log10((1 - luma.ssim - margin * 0.004 - 0.0003) / Math.max(1e-9, 1 - found.ssim))
  return Math.min(
    ssim,
    found.psnrDb - luma.psnrDb - hair,
    found.rgbPsnrDb - wanted.rgbPsnrDb - hair,
    found.blockPsnrDb - wanted.blockPsnrDb - hair - margin * 0.4,
    found.blockRgbPsnrDb - wanted.blockRgbPsnrDb - hair,
    seenMarginDb(found, wanted, margin),
  )
}

/** A sample misses the worst windows, and what is wide. */
function seenMarginDb(found: Partial<PerceptualTarget & Shades>, wanted: PerceptualTarget & Shades, margin: number): number {
  const { score = 100, worstTile = 100, cast = 0, steps = 0, bands = 0, specks = 0 } = found
  const within = (value: number, most: number, missed: number) => 10 * Math.log10((most * (1 - missed * margin)) / Math.max(1e-3, value))
  return Math.min(
    (score - wanted.score - margin * 1.5) / POINTS_PER_DB,
    (worstTile - wanted.worstTile - margin * 1.5) / POINTS_PER_DB,
    within(cast * (1 + CAST_BETWEEN), wanted.cast, 0.03),
    within(steps, wanted.steps, 0.1),
    within(bands, wanted.bands, 0.1),
    within(specks, wanted.specks, 0.1),
  )
}
