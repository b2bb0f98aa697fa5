/**
 * Predicts the quality of a large picture from a cut: bands that are a quarter of it. A probe of the cut takes a quarter of the time, and
 * its score is a few points higher, because the worst places decide and most of them are elsewhere.
 */
import { isEngineError } from '../../../../wasm/engine-error.ts'
import { JpegJob } from '../../../../wasm/jpeg/jpeg.ts'
import { concat } from '../../bytes/concat.ts'
import type { PicturePerceptualTarget } from '../../catalog/levels.ts'
import { memorySource } from '../../model/source.ts'
import { cachedIfSmall } from '../raster/cached-raster.ts'
import { alongSlope, lumaMargin, marginInPoints, type QualityMargin } from '../search/perceptual-search.ts'
import { AIM_POINTS } from '../search/tuning.ts'
import { jpegRaster } from './decode.ts'
import { type Known, perceptualFiguresOfJob, SCALE, startingQuality } from './perceptual-search.ts'
import { coarseness, qualityOf, type SearchSettings } from './quality-search.ts'
import { CUT } from './tuning.ts'

/** Cut of a picture: a JPEG file in memory. */
export interface Cut {
  readonly file: Uint8Array
  /** Memory in bytes that the samples of the original may take. */
  readonly spareBytes: number
}

/** Returns the cut of stored coefficients that were not changed yet. `undefined`: the picture is too small for one. */
export function cutOf(job: JpegJob, spareBytes: number): Cut | undefined {
  const { width, height } = job.info
  const chunks = width * height < CUT.leastPixels ? undefined : job.writeCut(CUT.every)
  return chunks && { file: concat(chunks), spareBytes }
}

/** Share of the whole picture's loss (100 minus the score) that its cut has near this score. */
const lossShareAt = (score: number) => CUT.lossShare - CUT.lossSharePerPoint * (100 - score)

/**
 * Searches on the cut. `undefined`: the engine cannot read or change it. The whole picture is then searched without a prediction.
 * @param halves true to halve the chroma of the cut, as that of the whole picture
 */
export async function searchCut(
  cut: Cut,
  halves: boolean,
  target: PicturePerceptualTarget,
  settings: SearchSettings,
): Promise<Known | undefined> {
  try {
    return await probeCut(cut, halves, target, settings)
  } catch (error) {
    if (isEngineError(error)) return undefined
    throw error
  }
}

async function probeCut(
  { file, spareBytes }: Cut,
  halves: boolean,
  target: PicturePerceptualTarget,
  settings: SearchSettings,
): Promise<Known> {
  using job = await JpegJob.read(file)
  const reference = cachedIfSmall(jpegRaster(memorySource(file, 'cut.jpg'), job.info), spareBytes)
  if (halves) job.decimate()
  const { score, worstTile } = target
  const eased = { ...target, score: 100 - (100 - score) * lossShareAt(score), worstTile: worstTile + CUT.tileLead }
  const probes: QualityMargin[] = []
  for (let quality = await startingQuality(job, eased, settings); ; ) {
    const figures = await job.requantise(quality, () => settings.pause())
    const visible = await perceptualFiguresOfJob(job, reference)
    const margin = Math.min(lumaMargin(figures, eased), marginInPoints(visible, eased, SCALE))
    probes.push({ quality, margin })
    if (margin < 0 && settings.isPointless?.(job)) return knownFrom(probes, quality)
    const next = qualityAt(probes, CUT.aimPoints)
    const isNear =
      Math.abs(margin - CUT.aimPoints) < CUT.nearPoints && Math.abs(coarseness(next) - coarseness(quality)) < CUT.nearCoarseness
    if (isNear || probes.length === CUT.mostProbes || next === quality) return knownFrom(probes, next)
    quality = next
  }
}

/** What the cut tells about the whole picture. The first probe of the whole picture shows how far its margins differ from those of the cut. */
const knownFrom = (probes: readonly QualityMargin[], quality: number): Known => ({
  quality,
  foretell: (first) => {
    const lead = first.margin - marginAt(probes, first.quality)
    const ruledOut = probes
      .map((probe) => ({ quality: probe.quality, margin: probe.margin + lead }))
      .filter((probe) => probe.margin < -CUT.surePoints && probe.quality < first.quality)
      .toSorted((a, b) => b.quality - a.quality)[0]
    return { quality: qualityAt(probes, AIM_POINTS - lead), ruledOut }
  },
})

/** Margin of the cut at a quality, on the line through the nearest probes. */
function marginAt(probes: readonly QualityMargin[], quality: number): number {
  const distance = (probe: QualityMargin) => Math.abs(coarseness(probe.quality) - coarseness(quality))
  const [nearest, other] = probes.toSorted((a, b) => distance(a) - distance(b))
  if (!nearest) throw new RangeError('the cut has no probe')
  const usual = SCALE.pointsPerCoarseness
  const known = other ? (nearest.margin - other.margin) / (coarseness(other.quality) - coarseness(nearest.quality)) : usual
  return nearest.margin + Math.max(usual / 4, Math.min(usual * 3, known)) * (coarseness(nearest.quality) - coarseness(quality))
}

/** Quality at which the line through the probes below and above the aim meets it, or that through the nearest ones. */
function qualityAt(probes: readonly QualityMargin[], aimPoints: number): number {
  const ordered = probes.toSorted((a, b) => a.quality - b.quality)
  const above = ordered.find(({ margin }) => margin >= aimPoints)
  const below = ordered.findLast(({ margin, quality }) => margin < aimPoints && quality < (above?.quality ?? 0))
  if (!above || !below) return rounded(alongSlope(probes, { ...SCALE, aimPoints }))
  const [from, to] = [coarseness(below.quality), coarseness(above.quality)]
  return rounded(qualityOf(from + ((to - from) * (aimPoints - below.margin)) / (above.margin - below.margin)))
}

const rounded = (quality: number) => Math.round(Math.min(SCALE.highest, Math.max(SCALE.lowest, quality)))
