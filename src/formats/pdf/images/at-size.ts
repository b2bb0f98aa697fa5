/**
 * JPEG quality by what is seen at the size a picture is drawn, for pictures that are stored finer than that and must stay
 * so: hard edges (scanned text) do not survive being reduced, but they bear more loss per pixel the finer they are stored.
 */
import type { JpegJob } from '../../../../wasm/jpeg/jpeg.ts'
import { concat } from '../../../bytes/concat.ts'
import type { Coded } from './jpeg.ts'
import type { Target } from './levels.ts'
import type { Eighths, Rows } from './rows.ts'
import { HIGHEST, lowestGood, marginDb, narrow, sampledEvery } from './search.ts'
import { likeness, openJpeg, type Size, View } from './view.ts'

const MAX_VIEW_PIXELS = 3_000_000
/** Each look codes the whole picture; pages of a scan are alike, so the first is nearly always enough. */
const MAX_LOOKS = 4
/** Quality from which the first search starts. */
const FIRST_GUESS = 40
/** Above the target by less than this is good enough: tighter while nothing is known of the document. */
const CLOSE_ENOUGH_DB = { first: 0.3, later: 0.7 }
const RENDERER_SSIM = 0.02
const RENDERER_PSNR_DB = 2

/** Where searches ended: pages of a document are of a few kinds, and those of one kind are alike. */
export class SizeHints {
  least = FIRST_GUESS
  /** Quality that a sample seemed to need at full size → how much more (or less) it took in truth. */
  private readonly above = new Map<number, number>()

  get fresh(): boolean {
    return this.above.size === 0
  }

  aboveOf(least: number): number {
    let best = { distance: Number.POSITIVE_INFINITY, above: 0 }
    for (const [quality, above] of this.above) {
      const distance = Math.abs(quality - least)
      if (distance < best.distance) best = { distance, above }
    }
    return best.above
  }

  learn(least: number, found: number): void {
    this.least = least
    this.above.set(least, found - least)
  }
}

/** A picture of which all is known but its pixels, which are made again for every look. */
export interface Sized {
  /** Rows at the smallest scale that still has the pixels of `size`. */
  rows: Rows
  eighths: Eighths
  job: JpegJob
  size: Size
}

/**
 * `target` must hold at `size`. `leastPsnrDb` is for those who look closer: what must hold at full size. Undefined when
 * nothing does.
 */
export async function codeForSize(
  { rows, eighths, job, size }: Sized,
  target: Target,
  leastPsnrDb: number,
  headers: boolean,
  hints: SizeHints,
): Promise<Coded | undefined> {
  if (size.width * size.height > MAX_VIEW_PIXELS) return undefined
  const whole = new View(rows, size, 'area')
  for await (const strip of rows.strips) whole.push(strip)
  const reference = whole.done()
  const { width, height, components } = job.info
  const every = sampledEvery(width * height)
  const closeUp = { ...target, ssim: 0, psnrDb: leastPsnrDb, colourPsnrDb: 0 }
  const least = await narrow(job, every, closeUp, hints.least)
  if (least === undefined) return undefined
  let best: Coded | undefined
  const look = async (quality: number) => {
    const full = await job.requantise(quality)
    const data = concat(job.write('made', 'progressive', headers))
    const seen = await likeness(reference, await openJpeg(data, eighths), size, 'area')
    const margin = Math.min(marginDb({ ...seen, colourPsnrDb: seen.psnrRgbDb }, target), marginDb(full, closeUp))
    if (margin >= 0 && !(best && best.data.length <= data.length)) {
      // What the receipt says: measured where it is seen, less what renderers differ, but never less than at full size.
      const figures = {
        ssim: Math.max(full.ssim, seen.ssim - RENDERER_SSIM),
        psnrDb: Math.max(full.psnrDb, seen.psnrDb - RENDERER_PSNR_DB),
      }
      best = { width, height, channels: components, data, figures, quality }
    }
    return margin
  }
  const found = await lowestGood(
    look,
    Math.min(HIGHEST, least + hints.aboveOf(least)),
    MAX_LOOKS,
    CLOSE_ENOUGH_DB[hints.fresh ? 'first' : 'later'],
  )
  if (found !== undefined) hints.learn(least, found)
  return best
}
