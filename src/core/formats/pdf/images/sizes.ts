/** Pixel sizes of pictures as drawn on pages. */
import { PAGE_DOTS_PER_INCH } from '../page-render-sizes.ts'
import { SMALLEST_REDUCTION } from '../tuning.ts'
import type { DrawnImage } from '../usage.ts'
import type { ImageFacts } from './facts.ts'
import type { Size } from './view.ts'

const POINTS_PER_INCH = 72
/** Maximum number of pixels for a comparison at screen resolution. */
const MAX_SCREEN_PIXELS = 2_000_000

/**
 * Size of a picture in pixels at `dotsPerInch`. `undefined`: the factor per side would be below `smallestReduction`, so downsampling would
 * save too little.
 */
export function downsampledSize(
  facts: ImageFacts,
  drawn: DrawnImage,
  dotsPerInch: number,
  smallestReduction = SMALLEST_REDUCTION,
): Size | undefined {
  const across = (drawn.width / POINTS_PER_INCH) * dotsPerInch
  const down = (drawn.height / POINTS_PER_INCH) * dotsPerInch
  // The larger scale of both directions applies to both, so the stored picture keeps its proportions.
  const scale = Math.max(across / facts.width, down / facts.height)
  if (!(scale > 0) || scale * smallestReduction > 1) return undefined
  return { width: Math.max(1, Math.round(facts.width * scale)), height: Math.max(1, Math.round(facts.height * scale)) }
}

/** Size of a picture on a page at 144 dpi in pixels; at most its stored size. */
export function screenSizeOf(size: Size, drawn: DrawnImage | undefined): Size {
  const factor = PAGE_DOTS_PER_INCH / POINTS_PER_INCH
  // Every pixel that the picture touches counts in full.
  let width = Math.min(size.width, Math.floor((drawn?.width ?? size.width) * factor) + 1)
  let height = Math.min(size.height, Math.floor((drawn?.height ?? size.height) * factor) + 1)
  const shrink = Math.sqrt((width * height) / MAX_SCREEN_PIXELS)
  if (shrink > 1) {
    width = Math.max(1, Math.floor(width / shrink))
    height = Math.max(1, Math.floor(height / shrink))
  }
  return { width, height }
}
