/**
 * Models pages rendered at 144 dpi: the pixel size of each picture on a page, and the loss that recompressed pictures cause on the page.
 */

import { hypot } from '../../bytes/same-math.ts'
import { meanSquaredError, psnrDb } from '../../metrics/ssim-psnr.ts'
import { type LumaFigures, NO_STILL_PICTURE, type PictureLoss, worseLoss } from '../../model/loss.ts'
import { boundsOf, type Matrix } from './matrix.ts'

const POINTS_PER_INCH = 72
/** Resolution in dots per inch at which pages must meet the quality floors. */
export const PAGE_DOTS_PER_INCH = 144
const PIXELS_PER_POINT = PAGE_DOTS_PER_INCH / POINTS_PER_INCH
/** Width of the SSIM window beyond one pixel, in pixels. A pixel error affects every window that contains it. */
const SSIM_WINDOW_MARGIN = 10
/** Minimum side of a page in pixels. */
const MIN_PAGE_SIDE_PIXELS = 1

/** Size in pixels of a page, or of a picture on a page. */
export interface PixelSize {
  readonly width: number
  readonly height: number
}

/** Placement of a picture on a page. */
export interface PicturePlacement {
  readonly page: RenderedPage
  readonly size: PixelSize
  /** Area of the picture as a share of the page area. It exceeds 1 if the picture extends over the page edges. */
  readonly areaShare: number
}

/** Rectangle in points: left, bottom, right, top. */
export type PageBox = readonly [number, number, number, number]

/** One page with the pictures placed on it and their measured loss. */
export class RenderedPage {
  private readonly box: PageBox
  private readonly pixels: number
  /** Sum of the picture areas as a share of the page area. Overlapping pictures count twice. */
  private coveredShare = 0
  private lost = { ssim: 0, error: 0 }
  private worst = { ssim: 0, error: 0 }

  constructor(box: PageBox) {
    this.box = box
    const [width, height] = [box[2] - box[0], box[3] - box[1]].map((side) => Math.max(MIN_PAGE_SIDE_PIXELS, side * PIXELS_PER_POINT))
    this.pixels = width! * height!
  }

  /** Adds a picture that is drawn with `matrix`. `repeated`: the picture belongs to a pattern and may cover the whole page. */
  addPicture(matrix: Matrix, repeated: boolean): PicturePlacement {
    const grid = this.gridOf(matrix)
    const share = repeated ? 1 : ((grid.width + SSIM_WINDOW_MARGIN) * (grid.height + SSIM_WINDOW_MARGIN)) / this.pixels
    this.coveredShare += share
    return { page: this, size: grid, areaShare: share }
  }

  /** Pixel size of a drawn picture. As in PDF renderers, every touched pixel counts in full. */
  private gridOf(matrix: Matrix): PixelSize {
    const [left, , , top] = this.box
    const [x0, y0, x1, y1] = boundsOf(matrix)
    const touched = (from: number, to: number) => Math.max(1, Math.floor(to * PIXELS_PER_POINT) + 1 - Math.floor(from * PIXELS_PER_POINT))
    const [a, b, c, d] = matrix
    if ((b === 0 && c === 0) || (a === 0 && d === 0)) {
      const grid = { width: touched(x0 - left, x1 - left), height: touched(top - y1, top - y0) }
      return a === 0 && d === 0 ? { width: grid.height, height: grid.width } : grid
    }
    return { width: touched(0, hypot(a, b)), height: touched(0, hypot(c, d)) }
  }

  /** True if a picture with these scores keeps the page above `floors`, even if all other pictures on the page lose as much. */
  keepsFloors({ ssim, psnrDb: decibels }: LumaFigures, floors: LumaFigures): boolean {
    const share = Math.min(1, this.coveredShare)
    return (1 - ssim) * share <= 1 - floors.ssim && meanSquaredError(decibels) * share <= meanSquaredError(floors.psnrDb)
  }

  /** Records the scores of a recompressed picture that covers `share` of the page. */
  addLoss(figures: LumaFigures, share: number): void {
    const [ssim, error] = [1 - figures.ssim, meanSquaredError(figures.psnrDb)]
    this.lost = { ssim: this.lost.ssim + ssim * share, error: this.lost.error + error * share }
    this.worst = { ssim: Math.max(this.worst.ssim, ssim), error: Math.max(this.worst.error, error) }
  }

  /** Scores of the whole page. `undefined`: the page lost nothing. Where pictures overlap, the worst score counts. */
  get loss(): PictureLoss | undefined {
    if (this.worst.ssim === 0 && this.worst.error === 0) return undefined
    const ssim = 1 - Math.min(this.lost.ssim, this.worst.ssim)
    const figures = { ssim, psnrDb: psnrDb(Math.min(this.lost.error, this.worst.error)) }
    return { ...figures, measuredAt: 'page_144dpi', ssimulacra2: NO_STILL_PICTURE }
  }
}

/** Returns the loss of the worst page. `undefined`: no page lost anything. */
export function worstPageLoss(sheets: Iterable<RenderedPage>): PictureLoss | undefined {
  let worst: PictureLoss | undefined
  for (const { loss } of sheets) if (loss) worst = worseLoss(worst, loss)
  return worst
}
