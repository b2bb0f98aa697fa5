/** Whether measured figures reach a target. */
import { FLOOR_PSNR_DB, FLOOR_SSIM } from './floors.ts'
import type { LumaTarget } from './levels.ts'

/** Colour may be this much noisier than luma: the eye sees less of it. */
export const COLOUR_ALLOWANCE_DB = 5

/** SSIM and PSNR of the luma, and the PSNR of all colour channels where it was measured. */
export interface Figures {
  readonly ssim: number
  readonly psnrDb: number
  readonly colourPsnrDb?: number
}

export type ColourFigures = Required<Figures>

/** What no lossy result may fall below, whatever the level. */
export const FLOORS: LumaTarget = { ssim: FLOOR_SSIM, psnrDb: FLOOR_PSNR_DB }

const NO_SLACK: LumaTarget = { ssim: 0, psnrDb: 0 }

/** `slack`: what luma must show above the target, where a sample stands for the whole; negative: what it may miss. */
export function reaches(figures: Figures, target: LumaTarget, slack = NO_SLACK): boolean {
  const { ssim, psnrDb, colourPsnrDb = Number.POSITIVE_INFINITY } = figures
  return ssim >= target.ssim + slack.ssim && psnrDb >= target.psnrDb + slack.psnrDb && colourPsnrDb >= target.psnrDb - COLOUR_ALLOWANCE_DB
}
