/** Pages drawn at 144 dpi: how large pictures are on them, and what new pictures take away from each page. */

import { meanSquaredError, psnrDb } from '../../metrics/ssim-psnr.ts'
import { type LumaFigures, NO_STILL_PICTURE, type PictureLoss, worseLoss } from '../../model/loss.ts'
import { boundsOf, type Matrix } from './matrix.ts'

const POINTS_PER_INCH = 72
/** The resolution at which pages keep the floors. */
export const PAGE_DOTS_PER_INCH = 144
const PIXELS_PER_POINT = PAGE_DOTS_PER_INCH / POINTS_PER_INCH
/** By how much the window of SSIM is larger than a pixel: errors count in all windows that meet them. */
const WINDOW_REACH = 10
/** Sizes of more pages than any reader shows; what is beyond is as small as this. */
const LEAST_PIXELS = 1

/** The pixels of a page or of a picture on it. */
export interface Grid {
  readonly width: number
  readonly height: number
}

/** A picture, where it is drawn. */
export interface Place {
  readonly sheet: Sheet
  readonly grid: Grid
  /** Of the page; more than 1 for what is drawn over its edges. */
  readonly share: number
}

/** Points: left, bottom, right, top. */
export type Box = readonly [number, number, number, number]

/** One page. */
export class Sheet {
  private readonly box: Box
  private readonly pixels: number
  /** How much of the page pictures cover, one above the other counted twice. */
  private covered = 0
  private lost = { ssim: 0, error: 0 }
  private worst = { ssim: 0, error: 0 }

  constructor(box: Box) {
    this.box = box
    const [width, height] = [box[2] - box[0], box[3] - box[1]].map((side) => Math.max(LEAST_PIXELS, side * PIXELS_PER_POINT))
    this.pixels = width! * height!
  }

  /** A picture drawn with a matrix; `repeated` over all of the page as a pattern is. */
  place(matrix: Matrix, repeated: boolean): Place {
    const grid = this.gridOf(matrix)
    const share = repeated ? 1 : ((grid.width + WINDOW_REACH) * (grid.height + WINDOW_REACH)) / this.pixels
    this.covered += share
    return { sheet: this, grid, share }
  }

  /** Every pixel that is touched counts, as renderers draw pictures. */
  private gridOf(matrix: Matrix): Grid {
    const [left, , , top] = this.box
    const [x0, y0, x1, y1] = boundsOf(matrix)
    const touched = (from: number, to: number) => Math.max(1, Math.floor(to * PIXELS_PER_POINT) + 1 - Math.floor(from * PIXELS_PER_POINT))
    const [a, b, c, d] = matrix
    if ((b === 0 && c === 0) || (a === 0 && d === 0)) {
      const grid = { width: touched(x0 - left, x1 - left), height: touched(top - y1, top - y0) }
      return a === 0 && d === 0 ? { width: grid.height, height: grid.width } : grid
    }
    return { width: touched(0, Math.hypot(a, b)), height: touched(0, Math.hypot(c, d)) }
  }

  /**
   * What a picture may lose for the page to keep `floors`, whatever the others on it lose: all that they cover may be as bad
   * as this.
   */
  allows({ ssim, psnrDb: decibels }: LumaFigures, floors: LumaFigures): boolean {
    const share = Math.min(1, this.covered)
    return (1 - ssim) * share <= 1 - floors.ssim && meanSquaredError(decibels) * share <= meanSquaredError(floors.psnrDb)
  }

  /** A picture at one of its places came to this. */
  lose(figures: LumaFigures, share: number): void {
    const [ssim, error] = [1 - figures.ssim, meanSquaredError(figures.psnrDb)]
    this.lost = { ssim: this.lost.ssim + ssim * share, error: this.lost.error + error * share }
    this.worst = { ssim: Math.max(this.worst.ssim, ssim), error: Math.max(this.worst.error, error) }
  }

  /** The figures of the whole page; undefined where it lost nothing. Of pictures that lie on each other the worst shows. */
  get loss(): PictureLoss | undefined {
    if (this.worst.ssim === 0 && this.worst.error === 0) return undefined
    const ssim = 1 - Math.min(this.lost.ssim, this.worst.ssim)
    const figures = { ssim, psnrDb: psnrDb(Math.min(this.lost.error, this.worst.error)) }
    return { ...figures, measuredAt: 'page_144dpi', ssimulacra2: NO_STILL_PICTURE }
  }
}

/** The worst of the pages that lost something. */
export function worstOf(sheets: Iterable<Sheet>): PictureLoss | undefined {
  let worst: PictureLoss | undefined
  for (const { loss } of sheets) if (loss) worst = worseLoss(worst, loss)
  return worst
}
