/** Sizes at which a picture is compared with the original. */
import { minOf } from '../../../bytes/min-max.ts'
import type { Similarity } from '../../../metrics/ssim-psnr.ts'
import type { LumaFigures } from '../../../model/loss.ts'
import type { PicturePlacement } from '../page-render-sizes.ts'
import { MAX_COMPARED_PIXELS, MAX_COMPARED_SIZES } from '../tuning.ts'
import type { Size } from './scale.ts'

/** Pixel sizes of a picture on the pages, from largest to smallest. If there are too many, a sample of them. */
export function comparisonSizes(places: readonly PicturePlacement[]): Size[] {
  const sizes = new Map(places.map(({ size: grid }) => [keyOf(grid), bounded(grid)]))
  const sorted = [...sizes.values()].sort((a, b) => b.width * b.height - a.width * a.height)
  if (sorted.length <= MAX_COMPARED_SIZES) return sorted
  return Array.from({ length: MAX_COMPARED_SIZES }, (_, i) => sorted[Math.round((i * (sorted.length - 1)) / (MAX_COMPARED_SIZES - 1))]!)
}

/** Scores of a picture at the size of this placement. For a size that was not measured, the worst measured score. */
export function scoresAtPlacement({ size: grid }: PicturePlacement, grids: readonly Size[], measured: readonly Similarity[]): LumaFigures {
  const placementKey = keyOf(bounded(grid))
  const measuredAtSize = measured.filter((_, i) => keyOf(grids[i]!) === placementKey)
  const scores = measuredAtSize.length > 0 ? measuredAtSize : measured
  return { ssim: minOf(scores.map(({ ssim }) => ssim)), psnrDb: minOf(scores.map(({ psnrDb }) => psnrDb)) }
}

const keyOf = ({ width, height }: Size) => `${width} ${height}`

function bounded({ width, height }: Size): Size {
  const shrink = Math.max(1, Math.sqrt((width * height) / MAX_COMPARED_PIXELS))
  return { width: Math.max(1, Math.floor(width / shrink)), height: Math.max(1, Math.floor(height / shrink)) }
}
