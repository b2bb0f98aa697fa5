/** Rules for small pictures: the least saving that justifies a lossy result, and the target of level `high`. */
import { LEVELS, type PicturePerceptualTarget, type Quality } from './levels.ts'
import { type QualityGoal, targetOfGoal } from './score-goal.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** Pictures with a side below this number of pixels are small: icons, thumbnails, buttons. */
const SMALL_SIDE = 128
/** Least saving of a lossy result of a small picture, compared with the lossless result: 10 % and 64 bytes. */
const LEAST_GAIN = { share: 0.1, bytes: 64 }

const isSmallPicture = ({ width, height }: Size): boolean => Math.min(width, height) < SMALL_SIDE

/**
 * Returns the largest size in bytes at which a lossless result is preferred to a lossy result of `lossyBytes`. For pictures that are not
 * small, this is `lossyBytes` itself.
 */
export function mostExactBytes(lossyBytes: number, size: Size): number {
  if (!isSmallPicture(size)) return lossyBytes
  return Math.max(lossyBytes / (1 - LEAST_GAIN.share), lossyBytes + LEAST_GAIN.bytes)
}

/** SSIMULACRA 2 target of small pictures at level `high`. A point costs about 4 % of few bytes, and web pages often magnify icons. */
const SMALL_HIGH_SCORE = 85

/**
 * Side in pixels from which the published score has all six scales. Without the coarsest scales, it misses blocks and rings in soft
 * gradients. Below this side, the worst tile, which uses all weights, must reach the score, too.
 */
const SIDE_WITH_ALL_SCALES = 113

/** Returns the target for a picture of this size. */
export function targetForSize<Target extends { readonly score: number; readonly worstTile: number }>(target: Target, size: Size): Target {
  const lacksScales = Math.min(size.width, size.height) < SIDE_WITH_ALL_SCALES
  return lacksScales ? { ...target, worstTile: Math.max(target.worstTile, target.score) } : target
}

/** Returns the perceptual target of a picture of this size as JPEG, WebP or AVIF. */
export const perceptualTarget = (goal: QualityGoal, size: Size): PicturePerceptualTarget =>
  targetOfGoal(goal, targetOfLevel(goal.quality, size))

function targetOfLevel(quality: Quality, size: Size): PicturePerceptualTarget {
  const target = LEVELS.perceptual[quality]
  // At other levels, a stricter tile target would reject conversions without visible differences.
  if (quality !== 'high') return target
  return targetForSize(isSmallPicture(size) ? { ...target, score: SMALL_HIGH_SCORE } : target, size)
}
