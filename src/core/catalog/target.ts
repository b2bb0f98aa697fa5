/** Compares measured figures with the target of a level. */
import { FLOOR_PSNR_DB, FLOOR_SSIM } from './floors.ts'
import type { LumaTarget } from './levels.ts'

/** How far the PSNR of colour may be below the target of luma, in dB, because eyes are less sensitive to colour noise. */
export const COLOUR_ALLOWANCE_DB = 5

/** SSIM and PSNR of luma, and the PSNR over all colour channels (`undefined`: not measured). */
export interface Figures {
  readonly ssim: number
  readonly psnrDb: number
  readonly colourPsnrDb?: number
}

export type ColourFigures = Required<Figures>

/** Quality floors of every lossy result, at every level. */
export const FLOORS: LumaTarget = { ssim: FLOOR_SSIM, psnrDb: FLOOR_PSNR_DB }

const NO_SLACK: LumaTarget = { ssim: 0, psnrDb: 0 }

/**
 * True if `figures` reach `target`. `slack`: margin that luma needs above the target if only a sample was measured; negative: how far luma
 * may miss it.
 */
export function reaches(figures: Figures, target: LumaTarget, slack = NO_SLACK): boolean {
  const { ssim, psnrDb, colourPsnrDb = Number.POSITIVE_INFINITY } = figures
  return ssim >= target.ssim + slack.ssim && psnrDb >= target.psnrDb + slack.psnrDb && colourPsnrDb >= target.psnrDb - COLOUR_ALLOWANCE_DB
}
