/** Small pictures: what must be gained before colours are given up, and what `high` asks of them. */
import { LEVELS, type PicturePerceptualTarget, type Quality } from './levels.ts'

interface Size {
  readonly width: number
  readonly height: number
}

/** Pictures with fewer pixels than this on a side are small: icons, thumbnails, buttons. */
export const SMALL_SIDE = 128
/** A lossy result of a small picture must save this share of the exact result, and at least so many bytes. */
const LEAST_GAIN = { share: 0.1, bytes: 64 }

export const isSmallPicture = ({ width, height }: Size): boolean => Math.min(width, height) < SMALL_SIDE

/**
 * The most bytes that an exact result may have to be preferred to a lossy one of `lossyBytes`. Both are files of one picture. For
 * pictures that are not small this is `lossyBytes`: an exact result is preferred only where it is no larger.
 */
export function mostExactBytes(lossyBytes: number, size: Size): number {
  if (!isSmallPicture(size)) return lossyBytes
  return Math.max(lossyBytes / (1 - LEAST_GAIN.share), lossyBytes + LEAST_GAIN.bytes)
}

/** What `high` asks of small pictures: a point costs about 4 %, which is few bytes there, and pages often show them magnified. */
const SMALL_HIGH_SCORE = 85

/**
 * Sides from which the published score has all six scales. Without the coarsest scales it forgives soft gradients that fall into blocks or
 * rings, so below this side the worst tile, whose weights are complete, must reach the score as well.
 */
const SIDE_WITH_ALL_SCALES = 113

/** The target for a picture of this size. */
export function targetForSize<Target extends { readonly score: number; readonly worstTile: number }>(target: Target, size: Size): Target {
  const lacksScales = Math.min(size.width, size.height) < SIDE_WITH_ALL_SCALES
  return lacksScales ? { ...target, worstTile: Math.max(target.worstTile, target.score) } : target
}

/** What eyes may see of a picture of this size as JPEG, WebP or AVIF. */
export function perceptualTarget(quality: Quality, size: Size): PicturePerceptualTarget {
  const target = LEVELS.perceptual[quality]
  // At the other levels a stricter tile would refuse conversions that eyes accept.
  if (quality !== 'high') return target
  return targetForSize(isSmallPicture(size) ? { ...target, score: SMALL_HIGH_SCORE } : target, size)
}
