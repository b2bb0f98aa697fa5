/** Sizes at which a picture is compared with the original. */
import { leastOf } from '../../../bytes/min-max.ts'
import type { Similarity } from '../../../metrics/ssim-psnr.ts'
import type { LumaFigures } from '../../../model/loss.ts'
import type { Place } from '../page-render-sizes.ts'
import { MOST_GRID_PIXELS, MOST_GRIDS } from '../tuning.ts'
import type { Size } from './scale.ts'

/** Pixel sizes of a picture on the pages, from largest to smallest. If there are too many, a sample of them. */
export function gridsOf(places: readonly Place[]): Size[] {
  const sizes = new Map(places.map(({ grid }) => [keyOf(grid), bounded(grid)]))
  const sorted = [...sizes.values()].sort((a, b) => b.width * b.height - a.width * a.height)
  if (sorted.length <= MOST_GRIDS) return sorted
  return Array.from({ length: MOST_GRIDS }, (_, i) => sorted[Math.round((i * (sorted.length - 1)) / (MOST_GRIDS - 1))]!)
}

/** Scores of a picture at the size of this placement. For a size that was not measured, the worst measured score. */
export function figuresAt({ grid }: Place, grids: readonly Size[], measured: readonly Similarity[]): LumaFigures {
  const placementKey = keyOf(bounded(grid))
  const measuredAtSize = measured.filter((_, i) => keyOf(grids[i]!) === placementKey)
  const scores = measuredAtSize.length > 0 ? measuredAtSize : measured
  return { ssim: leastOf(scores.map(({ ssim }) => ssim)), psnrDb: leastOf(scores.map(({ psnrDb }) => psnrDb)) }
}

const keyOf = ({ width, height }: Size) => `${width} ${height}`

function bounded({ width, height }: Size): Size {
  const shrink = Math.max(1, Math.sqrt((width * height) / MOST_GRID_PIXELS))
  return { width: Math.max(1, Math.floor(width / shrink)), height: Math.max(1, Math.floor(height / shrink)) }
}
