/**
 * Searches for the JPEG quality that reaches a quality target or a file size. Works on coefficients, decoded from a file or computed from
 * pixel rows.
 */

import type { CoefficientSet, JpegJob, Measured, Scans } from '../../../../wasm/jpeg/jpeg.ts'
import { maxOf } from '../../bytes/min-max.ts'
import { exp, log } from '../../bytes/same-math.ts'
import type { LossyPictureTarget, LumaTarget } from '../../catalog/levels.ts'
import { COLOUR_ALLOWANCE_DB, FLOORS, reaches } from '../../catalog/target.ts'
import { type Bracket, bisect, lowestThatHolds } from '../../metrics/search.ts'
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
  /** Called regularly during long work, so that other tasks can run; throws if the job is aborted. */
  pause(): Promise<void>
  /** True if the result is nearly as large as the source, so that finer steps cannot save bytes. */
  isPointless?(job: JpegJob): boolean
  /** Cache of scored rows, which the verification of the result reuses. `undefined`: no cache. */
  readonly scoredRows?: ScoredRows
}

export interface QualityFigures {
  readonly quality: number
  readonly figures: Measured
}

export interface QualitySearchResult extends QualityFigures {
  /** True if the target is reached. If no quality reaches it, the result has the highest quality. */
  readonly reached: boolean
}

/** Sampling interval: one of every `n` pairs of MCU rows is in the sample. The engine compares a thousand pixels of each pair. */
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
 * Searches for the lowest quality whose sample reaches the target, with three or four probes of a fixed grid and interpolation between
 * them. `caution` scales the safety margin of the sample. All targets probe the same tree, so that a lower target never ends at a higher
 * quality.
 */
export async function searchQuality(job: JpegJob, target: LossyPictureTarget, settings: SearchSettings, caution = 1): Promise<number> {
  return (await search(job, target, settings, caution)).quality
}

