/** Searches the lowest JPEG quality that reaches a target, with few encodings. */
import type { JpegJob, Measured } from '../../../../../wasm/jpeg/jpeg.ts'
import { yieldToOthers } from '../../../bytes/yield.ts'
import { lowestByMargin } from '../../../metrics/search.ts'
import {
  CLOSE_ENOUGH_TO_TARGET_DB,
  HIGHEST_QUALITY,
  LOWEST_QUALITY,
  MAX_CORRECTIONS,
  MAX_SAMPLED_EVERY,
  MAX_SEARCH_PROBES,
  MOST_GAINED,
  SAMPLED_PIXELS,
  SLOPE_DB,
} from '../tuning.ts'
import type { Target } from './levels.ts'

export interface Found {
  quality: number
  figures: Measured
}

const decibel = (ssim: number) => -10 * Math.log10(Math.max(1e-9, 1 - ssim))

/** Distance to the target in dB, for the worst of SSIM, PSNR and chroma PSNR. SSIM is converted to −10 log10 (1 − SSIM). */
export function marginDb(scores: { ssim: number; psnrDb: number; colourPsnrDb: number }, target: Target): number {
  // Pictures smaller than the SSIM window have no SSIM.
  const similarity = Number.isNaN(scores.ssim) ? Number.POSITIVE_INFINITY : decibel(scores.ssim) - decibel(target.ssim)
  return Math.min(similarity, scores.psnrDb - target.psnrDb, scores.colourPsnrDb - target.colourPsnrDb)
}

/** Searches the lowest quality with a margin of at least 0 dB, starting at `hint`. `undefined`: none. `probe` returns the margin in dB. */
export const lowestGood = (
  probe: (quality: number) => number | Promise<number>,
  { looks = MAX_SEARCH_PROBES, ...from }: { hint: number; closeEnough: number; looks?: number },
) => lowestByMargin({ first: LOWEST_QUALITY, last: HIGHEST_QUALITY, slope: SLOPE_DB, looks, ...from }, probe)

/** Sampling distance: one in this many pairs of rows is measured. */
export const sampledEvery = (pixels: number) => Math.min(MAX_SAMPLED_EVERY, Math.max(1, Math.round(pixels / SAMPLED_PIXELS)))

/** Estimates the lowest quality that reaches the target, from one in `every` pairs of rows. `undefined`: none. */
export function narrow(
  job: JpegJob,
  every: number,
  target: Target,
  hint: number,
  closeEnoughDb = CLOSE_ENOUGH_TO_TARGET_DB,
): Promise<number | undefined> {
  const probe = async (quality: number) => {
    await yieldToOthers()
    return marginDb(job.estimate(quality, every), target)
  }
  return lowestGood(probe, { hint, closeEnough: closeEnoughDb })
}

/**
 * Requantises a job at the lowest quality that reaches the target, measured on all rows. `undefined`: none does, or the result would
 * clearly exceed `budget` bytes. `hint`: quality of the previous picture, since pages of a scan resemble each other.
 */
export async function searchQuality(
  job: JpegJob,
  pixels: number,
  target: Target,
  hint: number,
  budget: number,
): Promise<Found | undefined> {
  let quality = await narrow(job, sampledEvery(pixels), target, hint)
  if (quality !== undefined && job.figures.estimatedBytes * MOST_GAINED > budget) return undefined
  for (let correction = 0; quality !== undefined && correction <= MAX_CORRECTIONS && quality <= HIGHEST_QUALITY; correction++) {
    const figures = await job.requantise(quality, () => yieldToOthers())
    const margin = marginDb(figures, target)
    if (margin >= 0) return { quality, figures }
    quality += Math.max(1 + correction, Math.ceil(-margin / SLOPE_DB.up))
  }
  return undefined
}
