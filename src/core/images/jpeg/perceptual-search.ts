/** Searches for the lowest JPEG quality that reaches a perceptual score (../search/perceptual-search.ts). */
import { type JpegJob, JpegRows, type Measured } from '../../../../wasm/jpeg/jpeg.ts'
import type { PicturePerceptualTarget } from '../../catalog/levels.ts'
import type { PerceptualFigures } from '../../metrics/perceptual.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import { similarityOfRows } from '../compare/compare.ts'
import type { Strips } from '../compare/paired-rows.ts'
import type { Raster } from '../raster/raster.ts'
import {
  isMeasuredInBands,
  lowestPerceptualQuality,
  lumaMargin,
  marginInPoints,
  type PerceptualResult,
  perceptualFiguresOf,
  type QualityMargin,
  type QualityScale,
  type QualityTrials,
  type SearchStart,
  withFewProbes,
} from '../search/perceptual-search.ts'
import type { ScoredRows } from '../search/scored-rows.ts'
import { MOST_RULED_OUT } from '../search/tuning.ts'
import { coarseness, qualityAfterMiss, qualityOf, type SearchSettings, searchQuality } from './quality-search.ts'
import { CUT, FULL_CHROMA_POINTS, HIGHEST_QUALITY, PERCEPTUAL_BANDS, PERCEPTUAL_SCALE, STRIP_ROWS } from './tuning.ts'

export { canBeScored, scoreMarginPoints } from '../search/perceptual-search.ts'

export const SCALE: QualityScale = { ...PERCEPTUAL_SCALE, highest: HIGHEST_QUALITY, coarseness, qualityOf, skipsRuledOutProbes: true }

const IN_BANDS: QualityScale = { ...withFewProbes(SCALE), ...PERCEPTUAL_BANDS }

const scaleFor = (picture: Raster) => (isMeasuredInBands(picture) ? IN_BANDS : SCALE)

/** Original picture that results are compared with. */
export interface JpegReference extends Raster {
  /**
   * Converts rows of a result (RGB, or CMYK if `isCmyk`) to the form of the reference, such as RGBA below a mask. `undefined`: rows are
   * compared as decoded.
   */
  displayedRows?(rows: Strips): AsyncIterable<Uint8Array>
  /** True if results are CMYK and the reference shows the printed colours. */
  readonly isCmyk?: boolean
}

/**
 * What is known before a search. `quality`: first quality to try; `margin`: its margin in another chroma format; `foretell`: as in
 * `SearchStart`, after a search on a cut.
 */
export interface Known {
  readonly quality?: number | undefined
  readonly margin?: number | undefined
  readonly foretell?: SearchStart['foretell']
}

/** Requantises stored coefficients to the lowest quality that reaches the perceptual target; the job can then write the result. */
export async function requantiseToScore(
  job: JpegJob,
  reference: JpegReference,
  target: PicturePerceptualTarget,
  settings: SearchSettings,
  from: Known = {},
): Promise<PerceptualResult<Measured>> {
  let last: { readonly quality: number; readonly figures: Measured } | undefined
  const encode = async (quality: number) => {
    if (last?.quality !== quality) last = { quality, figures: await job.requantise(quality, () => settings.pause()) }
    return last.figures
  }
  const isPointless = () => settings.isPointless?.(job) ?? false
  const trials: QualityTrials<Measured> = {
    encode: encode,
    perceptualFigures: () => perceptualFiguresOfJob(job, reference, settings.scoredRows),
    bytes: () => last?.figures.estimatedBytes ?? 0,
    isPointless: (margin) => margin < 0 && isPointless(),
  }
  let quality = from.quality ?? (await startingQuality(job, target, settings))
  if (from.margin !== undefined) return lowestPerceptualQuality(trials, target, scaleFor(reference), { quality, otherMargin: from.margin })
  const ruledOut: QualityMargin[] = []
  // A perceptual probe takes three times as long as an encoding. Skip it if the luma figures already miss their floor.
  while (ruledOut.length < MOST_RULED_OUT && quality < HIGHEST_QUALITY) {
    const figures = await encode(quality)
    const margin = lumaMargin(figures, target)
    if (margin >= 0 || isPointless()) break
    ruledOut.push({ quality, margin })
    quality = await qualityAfterMiss(job, quality, figures, target.floor, settings)
  }
  // A score that the caller asked for is worth a further probe, and the smallest result.
  const close = target.isWantedScore ? {} : { closePoints: CUT.closePoints }
  const scale = from.foretell ? { ...close, interpolates: true, ...scaleFor(reference) } : scaleFor(reference)
  return lowestPerceptualQuality(trials, target, scale, { quality, ruledOut, foretell: from.foretell })
}

