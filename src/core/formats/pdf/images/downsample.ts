/**
 * Searches the JPEG quality for pictures that are stored finer than they are drawn and must keep their size. Downsampling damages hard
 * edges such as scanned text. At a finer resolution, each pixel tolerates more loss.
 */
import type { JpegJob } from '../../../../../wasm/jpeg/jpeg.ts'
import { discard } from '../../../../../wasm/memories/discard.ts'
import { concat } from '../../../bytes/concat.ts'
import { yieldToEventLoop } from '../../../bytes/yield.ts'
import type { PicturePerceptualTarget } from '../../../catalog/levels.ts'
import { PictureMeter } from '../../../images/compare/compare.ts'
import { pointsAboveTarget } from '../../../images/jpeg/perceptual-search.ts'
import {
  CLOSE_ENOUGH_REDUCED_DB,
  FINER_SAMPLE,
  FIRST_QUALITY_GUESS,
  HIGHEST_QUALITY,
  MAX_DOWNSAMPLE_PROBES,
  POINTS_PER_DB,
} from '../tuning.ts'
import type { EncodedPicture } from './jpeg.ts'
import { FLOORS, type PictureTarget } from './levels.ts'
import { estimateLowestQuality, marginDb, samplingInterval, searchLowestQuality } from './search.ts'
import { openJpeg, type Preview, type SimilarityReference, similaritiesAtSizes, toGreyOrRgb } from './view.ts'

/** Results of earlier quality searches in the document. Pages are often of a few kinds, and pages of one kind need similar qualities. */
export class QualityHints {
  least = FIRST_QUALITY_GUESS
  /** Maps a JPEG quality estimated from a sample to the additional quality that the whole picture needed. */
  private readonly additionalQuality = new Map<number, number>()

  get fresh(): boolean {
    return this.additionalQuality.size === 0
  }

  aboveOf(least: number): number {
    let best = { distance: Number.POSITIVE_INFINITY, additionalQuality: 0 }
    for (const [quality, additionalQuality] of this.additionalQuality) {
      const distance = Math.abs(quality - least)
      if (distance < best.distance) best = { distance, additionalQuality }
    }
    return best.additionalQuality
  }

  learn(least: number, found: number): void {
    this.least = least
    this.additionalQuality.set(least, found - least)
  }
}

export interface FullSizeRequest {
  job: JpegJob
  /** Original picture, reduced to the size at which the target applies. */
  preview: Preview
  /** Target of the perceptual score at the drawn size. `undefined`: SSIM and PSNR decide. */
  wanted: PicturePerceptualTarget | undefined
}

/**
 * Encodes a JPEG at full size. The scores must reach `target` at the size of `preview`, and the floors at full size. `undefined`: no
 * quality achieves both.
 */
export async function encodeAtFullSize(
  { job, preview, wanted }: FullSizeRequest,
  target: PictureTarget,
  headers: boolean,
  hints: QualityHints,
): Promise<EncodedPicture | undefined> {
  const stored: SimilarityReference = { reference: toGreyOrRgb(preview.pixels, preview.channels), size: preview.size, mode: 'area' }
  const drawn: SimilarityReference = { reference: preview.onScreen, size: preview.screen, mode: 'drawn' }
  const { width, height, components } = job.info
  const every = Math.max(1, Math.round(samplingInterval(width * height) / FINER_SAMPLE))
  const fullSizeTarget = { ...target, ...FLOORS, colourPsnrDb: 0 }
  const closeEnoughDb = CLOSE_ENOUGH_REDUCED_DB[hints.fresh ? 'first' : 'later']
  const least = await estimateLowestQuality(job, every, fullSizeTarget, hints.least, closeEnoughDb)
  if (least === undefined) return undefined
  let best: EncodedPicture | undefined
  const probe = async (quality: number) => {
    const full = await job.requantise(quality, () => yieldToEventLoop())
    const fullSizeMargin = marginDb(full, fullSizeTarget)
    if (fullSizeMargin < 0) return fullSizeMargin
    const data = concat(job.write('made', 'progressive', headers))
    using meter = wanted && new PictureMeter({ ...preview.size, channels: preview.channels === 1 ? 1 : 3 }, ['perceptual'])
    const also = (reference: Uint8Array, rows: Uint8Array) => meter?.push(reference, rows)
    const [storedScores, onScreen] = await similaritiesAtSizes(await openJpeg(data), [{ ...stored, onRows: also }, drawn])
    if (!storedScores || !onScreen) return Number.NEGATIVE_INFINITY
    const luma = marginDb({ ...storedScores, colourPsnrDb: storedScores.psnrRgbDb }, { ...target, ...wanted?.floor })
    const points = meter && wanted ? pointsAboveTarget(meter.finish().perceptual, wanted) : Number.POSITIVE_INFINITY
    const margin = Math.min(luma, points / POINTS_PER_DB, fullSizeMargin)
    if (margin < 0 || (best && best.data.length <= data.length)) {
      discard(data)
      return margin
    }
    if (best) discard(best.data)
    const figures = { ssim: Math.min(full.ssim, storedScores.ssim), psnrDb: Math.min(full.psnrDb, storedScores.psnrDb) }
    best = { width, height, channels: components, data, figures, quality }
    return margin
  }
  const hint = Math.min(HIGHEST_QUALITY, least + hints.aboveOf(least))
  const found = await searchLowestQuality(probe, { hint, looks: MAX_DOWNSAMPLE_PROBES, closeEnough: closeEnoughDb })
  if (found !== undefined) hints.learn(least, found)
  return best
}
