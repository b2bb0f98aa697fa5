/** How many pixels of a picture pages show. */
import { PAGE_DOTS_PER_INCH } from '../page-render-sizes.ts'
import { SMALLEST_REDUCTION } from '../tuning.ts'
import type { Drawn } from '../usage.ts'
import type { ImageFacts } from './facts.ts'
import type { Size } from './view.ts'

const POINTS_PER_INCH = 72
/** Pixels a comparison on screen needs at most. */
const MAX_SCREEN_PIXELS = 2_000_000

/** Pixels at `dotsPerInch`; undefined when that saves too little. */
export function sizeFor(facts: ImageFacts, drawn: Drawn, dotsPerInch: number): Size | undefined {
  const across = (drawn.width / POINTS_PER_INCH) * dotsPerInch
  const down = (drawn.height / POINTS_PER_INCH) * dotsPerInch
  // The coarser direction decides, so that the proportions of the stored picture stay.
  const scale = Math.max(across / facts.width, down / facts.height)
  if (!(scale > 0) || scale * SMALLEST_REDUCTION > 1) return undefined
  return { width: Math.max(1, Math.round(facts.width * scale)), height: Math.max(1, Math.round(facts.height * scale)) }
}

/** Pixels on a page at 144 dpi, not more than there are. */
export function screenFor(size: Size, drawn: Drawn | undefined): Size {
  const factor = PAGE_DOTS_PER_INCH / POINTS_PER_INCH
  // Every pixel that is touched counts.
  let width = Math.min(size.width, Math.floor((drawn?.width ?? size.width) * factor) + 1)
  let height = Math.min(size.height, Math.floor((drawn?.height ?? size.height) * factor) + 1)
  const shrink = Math.sqrt((width * height) / MAX_SCREEN_PIXELS)
  if (shrink > 1) {
    width = Math.max(1, Math.floor(width / shrink))
    height = Math.max(1, Math.floor(height / shrink))
  }
  return { width, height }
}