/** End of a search with halved chroma. */
interface HalvedEnd {
  readonly quality: number
  readonly figures: Measured
  readonly margin?: number
  readonly score?: number | undefined
}

/** True if full chroma cannot allow a lower quality: the score decided, or a luma floor, or the lowest quality. */
export function isBoundByLuma({ score = 0, margin = 0, quality, figures }: HalvedEnd, target: PicturePerceptualTarget): boolean {
  if (score < target.score + FULL_CHROMA_POINTS || quality <= PERCEPTUAL_SCALE.lowest) return true
  return lumaMargin({ ...figures, colourPsnrDb: figures.psnrDb }, target) <= margin
}

/** Searches without stored coefficients: each quality decodes the source again. */
export async function streamToScore(
  read: (quality: number) => Promise<JpegJob>,
  reference: Raster,
  target: PicturePerceptualTarget,
  first: number,
  scoredRows?: ScoredRows,
) {
  let job: JpegJob | undefined
  const lastJob = () => {
    if (!job) throw new Error('no encoding exists yet: call encode() first')
    return job
  }
  const trials: QualityTrials<Measured> = {
    encode: async (quality) => {
      job?.[Symbol.dispose]()
      job = await read(quality)
      return job.figures
    },
    perceptualFigures: () => perceptualFiguresOfJob(lastJob(), reference, scoredRows),
    bytes: () => lastJob().figures.estimatedBytes,
  }
  const found = await lowestPerceptualQuality(trials, target, scaleFor(reference), { quality: first })
  return { job: lastJob(), ...found }
}

/** First quality to try: the level's usual quality, or a higher one if the luma floors need it. */
export const startingQuality = (
  job: JpegJob,
  { floor, usualQuality }: PicturePerceptualTarget,
  settings: SearchSettings,
): Promise<number> => searchQuality(job, { ...floor, lowestJpegQuality: usualQuality.jpeg }, settings)

/**
 * SSIM and PSNR of the job's last result as viewers show it, in RGB. They are lower than those of the coded luma where halved chroma drives
 * colours out of range.
 */
export async function similarityOfJob(job: JpegJob, reference: Raster): Promise<Similarity | undefined> {
  using candidate = await JpegRows.open(job.writePreview(), { colour: reference.channels === 1 ? 'gray' : 'rgb' })
  return await similarityOfRows(reference, candidate.strips(STRIP_ROWS))
}

/** Score points by which a picture exceeds the target. */
export const pointsAboveTarget = (visible: PerceptualFigures, target: PicturePerceptualTarget): number =>
  marginInPoints(visible, target, SCALE)

/**
 * Perceptual figures of the job's last result, compared with `reference` as decoders show both. `scoredRows` caches the score of the rows
 * for the receipt, if the whole picture is compared unconverted.
 */
export async function perceptualFiguresOfJob(job: JpegJob, reference: JpegReference, scoredRows?: ScoredRows): Promise<PerceptualFigures> {
  using candidate = await JpegRows.open(job.writePreview(), {
    ...(!reference.isCmyk && { colour: reference.channels === 1 ? 'gray' : 'rgb' }),
  })
  const strips = candidate.strips(STRIP_ROWS)
  const isOfAll = !reference.displayedRows && !isMeasuredInBands(reference)
  if (!scoredRows || !isOfAll) return await perceptualFiguresOf(reference, reference.displayedRows?.(strips) ?? strips)
  const scoring = scoredRows.scoring(strips)
  const visible = await perceptualFiguresOf(reference, scoring.rows)
  scoring.score(visible.score)
  return visible
}
