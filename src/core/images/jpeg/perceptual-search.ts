/** Search for the lowest JPEG quality whose picture reaches a score (../search/perceptual-search.ts). */
import { type JpegJob, JpegRows, type Measured } from '../../../../wasm/jpeg/jpeg.ts'
import type { PicturePerceptualTarget } from '../../catalog/levels.ts'
import type { PerceptualFigures } from '../../metrics/perceptual.ts'
import type { Strips } from '../compare/paired-rows.ts'
import type { Raster } from '../raster/raster.ts'
import {
  isMeasuredInBands,
  lowestPerceptualQuality,
  lumaMargin,
  marginInPoints,
  type PerceptualResult,
  perceptualFiguresOf,
  type QualityScale,
  type QualityTrials,
  type SearchEnd,
  withFewProbes,
} from '../search/perceptual-search.ts'
import type { ScoredRows } from '../search/scored-rows.ts'
import { MOST_RULED_OUT } from '../search/tuning.ts'
import { coarseness, qualityAfterMiss, qualityOf, type SearchSettings, searchQuality } from './quality-search.ts'
import { HIGHEST_QUALITY, PERCEPTUAL_BANDS, PERCEPTUAL_SCALE, STRIP_ROWS } from './tuning.ts'

export { canBeScored, pointsToSpare, type SearchEnd } from '../search/perceptual-search.ts'

const SCALE: QualityScale = { ...PERCEPTUAL_SCALE, highest: HIGHEST_QUALITY, coarseness, qualityOf, skipsProbes: true }

const IN_BANDS: QualityScale = { ...withFewProbes(SCALE), ...PERCEPTUAL_BANDS }

const scaleFor = (picture: Raster) => (isMeasuredInBands(picture) ? IN_BANDS : SCALE)

/** A picture as it came, beside which results are laid. */
export interface JpegReference extends Raster {
  /** Rows of a result (RGB; four inks with `inks`) as they are laid beside it, where that is not as they are: below a mask, RGBA. */
  shown?(rows: Strips): AsyncIterable<Uint8Array>
  /** Results are of four inks, and this is what they print. */
  readonly inks?: boolean
}

/**
 * Requantises stored coefficients to what looks as it should beside `reference`; the result is ready to be written. `from`: a quality to begin
 * with, and with a margin that of another form (`lowestPerceptualQuality`).
 */
export async function requantiseToScore(
  job: JpegJob,
  reference: JpegReference,
  wanted: PicturePerceptualTarget,
  settings: SearchSettings,
  from: { readonly [Figure in keyof SearchEnd]?: SearchEnd[Figure] | undefined } = {},
): Promise<PerceptualResult<Measured>> {
  let last: { readonly quality: number; readonly figures: Measured } | undefined
  const make = async (quality: number) => {
    if (last?.quality !== quality) last = { quality, figures: await job.requantise(quality, () => settings.pause()) }
    return last.figures
  }
  const isPointless = () => settings.isPointless?.(job) ?? false
  const maker: QualityTrials<Measured> = { make, look: () => perceptualFiguresOfJob(job, reference, settings.scoredRows), isPointless }
  let quality = from.quality ?? (await startingQuality(job, wanted, settings))
  if (from.margin !== undefined) return lowestPerceptualQuality(maker, wanted, scaleFor(reference), { quality, otherMargin: from.margin })
  const ruledOut: { quality: number; margin: number }[] = []
  // Where luma misses its floor nobody has to look, which takes three times as long as making it.
  while (ruledOut.length < MOST_RULED_OUT && quality < HIGHEST_QUALITY) {
    const figures = await make(quality)
    const margin = lumaMargin(figures, wanted)
    if (margin >= 0 || isPointless()) break
    ruledOut.push({ quality, margin })
    quality = await qualityAfterMiss(job, quality, figures, wanted.floor, settings)
  }
  return lowestPerceptualQuality(maker, wanted, scaleFor(reference), { quality, ruledOut })
}

/** The same where coefficients are not kept: every quality is made of another reading. */
export async function streamToScore(
  read: (quality: number) => Promise<JpegJob>,
  reference: Raster,
  wanted: PicturePerceptualTarget,
  first: number,
  scoredRows?: ScoredRows,
) {
  let job: JpegJob | undefined
  const made = () => {
    if (!job) throw new Error('nothing was made yet')
    return job
  }
  const maker: QualityTrials<Measured> = {
    make: async (quality) => {
      job?.[Symbol.dispose]()
      job = await read(quality)
      return job.figures
    },
    look: () => perceptualFiguresOfJob(made(), reference, scoredRows),
  }
  const found = await lowestPerceptualQuality(maker, wanted, scaleFor(reference), { quality: first })
  return { job: made(), ...found }
}

/** Where to begin: the level's usual quality, or what the floors of luma ask for. */
export const startingQuality = (
  job: JpegJob,
  { floor, usualQuality }: PicturePerceptualTarget,
  settings: SearchSettings,
): Promise<number> => searchQuality(job, { ...floor, lowestJpegQuality: usualQuality.jpeg }, settings)

/** Points that a picture looks better than it has to. */
export const pointsAboveTarget = (visible: PerceptualFigures, wanted: PicturePerceptualTarget): number =>
  marginInPoints(visible, wanted, SCALE)

/**
 * What `job` made last beside `reference`, as decoders show both. `scoredRows` will know its rows again where all of them are looked at as they
 * are, and score what a receipt says.
 */
export async function perceptualFiguresOfJob(job: JpegJob, reference: JpegReference, scoredRows?: ScoredRows): Promise<PerceptualFigures> {
  using candidate = await JpegRows.open(job.show(), {
    ...(!reference.inks && { colour: reference.channels === 1 ? 'gray' : 'rgb' }),
  })
  const strips = candidate.strips(STRIP_ROWS)
  const isOfAll = !reference.shown && !isMeasuredInBands(reference)
  if (!scoredRows || !isOfAll) return await perceptualFiguresOf(reference, reference.shown?.(strips) ?? strips)
  const watched = scoredRows.scoring(strips)
  const visible = await perceptualFiguresOf(reference, watched.rows)
  watched.score(visible.score)
  return visible
}
