/** Finding the JPEG quality that reaches a target, or a size. Works on coefficients: from a file or from pixel rows. */

import type { JpegJob, Measured, Scans, Which } from '../../wasm/jpeg/jpeg.ts'
import { FLOOR_PSNR_DB, FLOOR_SSIM, TargetUnreachable } from '../codec/codec.ts'
import type { Target } from '../quality/levels.ts'

/** mozjpeg's quality scale, 1–100. */
const LOWEST = 32
const HIGHEST = 95
/** A sample is trusted only above the target by this much. */
const SAMPLE_MARGIN = { ssim: 0.0015, psnrDb: 0.1 }
/** The whole picture may miss the target by this much before it is done again. */
const TOLERANCE = { ssim: 0.0005, psnrDb: 0.05 }
/** Colour may be this much noisier than luma: the eye sees less of it. */
const COLOUR_ALLOWANCE_DB = 5
/** Pictures below this are looked at whole. */
const SAMPLE_PIXELS = 800_000
/** Pairs of MCU rows in a sample. */
const SAMPLE_PAIRS = 15

export interface SearchSettings {
  /** Awaited now and then during long work; throws to end it. */
  pause(): Promise<void>
}

export interface Found {
  readonly quality: number
  readonly figures: Measured
}

/** One of how many pairs of MCU rows a sample takes (the engine looks at a thousand pixels of each). */
export function sampleEvery(width: number, height: number): number {
  if (width * height < SAMPLE_PIXELS) return 1
  return Math.max(2, Math.floor(height / 32 / SAMPLE_PAIRS))
}

function reaches(figures: Measured, target: Target, ssimSlack: number, psnrSlackDb: number): boolean {
  return (
    figures.ssim >= target.ssim + ssimSlack &&
    figures.psnrDb >= target.psnrDb + psnrSlackDb &&
    figures.colourPsnrDb >= target.psnrDb - COLOUR_ALLOWANCE_DB
  )
}

/**
 * Lowest quality whose sample reaches the target, by bisection. The tree of probes is the same for every target, so a
 * lower target never ends at a higher quality, even where the figures do not grow with every step (requantisation).
 */
export async function searchQuality(job: JpegJob, target: Target, settings: SearchSettings): Promise<number> {
  const { width, height } = job.info
  const every = sampleEvery(width, height)
  const margin = every > 1 ? SAMPLE_MARGIN : { ssim: 0, psnrDb: 0 }
  let low = LOWEST
  let high = HIGHEST
  while (low < high) {
    const middle = (low + high) >> 1
    // What lies below the level's lowest quality need not be looked at: it would not be taken.
    if (middle < target.lowestJpegQuality) low = middle + 1
    else if (reaches(job.estimate(middle, every), target, margin.ssim, margin.psnrDb)) high = middle
    else low = middle + 1
    await settings.pause()
  }
  return Math.max(low, target.lowestJpegQuality)
}

/** How far to go up after a pass that missed the target: near it, a step of quality brings about 0.0015 SSIM and 0.15 dB. */
export function nextQuality(quality: number, figures: Measured, target: Target): number {
  const steps = Math.max((target.ssim - figures.ssim) / 0.0015, (target.psnrDb - figures.psnrDb) / 0.15, 1)
  return Math.min(HIGHEST, quality + Math.min(12, Math.ceil(steps)))
}

export function isReached(quality: number, figures: Measured, target: Target): boolean {
  return quality >= HIGHEST || reaches(figures, target, -TOLERANCE.ssim, -TOLERANCE.psnrDb)
}

/** Requantises stored coefficients to the lowest quality that reaches the target; the result is ready to be written. */
export async function requantiseTo(job: JpegJob, target: Target, settings: SearchSettings): Promise<Found> {
  let quality = await searchQuality(job, target, settings)
  for (;;) {
    const figures = await job.requantise(quality, () => settings.pause())
    if (isReached(quality, figures, target)) return { quality, figures }
    quality = nextQuality(quality, figures, target)
  }
}

