/** Searches the lowest JPEG quality that reaches a target, with few encodings. */

import type { JpegJob, Measured } from '../../../../../wasm/jpeg/jpeg.ts'
import { log10 } from '../../../bytes/same-math.ts'
import { yieldToEventLoop } from '../../../bytes/yield.ts'
import { lowestByMargin } from '../../../metrics/search.ts'
import {
  CLOSE_ENOUGH_TO_TARGET_DB,
  HIGHEST_QUALITY,
  LOWEST_QUALITY,
  MAX_CORRECTIONS,
  MAX_SAMPLED_EVERY,
  MAX_SEARCH_PROBES,
  MIN_FINAL_SIZE_SHARE,
  SAMPLED_PIXELS,
  SLOPE_DB,
} from '../tuning.ts'
import type { PictureTarget } from './levels.ts'

export interface FoundQuality {
  quality: number
  figures: Measured
}

const decibel = (ssim: number) => -10 * log10(Math.max(1e-9, 1 - ssim))

/** Distance to the target in dB, for the worst of SSIM, PSNR and chroma PSNR. SSIM is converted to −10 log10 (1 − SSIM). */
export function marginDb(scores: { ssim: number; psnrDb: number; colourPsnrDb: number }, target: PictureTarget): number {
  // Pictures smaller than the SSIM window have no SSIM.
  const similarity = Number.isNaN(scores.ssim) ? Number.POSITIVE_INFINITY : decibel(scores.ssim) - decibel(target.ssim)
  return Math.min(similarity, scores.psnrDb - target.psnrDb, scores.colourPsnrDb - target.colourPsnrDb)
}

/** Searches the lowest quality with a margin of at least 0 dB, starting at `hint`. `undefined`: none. `probe` returns the margin in dB. */
export const searchLowestQuality = (
  probe: (quality: number) => number | Promise<number>,
  { looks = MAX_SEARCH_PROBES, ...from }: { hint: number; closeEnough: number; looks?: number },
) => lowestByMargin({ first: LOWEST_QUALITY, last: HIGHEST_QUALITY, slope: SLOPE_DB, maxProbes: looks, ...from }, probe)

/** Sampling distance: one in this many pairs of rows is measured. */
export const samplingInterval = (pixels: number) => Math.min(MAX_SAMPLED_EVERY, Math.max(1, Math.round(pixels / SAMPLED_PIXELS)))

/** Estimates the lowest quality that reaches the target, from one in `every` pairs of rows. `undefined`: none. */
export function estimateLowestQuality(
  job: JpegJob,
  every: number,
  target: PictureTarget,
  hint: number,
  closeEnoughDb = CLOSE_ENOUGH_TO_TARGET_DB,
): Promise<number | undefined> {
  const probe = async (quality: number) => {
    await yieldToEventLoop()
    return marginDb(job.estimate(quality, every), target)
  }
  return searchLowestQuality(probe, { hint, closeEnough: closeEnoughDb })
}

/**
 * Requantises a job at the lowest quality that reaches the target, measured on all rows. `undefined`: none does, or the result would
 * clearly exceed `budget` bytes. `hint`: quality of the previous picture, since pages of a scan resemble each other.
 */
export async function searchQuality(
  job: JpegJob,
  pixels: number,
  target: PictureTarget,
  hint: number,
  budget: number,
): Promise<FoundQuality | undefined> {
  let quality = await estimateLowestQuality(job, samplingInterval(pixels), target, hint)
  if (quality !== undefined && job.figures.estimatedBytes * MIN_FINAL_SIZE_SHARE > budget) return undefined
  for (let correction = 0; quality !== undefined && correction <= MAX_CORRECTIONS && quality <= HIGHEST_QUALITY; correction++) {
    const figures = await job.requantise(quality, () => yieldToEventLoop())
    const margin = marginDb(figures, target)
    if (margin >= 0) return { quality, figures }
    quality += Math.max(1 + correction, Math.ceil(-margin / SLOPE_DB.up))
  }
  return undefined
}