/** Searches like `searchQuality`, and also returns all probes. */
async function search(
  job: JpegJob,
  target: LossyPictureTarget,
  settings: SearchSettings,
  caution: number,
  /** Largest distance in grid steps between the two probes around the result. Larger values suffice where figures are nearly linear. */
  gap = 1,
): Promise<{ quality: number; probes: readonly Probe[] }> {
  const { width, height } = job.info
  const every = sampleEvery(width, height)
  const share = every > 1 ? caution : 0
  const margin = { ssim: share * SAMPLE_MARGIN.ssimShare * (1 - target.ssim), psnrDb: share * SAMPLE_MARGIN.psnrDb }
  const probes: Probe[] = []
  const isEnough = ({ below, above }: Bracket) =>
    (probes.length > 1 && above < QUALITY_GRID.length - 1 && above - below <= gap) || at(above) <= target.lowestJpegQuality
  // The first grid quality is the search's minimum. The last one is the fallback if nothing below it reaches the target.
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

/** Logarithm of the quantisation step scale at `quality` (IJG's formula). All quality figures are nearly linear in it. */
export const coarseness = (quality: number) => log(quality < 50 ? 5000 / quality : 200 - 2 * quality)
export const qualityOf = (logarithm: number) => {
  const scale = exp(logarithm)
  return scale > 100 ? 5000 / scale : 100 - scale / 2
}

/** Quality at which all figures meet the target, by linear interpolation through the two probes nearest to `low` and `high`. */
function crossing(
  probes: readonly Probe[],
  { low, high }: { readonly low: number; readonly high: number },
  target: LossyPictureTarget,
  margin: { ssim: number; psnrDb: number },
  /** Figures of the whole picture, which shift the interpolation lines. */
  whole?: Probe,
): number {
  const distance = ({ quality }: Probe) => Math.max(low - quality, quality - high, 0)
  const [a, b] = probes.toSorted((p, q) => distance(p) - distance(q))
  if (!a || !b) return high
  const goals = [target.ssim + margin.ssim, target.psnrDb + margin.psnrDb, target.psnrDb - COLOUR_ALLOWANCE_DB] as const
  const lines = (['ssim', 'psnrDb', 'colourPsnrDb'] as const).map((name, index) => {
    const value = (figure: number) => (name === 'ssim' ? -log(Math.max(1 - figure, 1e-6)) : figure)
    const [from, to] = [coarseness(a.quality), coarseness(b.quality)]
    const slope = (value(b.figures[name]) - value(a.figures[name])) / (to - from)
    const goal = value(goals[index] ?? 0)
    const known = whole ?? a
    if (slope < 0) return qualityOf(coarseness(known.quality) + (goal - value(known.figures[name])) / slope)
    return known.figures[name] >= (goals[index] ?? 0) ? low : high
  })
  return maxOf(lines)
}

/** Next quality after a pass below the target. Near the target one quality step adds about 0.0015 SSIM and 0.15 dB. */
function nextQuality(quality: number, figures: Measured, target: LumaTarget): number {
  const steps = Math.max(
    (target.ssim - figures.ssim) / PER_QUALITY_STEP.ssim,
    (target.psnrDb - figures.psnrDb) / PER_QUALITY_STEP.psnrDb,
    1,
  )
  return Math.min(HIGHEST_QUALITY, quality + Math.min(MOST_STEPS_UP, Math.ceil(steps)))
}

const reachesWithinTolerance = (figures: Measured, target: LossyPictureTarget, tolerance = 1): boolean =>
  reaches(figures, target, { ssim: -TOLERANCE.ssim * tolerance, psnrDb: -TOLERANCE.psnrDb * tolerance })

export const reachesWithinStreamedTolerance = (figures: Measured, target: LossyPictureTarget): boolean =>
  reachesWithinTolerance(figures, target, STREAMED_TOLERANCE)

/**
 * Requantises stored coefficients to the lowest quality that reaches the target, or to the highest quality; the job can then write the
 * result.
 */
export async function requantiseToTarget(job: JpegJob, target: LossyPictureTarget, settings: SearchSettings): Promise<QualitySearchResult> {
  const { width, height } = job.info
  const [caution, reached] =
    width * height > LARGE_PIXELS ? ([STREAMED_CAUTION, reachesWithinStreamedTolerance] as const) : ([1, reachesWithinTolerance] as const)
  const small = width * height < SMALL_PIXELS && sampleEvery(width, height) > 1
  const found = await search(job, target, settings, small ? 0 : caution, small ? 2 : 1)
  let { quality } = found
  let mayCorrect = small
  let missed: Probe | undefined
  for (;;) {
    const figures = await job.requantise(quality, () => settings.pause())
    const correctedTo = mayCorrect ? correctedQuality(found.probes, { quality, figures }, target) : quality
    if (correctedTo !== quality) {
      if (correctedTo > quality) missed = { quality, figures }
      mayCorrect = false
      quality = correctedTo
      continue
    }
    const isReached = reached(figures, target)
    if (isReached && missed) return { ...(await retryBetween(job, missed, { quality, figures }, target, settings)), reached: true }
    if (isReached || quality >= HIGHEST_QUALITY) return { quality, figures, reached: isReached }
    mayCorrect = false
    quality = await qualityAfterMiss(job, quality, figures, target, settings)
  }
}

/**
 * Tries a quality between a pass that missed the target and one that reached it far above. Quality can drop sharply where step sizes come
 * near those of an earlier compression, so linear interpolation overshoots.
 */
async function retryBetween(
  job: JpegJob,
  missed: Probe,
  reached: Probe,
  target: LossyPictureTarget,
  settings: SearchSettings,
): Promise<QualityFigures> {
  const exact = crossing([missed, reached], { low: missed.quality, high: reached.quality }, target, { ssim: 0, psnrDb: 0 })
  const quality = Math.max(missed.quality + 1, Math.ceil(exact - 0.1))
  if (quality > reached.quality - FAR_STEPS) return reached
  const figures = await job.requantise(quality, () => settings.pause())
  if (reachesWithinTolerance(figures, target)) return { quality, figures }
  await job.requantise(reached.quality, () => settings.pause())
  return reached
}

/** Corrected quality after a full pass, or the quality of the pass if the correction is too small to pay. */
function correctedQuality(probes: readonly Probe[], pass: Probe, target: LossyPictureTarget): number {
  if (probes.length < 2) return pass.quality
  const exact = crossing(probes, { low: pass.quality, high: pass.quality }, target, { ssim: 0, psnrDb: 0 }, pass)
  const quality = Math.max(LOWEST_QUALITY, target.lowestJpegQuality, Math.min(HIGHEST_QUALITY, Math.ceil(exact - 0.1)))
  const misses = !reachesWithinTolerance(pass.figures, target)
  return misses ? Math.max(quality, pass.quality + 1) : quality <= pass.quality - STEPS_TO_GAIN ? quality : pass.quality
}

/** First quality above `from` that should reach the target, estimated from probes of the sample. */
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
 * Requantises stored coefficients to the highest quality whose file has at most `limit` bytes, including `overhead` bytes of segments.
 * @throws TargetUnreachable if that quality is below the floors, even with coarse steps in smooth areas
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

/** Requantises to the highest quality that fits the limit. `undefined`: that quality is below the floors. */
async function largestWithin(job: JpegJob, limit: number, overhead: number, settings: SearchSettings): Promise<QualityFigures | undefined> {
  const every = sampleEvery(job.info.width, job.info.height)
  const estimates = new Map<number, number>()
  const estimate = async (quality: number) => {
    const known = estimates.get(quality) ?? job.estimate(quality, every).estimatedBytes
    estimates.set(quality, known)
    await settings.pause()
    return known
  }
  // Correction factor of the size estimate, which assumes sequential coding and a sample. Each full pass updates it.
  let correction = 1
  let low = 0 // highest quality that is known to fit
  let high = 101 // lowest quality that is known to exceed the limit
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

/** Size in bytes of the smallest file that keeps the floors. */
async function smallest(job: JpegJob, overhead: number, settings: SearchSettings): Promise<number> {
  const every = sampleEvery(job.info.width, job.info.height)
  let quality = await lowestThatHolds(1, HIGHEST_QUALITY, async (middle) => {
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

function coded(job: JpegJob, which: CoefficientSet, scans: Scans): CodedScans {
  const chunks = job.write(which, scans)
  return { scans, coded: chunks, bytes: chunks.reduce((sum, chunk) => sum + chunk.length, 0) }
}

/** Writes the smallest file of the requantised coefficients. The second parameter are their figures. */
export function writeSmallest(job: JpegJob, { estimatedBytes }: Measured): CodedScans {
  return smallerCoding(job, 'made', estimatedBytes * HUFFMAN_LEAST)
}

/** Writes the smallest file of the unchanged coefficients. `sequentialBytes`: approximate size of the source file as a sequential JPEG. */
export function writeSmallestLossless(job: JpegJob, sequentialBytes: number): CodedScans {
  return smallerCoding(job, 'read', sequentialBytes > TINY_BYTES ? sequentialBytes : 0)
}

/**
 * Writes progressive scans. If a sequential file might be smaller than that, writes it too and returns the smaller one; `sequentialLeast`
 * is its minimum size.
 */
function smallerCoding(job: JpegJob, which: CoefficientSet, sequentialLeast: number): CodedScans {
  const progressive = coded(job, which, 'progressive')
  if (sequentialLeast > progressive.bytes) return progressive
  const sequential = coded(job, which, 'sequential')
  return sequential.bytes < progressive.bytes ? sequential : progressive
}
