/**
 * Noise and fine texture: PSNR protects what nobody sees there. Where it alone keeps a picture from being smaller, what eyes see
 * decides instead: the lowest quality whose SSIMULACRA 2.1 still is what the level promises, well above the floors.
 */
import { type JpegJob, JpegRows, type Measured } from '../../../wasm/jpeg/jpeg.ts'
import { concat } from '../../bytes/concat.ts'
import type { Source } from '../../codec/codec.ts'
import { chunksOf } from '../../codec/source.ts'
import { LEVELS, type LumaTarget, type Quality, type SeenPicture } from '../../quality/levels.ts'
import type { Channels } from '../../quality/metrics.ts'
import { lowestByMargin } from '../../quality/search.ts'
import { type Visible, VisibleMeter } from '../../quality/visible.ts'
import type { Found, SearchSettings } from '../../raster/jpeg-search.ts'

/** PSNR binds where it is this near to its target, in dB … */
const BINDS_DB = 0.8
/** … and SSIM lacks less than this share of what its target allows. */
const SPARE_SSIM = 0.85
/** The score a step of quality is worth: less from above, more towards it, so that a first guess is not too low. */
const SLOPE = { down: 1, up: 0.6 }
/** Nearer to the wanted score there is nothing to gain. */
const CLOSE_POINTS = 1.5
const MOST_LOOKS = 4
const LOWEST_QUALITY = 30
const STRIP_ROWS = 16

/** Does PSNR ask for more than SSIM does, as it does of noise? */
export function isNoisy({ figures }: Found, target: { readonly ssim: number; readonly psnrDb: number }): boolean {
  return figures.psnrDb < target.psnrDb + BINDS_DB && 1 - figures.ssim < SPARE_SSIM * (1 - target.ssim)
}

/** `made` again with less of the noise, where eyes do not see it; the last requantisation of `job` is what it says. */
export async function withLessNoise(job: JpegJob, source: Source, made: Found, quality: Quality, settings: SearchSettings): Promise<Found> {
  const wanted = LEVELS.seenJpeg[quality]
  const looks = new Map<number, { found: Found; margin: number }>()
  const look = async (at: number) => {
    const figures = at === made.quality ? made.figures : await job.requantise(at, () => settings.pause())
    const luma = lumaMargin(figures, wanted.floor)
    const margin = luma < 0 ? luma : Math.min(luma, marginOf(await seen(job, source), wanted))
    looks.set(at, { found: { quality: at, figures }, margin })
    return margin
  }
  const first = await look(made.quality)
  if (first < CLOSE_POINTS) return made
  const best = await lowestByMargin(
    {
      first: LOWEST_QUALITY,
      last: made.quality - 1,
      hint: made.quality - first / SLOPE.down,
      looks: MOST_LOOKS,
      closeEnough: CLOSE_POINTS,
      slope: SLOPE,
    },
    look,
  )
  const found = best === undefined ? made : (looks.get(best)?.found ?? made)
  if ([...looks.keys()].at(-1) !== found.quality) await job.requantise(found.quality, () => settings.pause())
  return found
}

/** How many points of the score, or steps of quality, luma is above its floor: a step brings about 0.0015 SSIM and 0.15 dB. */
const lumaMargin = ({ ssim, psnrDb }: Measured, floor: LumaTarget) => Math.min((ssim - floor.ssim) / 0.0015, (psnrDb - floor.psnrDb) / 0.15)

/** How many points all is above what is wanted, the scarcest of them. */
function marginOf({ score = 0, worstTile = 0, cast, steps }: Visible, wanted: SeenPicture): number {
  if (cast > wanted.cast || steps > wanted.steps) return -1
  return Math.min(score - wanted.score, worstTile - wanted.worstTile)
}

/** What was just requantised beside the picture as it came. */
async function seen(job: JpegJob, source: Source): Promise<Visible> {
  using reference = await JpegRows.open(chunksOf(source))
  using candidate = await JpegRows.open(concat(job.write('made', 'sequential')))
  using meter = new VisibleMeter(reference.width, reference.height, reference.channels as Channels)
  for (;;) {
    const rows = await reference.read(STRIP_ROWS)
    const others = await candidate.read(STRIP_ROWS)
    if (!rows || !others) break
    meter.push(rows, others)
  }
  return meter.finish()
}
