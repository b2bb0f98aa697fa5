/**
 * Order of the levels. Whittle promises for every file: `low` ≤ `medium` ≤ `high` in bytes. Encoders do not ensure this, because coarser
 * quantisation may cost more than it saves. So a level also tries the gentler levels. `pipeline/compress` does this if a level leaves
 * the file unchanged. A codec that tries several codings of one picture compares with the gentler levels itself, which is cheaper.
 */
import { LEVELS, pictureTarget, type Quality, type RasterTarget } from './levels.ts'
import type { QualityGoal } from './score-goal.ts'

/** Gentler levels that each level also tries, the nearest first. */
export const FALLBACK_LEVELS = {
  high: [],
  medium: ['high'],
  low: ['medium', 'high'],
  ultra: ['low', 'medium', 'high'],
} as const satisfies Readonly<Record<Quality, readonly Quality[]>>

/** Returns the gentler levels that a goal also tries. A score has none, because no other target replaces it. */
export const gentlerLevelsOf = ({ quality, targetScore }: QualityGoal): readonly Quality[] =>
  targetScore === undefined ? fallbackLevelsOf(quality) : []

/** Returns the gentler levels whose picture target differs from that of `quality`. (`ultra` and `low` have the same target.) */
export function fallbackLevelsOf(quality: Quality): readonly Quality[] {
  return FALLBACK_LEVELS[quality].filter((level) => pictureTarget(level) !== pictureTarget(quality))
}

/**
 * Returns the targets of stronger palettes that a level also tries. If such a palette misses its target, the encoder adds colours, and
 * the result may be smaller than the level's own. It is accepted if it reaches the target of the level.
 */
export const alternativePaletteTargets = (quality: Quality): readonly RasterTarget[] => (quality === 'medium' ? [LEVELS.palette.low] : [])

/**
 * Returns the palette targets that a level tries, the gentlest first. `high` is lossless; only a size limit makes it use `medium`'s
 * palette.
 */
export function paletteTargets(quality: Quality): readonly RasterTarget[] {
  const { medium, low, ultra } = LEVELS.palette
  const targets = { high: medium, medium, low, ultra }
  return [...new Set([quality, ...fallbackLevelsOf(quality)].map((level) => targets[level]).reverse())]
}
