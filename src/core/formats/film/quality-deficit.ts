/** Measures how far a part of a film is below its quality level and the floors. */
import type { Level } from './levels.ts'
import type { PartQuality } from './part-encoder.ts'
import { CRF_STEP_GAIN, WORST_PSNR_DB, WORST_SSIM } from './tuning.ts'

/** Deficit in steps of the rate factor. Zero or less: the part is good enough. */
export function qualityDeficit({ seconds, meanPsnrDb, worstBlockSsim, worstPsnrDb }: PartQuality, level: Level): number {
  // A second that the part holds only partly counts as a whole one. The joined second is then never worse than either share.
  const { worst, mean } = seconds.figures(1)!
  const ssim = Math.max(level.ssim - mean.ssim, WORST_SSIM - Math.min(worst.ssim, worstBlockSsim))
  const psnrDb = Math.max(level.psnrDb - meanPsnrDb, WORST_PSNR_DB - Math.min(worst.psnrDb, worstPsnrDb))
  return Math.max(ssim / CRF_STEP_GAIN.ssim, psnrDb / CRF_STEP_GAIN.psnrDb)
}
