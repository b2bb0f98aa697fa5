/** Finding the JPEG quality that reaches a target, or a size. Works on coefficients: from a file or from pixel rows. */

import type { JpegJob, Measured, Scans, Which } from '../../../../wasm/jpeg/jpeg.ts'
import { mostOf } from '../../bytes/min-max.ts'
import type { LumaTarget, Target } from '../../catalog/levels.ts'
import { COLOUR_ALLOWANCE_DB, FLOORS, reaches } from '../../catalog/target.ts'
import { type Bracket, bisect, lowest } from '../../metrics/search.ts'
import { TargetUnreachable } from '../../model/error.ts'
import type { ScoredRows } from '../search/scored-rows.ts'
import {
  CLIMB_MARGIN,
  FAR_STEPS,
  HIGHEST_QUALITY,
  HUFFMAN_LEAST,
  LARGE_PIXELS,
  LOWEST_QUALITY,
  MOST_STEPS_UP,
  PER_QUALITY_STEP,
  QUALITY_GRID,
  SAMPLE_MARGIN,
  SAMPLE_PAIRS,
  SAMPLE_PIXELS,
  SMALL_PIXELS,
  STEPS_TO_GAIN,
  STREAMED_CAUTION,
  STREAMED_TOLERANCE,
  TINY_BYTES,
  TOLERANCE,
} from './tuning.ts'

export interface SearchSettings {
  /** Awaited now and then during long work; throws to end it. */
  pause(): Promise<void>
  /** Has what was made come so near to what was read that finer steps are of no use? */
  isPointless?(job: JpegJob): boolean
  /** Gets what is looked at, where results are verified afterwards. */
  readonly scoredRows?: ScoredRows
}

export interface QualityFigures {
  readonly quality: number
  readonly figures: Measured
}

export interface QualitySearchResult extends QualityFigures {
  /** Is it what was asked for? The highest quality is found where nothing is. */
  readonly reached: boolean
}

/** One of how many pairs of MCU rows a sample takes (the engine looks at a thousand pixels of each). */
export function sampleEvery(width: number, height: number): number {
  if (width * height < SAMPLE_PIXELS) return 1
  const pairs = Math.min(SAMPLE_PAIRS.most, Math.max(SAMPLE_PAIRS.least, (2 * width * height) / 1e6))
  return Math.max(2, Math.floor(height / 32 / pairs))
}

interface Probe {
  readonly quality: number
  readonly figures: Measured
}

/**
 * Lowest quality whose sample reaches the target: three or four probes by bisection of a grid, interpolation between
 * its points. `caution` scales what a sample must show above the target: what a second pass would cost.
 * The tree of probes is the same for every target, so a lower target does not end at a higher quality.
 */
export async function searchQuality(job: JpegJob, target: Target, settings: SearchSettings, caution = 1): Promise<number> {
  return (await search(job, target, settings, caution)).quality
}

/** What was looked for, with all probes on the way. */
async function search(
  job: JpegJob,
  target: Target,
  settings: SearchSettings,
  caution: number,
  /** How far apart in the grid the probes may stay between which it lies: figures are nearly straight lines, but for the finest steps. */
  gap = 1,
): Promise<{ quality: number; probes: readonly Probe[] }> {
  const { width, height } = job.info
  const every = sampleEvery(width, height)
  const share = every > 1 ? caution : 0
  const margin = { ssim: share * SAMPLE_MARGIN.ssimShare * (1 - target.ssim), psnrDb: share * SAMPLE_MARGIN.psnrDb }
  const probes: Probe[] = []
  const isEnough = ({ below, above }: Bracket) =>
    (probes.length > 1 && above < QUALITY_GRID.length - 1 && above - below <= gap) || at(above) <= target.lowestJpegQuality
  // The grid's first quality is as low as it goes, its last what is taken where nothing below reaches the target.
  const range = { first: 1, last: QUALITY_GRID.length - 2, middle: 'lower', isEnough } as const
  const { below: low, above: high } = await bisect(range, async (middle) => {
    const figures = job.estimate(at(middle), every)
    probes.push({ quality: at(middle), figures })
    await settings.pause()
    return reaches(figures, target, margin)
  })
  if (at(high) <= target.lowestJpegQuality) return { quality: target.lowestJpegQuality, probes }
  const found = Math.ceil(crossing(probes, { low: at(low), high: at(high) }, target, margin) - 0.1)
  return {
    quality: Math.max(Math.min(Math.max(found, low === 0 ? LOWEST_QUALITY : at(low) + 1), at(high)), target.lowestJpegQuality),
    probes,
  }
}

const at = (index: number): number => QUALITY_GRID[index] ?? HIGHEST_QUALITY

/** Step sizes grow and shrink with this (IJG's scale); all figures are nearly straight lines over its logarithm. */
export const coarseness = (quality: number) => Math.log(quality < 50 ? 5000 / quality : 200 - 2 * quality)
export const qualityOf = (logarithm: number) => {
  const scale = Math.exp(logarithm)
  return scale > 100 ? 5000 / scale : 100 - scale / 2
}