const keepsFloors = (figures: Measured) =>
  figures.ssim >= FLOOR_SSIM && figures.psnrDb >= FLOOR_PSNR_DB && figures.colourPsnrDb >= FLOOR_PSNR_DB - COLOUR_ALLOWANCE_DB

/**
 * Requantises stored coefficients to the highest quality whose file has at most `limit` bytes with `overhead` bytes of
 * segments; the result is ready to be written. Throws `TargetUnreachable` where that would break the floors.
 */
export async function requantiseToSize(
  job: JpegJob,
  limit: number,
  overhead: number,
  scans: Scans,
  settings: SearchSettings,
): Promise<Found> {
  const every = sampleEvery(job.info.width, job.info.height)
  const estimates = new Map<number, number>()
  const estimate = async (quality: number) => {
    const known = estimates.get(quality) ?? job.estimate(quality, every).estimatedBytes
    estimates.set(quality, known)
    await settings.pause()
    return known
  }
  // The estimate is of sequential coding and of a sample; each full pass tells by how much it is wrong near the goal.
  let correction = 1
  let low = 0 // fits
  let high = 101 // does not
  let made = 0
  let best: Found | undefined
  for (let passes = 0; passes < 5 && high - low > 1; passes++) {
    let from = Math.max(1, low)
    let to = high - 1
    while (from < to) {
      const middle = (from + to + 1) >> 1
      if ((await estimate(middle)) * correction + overhead <= limit) from = middle
      else to = middle - 1
    }
    made = from === low ? low + 1 : from
    const figures = await job.requantise(made, () => settings.pause())
    const bytes = job.size('made', scans)
    correction = bytes / (await estimate(made))
    if (bytes + overhead > limit) {
      high = made
      continue
    }
    low = made
    best = { quality: made, figures }
  }
  if (!best || !keepsFloors(best.figures)) throw new TargetUnreachable(await smallest(job, overhead, scans, settings))
  if (made !== best.quality) await job.requantise(best.quality, () => settings.pause())
  return best
}

/** Bytes of the smallest file that keeps the floors. */
async function smallest(job: JpegJob, overhead: number, scans: Scans, settings: SearchSettings): Promise<number> {
  let low = 1
  let high = HIGHEST
  const every = sampleEvery(job.info.width, job.info.height)
  while (low < high) {
    const middle = (low + high) >> 1
    if (keepsFloors(job.estimate(middle, every))) high = middle
    else low = middle + 1
    await settings.pause()
  }
  await job.requantise(low, () => settings.pause())
  return overhead + job.size('made', scans)
}

/** Below this a script is searched for, below the other two are tried, above that the bit rate decides. */
const SEARCH_PIXELS = 400_000
const TRY_PIXELS = 8_000_000
/** Bits per pixel above which refinement scans pay. */
const SIMPLE_BITS = 0.55

/** The scan scripts worth trying for a picture whose sequential coding takes `bytes`. */
export function scansFor(width: number, height: number, bytes: number): readonly [Scans, ...Scans[]] {
  const pixels = width * height
  if (pixels <= SEARCH_PIXELS) return bytes < 30_000 ? ['search', 'sequential'] : ['search']
  if (pixels <= TRY_PIXELS) return ['progressive', 'simple']
  return [(bytes * 8) / pixels < SIMPLE_BITS ? 'simple' : 'progressive']
}

/** The file by the script that makes it smallest. */
export function smallestFile(
  job: JpegJob,
  which: Which,
  scripts: readonly [Scans, ...Scans[]],
): { scans: Scans; coded: Uint8Array[]; bytes: number } {
  let best: { scans: Scans; coded: Uint8Array[]; bytes: number } | undefined
  for (const scans of scripts) {
    const coded = job.write(which, scans)
    const bytes = coded.reduce((sum, chunk) => sum + chunk.length, 0)
    if (!best || bytes < best.bytes) best = { scans, coded, bytes }
  }
  return best as NonNullable<typeof best>
}
