/** The lowest JPEG quality that reaches a target. */
import type { JpegJob, Measured } from '../../../../wasm/jpeg/jpeg.ts'
import type { Target } from './levels.ts'

const LOWEST = 8
const HIGHEST = 95
/** Above this many pixels a quarter of the rows stands for all while searching. */
const SAMPLED_PIXELS = 1_500_000
const SAMPLED_EVERY = 4
/** What a sample may be off. */
const SAMPLE_SSIM = 0.004
const SAMPLE_PSNR_DB = 0.15
const FIRST_STEP = 6
const MAX_CORRECTIONS = 3

export interface Found {
  quality: number
  figures: Measured
}

function reaches(m: Measured, target: Target, slack: boolean): boolean {
  return (
    m.ssim >= target.ssim + (slack ? SAMPLE_SSIM : 0) &&
    m.psnrDb >= target.psnrDb + (slack ? SAMPLE_PSNR_DB : 0) &&
    m.colourPsnrDb >= target.colourPsnrDb
  )
}

/** The lowest quality that seems to reach the target, from one of `every` pairs of rows; undefined when none does. */
export function narrow(job: JpegJob, every: number, target: Target, hint: number): number | undefined {
  const good = (quality: number) => reaches(job.estimate(quality, every), target, every > 1)
  // Gallop away from the hint until good and bad enclose the answer, then halve.
  let low = LOWEST - 1
  let high = HIGHEST + 1
  let probe = Math.min(HIGHEST, Math.max(LOWEST, hint))
  for (let step = FIRST_STEP; ; step *= 2) {
    if (good(probe)) {
      high = probe
      if (probe === LOWEST || low >= LOWEST) break
      probe = Math.max(LOWEST, probe - step)
    } else {
      low = probe
      if (probe === HIGHEST) return undefined
      if (high <= HIGHEST) break
      probe = Math.min(HIGHEST, probe + step)
    }
  }
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (good(middle)) high = middle
    else low = middle
  }
  return high
}

/**
 * Requantises a stored job at the lowest quality that reaches the target (measured on every row at the end); undefined
 * when none does. `hint` is where the last picture of the document ended: pages of one scan are alike.
 */
export async function searchQuality(job: JpegJob, pixels: number, target: Target, hint: number): Promise<Found | undefined> {
  let quality = narrow(job, pixels > SAMPLED_PIXELS ? SAMPLED_EVERY : 1, target, hint)
  if (quality === undefined) return undefined
  for (let correction = 0; correction <= MAX_CORRECTIONS && quality <= HIGHEST; correction++) {
    const figures = await job.requantise(quality)
    if (reaches(figures, target, false)) return { quality, figures }
    quality += 1 + correction * 2
  }
  return undefined
}
