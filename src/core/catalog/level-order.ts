/**
 * The ladder of levels. `low` ≤ `medium` ≤ `high` in bytes is promised for every file, and no encoder keeps it by itself: coarser
 * steps may cost more than they save, or gain nothing at all. So a level considers the gentler ones, too. `pipeline/compress`
 * goes on to them where a level leaves the file as it is; a codec that tries several codings of one picture or page compares
 * with them itself, because only there a second coding is cheap.
 */
import { LEVELS, pictureTarget, type Quality, type RasterTarget } from './levels.ts'

/** What a level considers besides itself, the nearest first. */
export const GENTLER = {
  high: [],
  medium: ['high'],
  low: ['medium', 'high'],
  ultra: ['low', 'medium', 'high'],
} as const satisfies Readonly<Record<Quality, readonly Quality[]>>

/** The same for codings of one picture: levels that aim at what this one aims at (`ultra` and `low`) would be tried twice. */
export function gentlerTargets(quality: Quality): readonly Quality[] {
  return GENTLER[quality].filter((level) => pictureTarget(level) !== pictureTarget(quality))
}

/**
 * Targets whose plans a level tries besides its own: what aims lower and misses is made again with more colours, and may end up smaller
 * than the level's own plan. Such a result counts if it holds the level's own target.
 */
export const strongerPalettes = (quality: Quality): readonly RasterTarget[] => (quality === 'medium' ? [LEVELS.palette.low] : [])

/** Palettes that a level considers, the gentlest first. `high` is exact; only a wanted size lets it consider what `medium` does. */
export function paletteTargets(quality: Quality): readonly RasterTarget[] {
  const { medium, low, ultra } = LEVELS.palette
  const targets = { high: medium, medium, low, ultra }
  return [...new Set([quality, ...gentlerTargets(quality)].map((level) => targets[level]).reverse())]
}
