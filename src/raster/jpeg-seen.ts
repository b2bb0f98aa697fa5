/**
 * JPEG steered by what eyes see (`quality/visible`), in both directions: the lowest quality at which a picture looks as its level
 * promises. Luma SSIM and PSNR protect noise that nobody sees, and miss bands and hues that everybody does.
 */
import { type JpegJob, JpegRows, type Measured } from '../../wasm/jpeg/jpeg.ts'
import type { LumaTarget, SeenPicture } from '../quality/levels.ts'
import { COLOUR_ALLOWANCE_DB } from '../quality/target.ts'
import { LEAST_SCORED, type Visible, VisibleMeter } from '../quality/visible.ts'
import { coarseness, type Found, HIGHEST, qualityOf, type SearchSettings, searchQuality } from './jpeg-search.ts'
import type { Raster } from './raster.ts'
import { comparedRows } from './similarity.ts'

const LOWEST = 25
/** Nearer above what is wanted, in points of the score, there is nothing to gain. */
const CLOSE_POINTS = 1.2
/** What the next look aims at above what is wanted: a miss takes one more. */
const AIM_POINTS = 0.5
/** Points that the score changes by when steps get finer by a factor of e, as far as nothing is known yet. */
const POINTS_PER_SCALE = 11
const MOST_LOOKS = 3
/** And so many until one is good enough. */
const MOST_MISSES = 4
/** A step of quality brings about so much, and a point of the score. */
const LUMA_PER_POINT = { ssim: 0.0015, psnrDb: 0.15 }
/** Casts and steps are of the worst window, and may be of one that no quality mends: they ask for no more than so many points. */
const MOST_ASKED_BY_WINDOWS = 6

/** Pixels of a row that can be measured (quality/visible). */
const WIDEST = 0x8000
/** Pixels of the largest picture that is looked at: each look takes 0.1 to 0.2 s a megapixel. */
const MOST_LOOKED_AT = 50e6

/** Can a picture of this size be steered by what eyes see of it? */
export const isScored = ({ width, height }: { readonly width: number; readonly height: number }): boolean =>
  Math.min(width, height) >= LEAST_SCORED && width <= WIDEST && width * height <= MOST_LOOKED_AT

/** Makes the picture at a quality; what it made last is what is looked at. */
export interface Maker {
  make(quality: number): Promise<Measured>
  /** What was made last beside the picture as it came. */
  look(): Promise<Visible>
  /** Would more bytes be of no use: is it nearly as large as what came in? */
  isPointless?(): boolean
}

interface Look extends Found {
  /** Points above what is wanted. */
  readonly margin: number
}

/** The lowest quality that looks as it should, or the highest; it is what `maker` made last. */
export async function lowestSeen(maker: Maker, wanted: SeenPicture, first: number): Promise<Found> {
  const looks: Look[] = []
  for (let quality: number | undefined = first; quality !== undefined; ) {
    const figures = await maker.make(quality)
    const luma = lumaMargin(figures, wanted.floor)
    const margin = luma < 0 ? luma : Math.min(luma, marginOf(await maker.look(), wanted))
    looks.push({ quality, figures, margin })
    quality = margin < 0 && maker.isPointless?.() ? undefined : nextQuality(looks)
  }
  const best = bestOf(looks)
  if (best !== looks.at(-1)) await maker.make(best.quality)
  return { quality: best.quality, figures: best.figures }
}

/** Requantises stored coefficients to what looks as it should beside `reference`; the result is ready to be written. */
export async function requantiseSeen(job: JpegJob, reference: Raster, wanted: SeenPicture, settings: SearchSettings): Promise<Found> {
  const maker: Maker = {
    make: (quality) => job.requantise(quality, () => settings.pause()),
    look: () => seen(job, reference),
    isPointless: () => settings.isPointless?.(job) ?? false,
  }
  return lowestSeen(maker, wanted, await firstQuality(job, wanted, settings))
}

