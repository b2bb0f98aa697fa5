/** How far a part of a film is from what its level and the floors ask. */
import type { Level } from './levels.ts'
import type { PartQuality } from './part-encoder.ts'
import { CRF_STEP_WORTH, WORST_PSNR_DB, WORST_SSIM } from './tuning.ts'

/** In steps of the rate factor; zero or less where nothing is missing. */
export function shortOf({ seconds, meanPsnrDb, worstBlockSsim, worstPsnrDb }: PartQuality, level: Level): number {
  // A second that the part only begins or ends with counts as one: then the whole second will be no worse than both shares.
  const { worst, mean } = seconds.figures(1)!
  const ssim = Math.max(level.ssim - mean.ssim, WORST_SSIM - Math.min(worst.ssim, worstBlockSsim))
  const psnrDb = Math.max(level.psnrDb - meanPsnrDb, WORST_PSNR_DB - Math.min(worst.psnrDb, worstPsnrDb))
  return Math.max(ssim / CRF_STEP_WORTH.ssim, psnrDb / CRF_STEP_WORTH.psnrDb)
}
