/** Compares what an outcome claims with measured figures. */
import { FLOOR_PSNR_DB, FLOOR_SSIM } from '../../catalog/floors.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import type { Outcome } from '../../model/codec.ts'
import { CLAIM_TOLERANCE } from './tuning.ts'

/** True if the outcome is lossless, so that every sample must be unchanged. */
export const isExact = (outcome: Outcome): boolean => outcome.kind === 'unchanged' || !outcome.loss

/**
 * Describes a contradiction between the outcome and the measured figures. Claimed figures must not be better, and a lossless claim
 * requires equal samples. `undefined`: none.
 */
export function claimDifference(outcome: Outcome, found: Similarity): string | undefined {
  if (outcome.kind === 'unchanged') return undefined
  if (!outcome.loss)
    return Number.isFinite(found.psnrRgbDb) ? `the outcome claims a lossless result, but the PSNR is ${found.psnrRgbDb} dB` : undefined
  if (!outcome.loss.pictures) return 'the outcome has a loss without quality figures'
  const { ssim, psnrDb } = outcome.loss.pictures
  return ssim > found.ssim + CLAIM_TOLERANCE.ssim || psnrDb > found.psnrDb + CLAIM_TOLERANCE.psnrDb
    ? `claimed ${ssim} and ${psnrDb} dB, found ${found.ssim} and ${found.psnrDb} dB`
    : undefined
}

/** Describes figures below the floors, or a contradiction with the outcome. `undefined`: none. */
export const lossDifference = (outcome: Outcome, found: Similarity) => belowFloors(found) ?? claimDifference(outcome, found)

function belowFloors({ ssim, psnrDb }: Similarity): string | undefined {
  return ssim < FLOOR_SSIM || psnrDb < FLOOR_PSNR_DB ? `SSIM ${ssim.toFixed(3)}, ${psnrDb.toFixed(1)} dB` : undefined
}