/** Where the last of the figures meets the target, on the line through the two probes at or nearest to `low` and `high`. */
function crossing(
  probes: readonly Probe[],
  { low, high }: { readonly low: number; readonly high: number },
  target: Target,
  margin: { ssim: number; psnrDb: number },
  /** Figures of the whole picture, which the lines are moved to. */
  whole?: Probe,
): number {
  const distance = ({ quality }: Probe) => Math.max(low - quality, quality - high, 0)
  const [a, b] = probes.toSorted((p, q) => distance(p) - distance(q))
  if (!a || !b) return high
  const wanted = [target.ssim + margin.ssim, target.psnrDb + margin.psnrDb, target.psnrDb - COLOUR_ALLOWANCE_DB] as const
  const lines = (['ssim', 'psnrDb', 'colourPsnrDb'] as const).map((name, index) => {
    const value = (figure: number) => (name === 'ssim' ? -Math.log(Math.max(1 - figure, 1e-6)) : figure)
    const [from, to] = [coarseness(a.quality), coarseness(b.quality)]
    const slope = (value(b.figures[name]) - value(a.figures[name])) / (to - from)
    const goal = value(wanted[index] ?? 0)
    const known = whole ?? a
    if (slope < 0) return qualityOf(coarseness(known.quality) + (goal - value(known.figures[name])) / slope)
    return known.figures[name] >= (wanted[index] ?? 0) ? low : high
  })
  return mostOf(lines)
}

/** How far to go up after a pass that missed the target: near it, a step of quality brings about 0.0015 SSIM and 0.15 dB. */
function nextQuality(quality: number, figures: Measured, target: LumaTarget): number {
  const steps = Math.max(
    (target.ssim - figures.ssim) / PER_QUALITY_STEP.ssim,
    (target.psnrDb - figures.psnrDb) / PER_QUALITY_STEP.psnrDb,
    1,
  )
  return Math.min(HIGHEST_QUALITY, quality + Math.min(MOST_STEPS_UP, Math.ceil(steps)))
}

export const reachesAbout = (figures: Measured, target: Target, tolerance = 1): boolean =>
  reaches(figures, target, { ssim: -TOLERANCE.ssim * tolerance, psnrDb: -TOLERANCE.psnrDb * tolerance })

export const reachesAboutStreamed = (figures: Measured, target: Target): boolean => reachesAbout(figures, target, STREAMED_TOLERANCE)

/** Requantises stored coefficients to the lowest quality that reaches the target, or the highest; the result is ready to be written. */
export async function requantiseToTarget(job: JpegJob, target: Target, settings: SearchSettings): Promise<QualitySearchResult> {
  const { width, height } = job.info
  const [caution, reached] =
    width * height > LARGE_PIXELS ? ([STREAMED_CAUTION, reachesAboutStreamed] as const) : ([1, reachesAbout] as const)
  const small = width * height < SMALL_PIXELS && sampleEvery(width, height) > 1
  const found = await search(job, target, settings, small ? 0 : caution, small ? 2 : 1)
  let { quality } = found
  let again = small
  let missed: Probe | undefined
  for (;;) {
    const figures = await job.requantise(quality, () => settings.pause())
    const better = again ? corrected(found.probes, { quality, figures }, target) : quality
    if (better !== quality) {
      if (better > quality) missed = { quality, figures }
      again = false
      quality = better
      continue
    }
    const good = reached(figures, target)
    if (good && missed) return { ...(await steppedBack(job, missed, { quality, figures }, target, settings)), reached: true }
    if (good || quality >= HIGHEST_QUALITY) return { quality, figures, reached: good }
    again = false
    quality = await qualityAfterMiss(job, quality, figures, target, settings)
  }
}

/**
 * Figures may fall off a cliff where steps come near to those of an earlier compression: what goes by lines climbs out of it too
 * far, even above what a higher target needs. The quality in between that two whole passes point to, if it reaches the target.
 */
async function steppedBack(job: JpegJob, missed: Probe, reached: Probe, target: Target, settings: SearchSettings): Promise<QualityFigures> {
  const exact = crossing([missed, reached], { low: missed.quality, high: reached.quality }, target, { ssim: 0, psnrDb: 0 })
  const quality = Math.max(missed.quality + 1, Math.ceil(exact - 0.1))
  if (quality > reached.quality - FAR_STEPS) return reached
  const figures = await job.requantise(quality, () => settings.pause())
  if (reachesAbout(figures, target)) return { quality, figures }
  await job.requantise(reached.quality, () => settings.pause())
  return reached
}

/** Where a full pass says that the target is met, when that is too far from where the pass was. */
function corrected(probes: readonly Probe[], pass: Probe, target: Target): number {
  if (probes.length < 2) return pass.quality
  const exact = crossing(probes, { low: pass.quality, high: pass.quality }, target, { ssim: 0, psnrDb: 0 }, pass)
  const quality = Math.max(LOWEST_QUALITY, target.lowestJpegQuality, Math.min(HIGHEST_QUALITY, Math.ceil(exact - 0.1)))
  const misses = !reachesAbout(pass.figures, target)
  return misses ? Math.max(quality, pass.quality + 1) : quality <= pass.quality - STEPS_TO_GAIN ? quality : pass.quality
}

