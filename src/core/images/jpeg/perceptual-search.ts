/** JPEG steered by what eyes see (seen-search.ts). */
import { type JpegJob, JpegRows, type Measured } from '../../../../wasm/jpeg/jpeg.ts'
import type { SeenPicture } from '../../catalog/levels.ts'
import type { Visible } from '../../metrics/perceptual.ts'
import type { Strips } from '../compare/paired-rows.ts'
import type { Raster } from '../raster/raster.ts'
import {
  type Ended,
  inFewLooks,
  isInBands,
  lowestSeen,
  lumaMargin,
  type Maker,
  MOST_RULED_OUT,
  marginOf,
  type Scale,
  type Seen,
  seenRows,
} from '../search/perceptual-search.ts'
import type { LookedAt } from '../search/scored-rows.ts'
import { climbed, coarseness, HIGHEST, qualityOf, type SearchSettings, searchQuality } from './quality-search.ts'

export { type Ended, isScored, spareOf } from '../search/perceptual-search.ts'

const SCALE: Scale = {
  lowest: 25,
  highest: HIGHEST,
  coarseness,
  qualityOf,
  pointsPerCoarseness: 11,
  mostLooks: 3,
  skipsLooks: true,
  mostAskedByWindows: 6,
}

/** A coding takes 0.05 s a megapixel, so that there is time for more of them than others have. */
const IN_BANDS: Scale = { ...inFewLooks(SCALE), mostLooks: 6, closePoints: 2.5, aimPoints: 1 }

const scaleFor = (picture: Raster) => (isInBands(picture) ? IN_BANDS : SCALE)

/** A picture as it came, beside which results are laid. */
export interface Reference extends Raster {
  /** Rows of a result (RGB; four inks with `inks`) as they are laid beside it, where that is not as they are: below a mask, RGBA. */
  shown?(rows: Strips): AsyncIterable<Uint8Array>
  /** Results are of four inks, and this is what they print. */
  readonly inks?: boolean
}

/**
 * Requantises stored coefficients to what looks as it should beside `reference`; the result is ready to be written. `from`: a quality to begin
 * with, and with a margin that of another form (`lowestSeen`).
 */
export async function requantiseSeen(
  job: JpegJob,
  reference: Reference,
  wanted: SeenPicture,
  settings: SearchSettings,
  from: { readonly [Figure in keyof Ended]?: Ended[Figure] | undefined } = {},
): Promise<Seen<Measured>> {
  let last: { readonly quality: number; readonly figures: Measured } | undefined
  const make = async (quality: number) => {
    if (last?.quality !== quality) last = { quality, figures: await job.requantise(quality, () => settings.pause()) }
    return last.figures
  }
  const isPointless = () => settings.isPointless?.(job) ?? false
  const maker: Maker<Measured> = { make, look: () => seen(job, reference, settings.looked), isPointless }
  let quality = from.quality ?? (await firstQuality(job, wanted, settings))
  if (from.margin !== undefined) return lowestSeen(maker, wanted, scaleFor(reference), { quality, otherMargin: from.margin })
  const ruledOut: { quality: number; margin: number }[] = []
  // Where luma misses its floor nobody has to look, which takes three times as long as making it.
  while (ruledOut.length < MOST_RULED_OUT && quality < HIGHEST) {
    const figures = await make(quality)
    const margin = lumaMargin(figures, wanted)
    if (margin >= 0 || isPointless()) break
    ruledOut.push({ quality, margin })
    quality = await climbed(job, quality, figures, wanted.floor, settings)
  }
  return lowestSeen(maker, wanted, scaleFor(reference), { quality, ruledOut })
}

/** The same where coefficients are not kept: every quality is made of another reading. */
export async function streamedSeen(
  read: (quality: number) => Promise<JpegJob>,
  reference: Raster,
  wanted: SeenPicture,
  first: number,
  looked?: LookedAt,
) {
  let job: JpegJob | undefined
  const made = () => {
    if (!job) throw new Error('nothing was made yet')
    return job
  }
  const maker: Maker<Measured> = {
    make: async (quality) => {
      job?.[Symbol.dispose]()
      job = await read(quality)
      return job.figures
    },
    look: () => seen(made(), reference, looked),
  }
  const found = await lowestSeen(maker, wanted, scaleFor(reference), { quality: first })
  return { job: made(), ...found }
}

/** Where to begin: the level's usual quality, or what the floors of luma ask for. */
export const firstQuality = (job: JpegJob, { floor, usualQuality }: SeenPicture, settings: SearchSettings): Promise<number> =>
  searchQuality(job, { ...floor, lowestJpegQuality: usualQuality.jpeg }, settings)

/** Points that a picture looks better than it has to. */
export const pointsAbove = (visible: Visible, wanted: SeenPicture): number => marginOf(visible, wanted, SCALE)

/**
 * What `job` made last beside `reference`, as decoders show both. `looked` will know its rows again where all of them are looked at as they
 * are, and score what a receipt says.
 */
export async function seen(job: JpegJob, reference: Reference, looked?: LookedAt): Promise<Visible> {
  using candidate = await JpegRows.open(job.show(), {
    ...(!reference.inks && { colour: reference.channels === 1 ? 'gray' : 'rgb' }),
  })
  const strips = candidate.strips(STRIP_ROWS)
  const isOfAll = !reference.shown && !isInBands(reference)
  if (!looked || !isOfAll) return await seenRows(reference, reference.shown?.(strips) ?? strips)
  const watched = looked.watch(strips)
  const visible = await seenRows(reference, watched.rows)
  watched.score(visible.score)
  return visible
}

const STRIP_ROWS = 16