/** The same where coefficients are not kept: every quality is made of another reading. */
export async function streamedSeen(read: (quality: number) => Promise<JpegJob>, reference: Raster, wanted: SeenPicture, first: number) {
  let job: JpegJob | undefined
  const made = () => {
    if (!job) throw new Error('nothing was made yet')
    return job
  }
  const maker: Maker = {
    make: async (quality) => {
      job?.[Symbol.dispose]()
      job = await read(quality)
      return job.figures
    },
    look: () => seen(made(), reference),
  }
  const found = await lowestSeen(maker, wanted, first)
  return { job: made(), ...found }
}

/** Where to begin: the level's usual quality, or what the floors of luma ask for. */
export const firstQuality = (job: JpegJob, { floor, usualQuality }: SeenPicture, settings: SearchSettings): Promise<number> =>
  searchQuality(job, { ...floor, lowestJpegQuality: usualQuality }, settings)

/** What `job` made last beside `reference`, as decoders show both: grey or RGB. */
export async function seen(job: JpegJob, reference: Raster): Promise<Visible> {
  using candidate = await JpegRows.open(inOrder(job.write('made', 'sequential', true)), {
    colour: reference.channels === 1 ? 'gray' : 'rgb',
  })
  using meter = new VisibleMeter(reference.width, reference.height, reference.channels)
  const strips = candidate.strips(STRIP_ROWS)
  if (!(await comparedRows(reference, strips, (one, other) => meter.push(one, other)))) throw new Error('rows of a JPEG are missing')
  return meter.finish()
}

const STRIP_ROWS = 16

async function* inOrder(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks
}

/** Points that luma is above its floor. */
const lumaMargin = ({ ssim, psnrDb, colourPsnrDb }: Measured, floor: LumaTarget) =>
  Math.min(
    (ssim - floor.ssim) / LUMA_PER_POINT.ssim,
    (psnrDb - floor.psnrDb) / LUMA_PER_POINT.psnrDb,
    (colourPsnrDb + COLOUR_ALLOWANCE_DB - floor.psnrDb) / LUMA_PER_POINT.psnrDb,
  )

/** Points that all is above what is wanted, the scarcest of it. */
function marginOf({ score = 0, worstTile = 0, cast, steps }: Visible, wanted: SeenPicture): number {
  const scored = Math.min(score - wanted.score, worstTile - wanted.worstTile)
  const windows = POINTS_PER_SCALE * Math.min(Math.log(wanted.cast / Math.max(cast, 1e-3)), Math.log(wanted.steps / Math.max(steps, 1e-3)))
  return Math.min(scored, Math.max(windows, scored - MOST_ASKED_BY_WINDOWS))
}

/** The lowest that was good enough; where none was, the highest. */
function bestOf(looks: readonly Look[]): Look {
  const good = looks.filter(({ margin }) => margin >= 0)
  const [first, ...others] = good.length > 0 ? good : looks
  if (!first) throw new RangeError('nothing was looked at')
  return others.reduce((best, look) => (good.length > 0 === look.quality < best.quality ? look : best), first)
}

/** Where to look next; undefined when there is nothing to gain. */
function nextQuality(looks: readonly Look[]): number | undefined {
  const above = looks.filter(({ margin }) => margin >= 0).toSorted((a, b) => a.quality - b.quality)[0]
  const below = looks
    .filter(({ margin, quality }) => margin < 0 && quality < (above?.quality ?? HIGHEST + 1))
    .toSorted((a, b) => b.quality - a.quality)[0]
  const last = above ? MOST_LOOKS : MOST_MISSES
  const [first, end] = [(below?.quality ?? LOWEST - 1) + 1, (above?.quality ?? HIGHEST + 1) - 1]
  if (first > end || (above && above.margin < CLOSE_POINTS)) return undefined
  if (looks.length >= last) return above ? undefined : HIGHEST
  const [from, other] = looks.toSorted((a, b) => Math.abs(a.margin) - Math.abs(b.margin))
  if (!from) return undefined
  const known = other && (from.margin - other.margin) / (coarseness(other.quality) - coarseness(from.quality))
  const slope = known && known > POINTS_PER_SCALE / 4 ? Math.min(known, POINTS_PER_SCALE * 3) : POINTS_PER_SCALE
  const exact = qualityOf(coarseness(from.quality) - (AIM_POINTS - from.margin) / slope)
  return Math.min(end, Math.max(first, Math.round(exact)))
}