/** Probes tell how the figures go on from a pass that missed the target: the first quality that should reach it. */
export async function qualityAfterMiss(
  job: JpegJob,
  from: number,
  missed: Measured,
  target: LumaTarget,
  settings: SearchSettings,
): Promise<number> {
  const every = sampleEvery(job.info.width, job.info.height)
  const start = job.estimate(from, every)
  const last = nextQuality(from, missed, target)
  for (let quality = from + 1; quality < last; quality++) {
    const probe = job.estimate(quality, every)
    await settings.pause()
    const expected = {
      ssim: missed.ssim + probe.ssim - start.ssim,
      psnrDb: missed.psnrDb + probe.psnrDb - start.psnrDb,
      colourPsnrDb: missed.colourPsnrDb + probe.colourPsnrDb - start.colourPsnrDb,
      estimatedBytes: probe.estimatedBytes,
    }
    if (reaches(expected, target, CLIMB_MARGIN)) return quality
  }
  return last
}

/**
 * Requantises stored coefficients to the highest quality whose file has at most `limit` bytes with `overhead` bytes of
 * segments; the result is ready to be written. Throws `TargetUnreachable` where that would break the floors, even with
 * steps that show in smooth areas.
 */
export async function requantiseToSize(job: JpegJob, limit: number, overhead: number, settings: SearchSettings): Promise<QualityFigures> {
  job.refineSmooth(true)
  const best = await largestWithin(job, limit, overhead, settings)
  if (best) return best
  job.refineSmooth(false)
  const coarse = await largestWithin(job, limit, overhead, settings)
  if (coarse) return coarse
  throw new TargetUnreachable(await smallest(job, overhead, settings))
}

/** The highest quality that fits; undefined where that would break the floors. */
async function largestWithin(job: JpegJob, limit: number, overhead: number, settings: SearchSettings): Promise<QualityFigures | undefined> {
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
  let best: QualityFigures | undefined
  for (let passes = 0; passes < 5 && high - low > 1; passes++) {
    const first = Math.max(1, low) + 1
    const tooLarge = async (quality: number) => !((await estimate(quality)) * correction + overhead <= limit)
    const { below } = await bisect({ first, last: high - 1, middle: 'lower' }, tooLarge)
    made = below === low ? low + 1 : below
    const figures = await job.requantise(made, () => settings.pause())
    const bytes = job.size('made', 'progressive')
    correction = bytes / (await estimate(made))
    if (bytes + overhead > limit) {
      high = made
      continue
    }
    low = made
    best = { quality: made, figures }
  }
  if (!best || !reaches(best.figures, FLOORS)) return undefined
  if (made !== best.quality) await job.requantise(best.quality, () => settings.pause())
  return best
}

/** Bytes of the smallest file that keeps the floors. */
async function smallest(job: JpegJob, overhead: number, settings: SearchSettings): Promise<number> {
  const every = sampleEvery(job.info.width, job.info.height)
  let quality = await lowest(1, HIGHEST_QUALITY, async (middle) => {
    const figures = job.estimate(middle, every)
    await settings.pause()
    return reaches(figures, FLOORS)
  })
  for (;;) {
    const figures = await job.requantise(quality, () => settings.pause())
    if (reaches(figures, FLOORS) || quality >= HIGHEST_QUALITY) break
    quality = await qualityAfterMiss(job, quality, figures, FLOORS, settings)
  }
  return overhead + job.size('made', 'progressive')
}

interface CodedScans {
  readonly scans: Scans
  readonly coded: Uint8Array[]
  readonly bytes: number
}

function coded(job: JpegJob, which: Which, scans: Scans): CodedScans {
  const chunks = job.write(which, scans)
  return { scans, coded: chunks, bytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0) }
}

/** The smallest file of the requantised coefficients, of which these are the figures. */
export function smallestFile(job: JpegJob, { estimatedBytes }: Measured): CodedScans {
  return smallerCoding(job, 'made', estimatedBytes * HUFFMAN_LEAST)
}

/** The smallest file of the coefficients as they were read, of which the sequential file had about `sequentialBytes`. */
export function smallestExactFile(job: JpegJob, sequentialBytes: number): CodedScans {
  return smallerCoding(job, 'read', sequentialBytes > TINY_BYTES ? sequentialBytes : 0)
}

/** Progressive; or sequential where that might take less, which it does not below `sequentialLeast`. */
function smallerCoding(job: JpegJob, which: Which, sequentialLeast: number): CodedScans {
  const progressive = coded(job, which, 'progressive')
  if (sequentialLeast > progressive.bytes) return progressive
  const sequential = coded(job, which, 'sequential')
  return sequential.bytes < progressive.bytes ? sequential : progressive
}
