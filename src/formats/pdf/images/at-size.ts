/**
 * JPEG quality by what is seen at the size a picture is drawn, for pictures that are stored finer than that and must stay
 * so: hard edges (scanned text) do not survive being reduced, but they bear more loss per pixel the finer they are stored.
 */
import { JpegJob } from '../../../../wasm/jpeg/jpeg.ts'
import { concat } from '../../../bytes/concat.ts'
import type { Likeness } from '../../../quality/metrics.ts'
import type { Coded } from './jpeg.ts'
import type { Target } from './levels.ts'
import { PIXELS } from './reencode.ts'
import type { Rows } from './rows.ts'
import { narrow } from './search.ts'
import { likeness, openJpeg, type Size, View } from './view.ts'

/** The search runs on bands of about this many pixels, the result is measured as a whole. */
const BAND_PIXELS = 800_000
const BANDS = 3
const BAND_ALIGNMENT = 16
const MAX_VIEW_PIXELS = 3_000_000
const LOWEST = 15
const HIGHEST = 90
const CORRECTIONS = 3
const ESTIMATED_EVERY = 4
const FIRST_STEP = 6
const CLOSE_ENOUGH = 3
const RENDERER_SSIM = 0.02
const RENDERER_PSNR_DB = 2

/** Rows of a picture that stand for all. */
class Bands {
  readonly height: number
  private readonly starts: number[]
  private readonly bandHeight: number
  private readonly stride: number
  private readonly parts: Uint8Array[] = []
  private row = 0

  constructor(rows: Rows) {
    const wanted = BAND_PIXELS / rows.width / BANDS
    this.bandHeight = Math.max(BAND_ALIGNMENT, Math.ceil(wanted / BAND_ALIGNMENT) * BAND_ALIGNMENT)
    this.stride = rows.width * rows.channels
    if (this.bandHeight * BANDS >= rows.height) {
      this.bandHeight = rows.height
      this.starts = [0]
    } else {
      const gap = (rows.height - this.bandHeight * BANDS) / (BANDS + 1)
      this.starts = Array.from({ length: BANDS }, (_, i) => Math.floor(gap * (i + 1) + this.bandHeight * i))
    }
    this.height = this.bandHeight * this.starts.length
  }

  push(strip: Uint8Array): void {
    const end = this.row + strip.length / this.stride
    for (const start of this.starts) {
      const from = Math.max(start, this.row)
      const to = Math.min(start + this.bandHeight, end)
      if (from < to) this.parts.push(strip.slice((from - this.row) * this.stride, (to - this.row) * this.stride))
    }
    this.row = end
  }

  done(): Uint8Array {
    return concat(this.parts)
  }
}

const reaches = (seen: Likeness, target: Target) =>
  seen.ssim >= target.ssim && seen.psnrDb >= target.psnrDb && seen.psnrRgbDb >= target.colourPsnrDb

/**
 * `openRows` gives the picture as it is, `openJob` its coefficients. `size` is where the target must hold. `leastPsnrDb`
 * is for those who look closer: what must hold at full size.
 */
export async function codeForSize(
  openRows: () => Promise<Rows>,
  openJob: () => Promise<JpegJob>,
  size: Size,
  target: Target,
  leastPsnrDb: number,
  headers: boolean,
  hint: number,
): Promise<Coded | undefined> {
  if (size.width * size.height > MAX_VIEW_PIXELS) return undefined
  const rows = await openRows()
  const bands = new Bands(rows)
  const whole = new View(rows, size, 'area')
  for await (const strip of rows.strips) {
    bands.push(strip)
    whole.push(strip)
  }
  const reference = whole.done()
  const enough = await searchBands(rows, bands, size, target, hint)
  if (enough === undefined) return undefined
  const job = await openJob()
  const closeUp = { ...target, ssim: 0, psnrDb: leastPsnrDb, colourPsnrDb: 0 }
  const clear = job.estimate(enough, ESTIMATED_EVERY).psnrDb >= leastPsnrDb
  const least = clear ? enough : narrow(job, ESTIMATED_EVERY, closeUp, enough)
  if (least === undefined) return undefined
  let quality = Math.max(enough, least)
  for (let correction = 0; correction < CORRECTIONS && quality <= HIGHEST; correction++, quality += 4) {
    const { ssim, psnrDb } = await job.requantise(quality)
    const data = concat(job.write('made', 'progressive', headers))
    const seen = await likeness(reference, await openJpeg(data), size, 'area')
    if (!reaches(seen, target)) continue
    // What the receipt says: measured where it is seen, less what renderers differ, but never less than at full size.
    const figures = { ssim: Math.max(ssim, seen.ssim - RENDERER_SSIM), psnrDb: Math.max(psnrDb, seen.psnrDb - RENDERER_PSNR_DB) }
    return { width: rows.width, height: rows.height, channels: rows.channels, data, figures, quality }
  }
  return undefined
}

async function searchBands(rows: Rows, bands: Bands, size: Size, target: Target, hint: number): Promise<number | undefined> {
  const channels = rows.channels as 1 | 3 | 4
  const shape = { width: rows.width, height: bands.height, channels }
  const pixels = bands.done()
  const viewSize = { width: size.width, height: Math.max(1, Math.round((bands.height * size.height) / rows.height)) }
  const view = new View(shape, viewSize, 'area')
  view.push(pixels)
  const reference = view.done()
  const taking = JpegJob.fromRows({ width: shape.width, height: shape.height, pixels: PIXELS[channels], ycck: channels === 4 })
  taking.write(pixels)
  const job = taking.end()
  const good = async (quality: number) => {
    await job.requantise(quality)
    const data = concat(job.write('made', 'sequential', channels === 4))
    return reaches(await likeness(reference, await openJpeg(data), viewSize, 'area'), target)
  }
  let low = LOWEST - 1
  let high = HIGHEST + 1
  // From where the last picture ended, in growing steps, then by halves.
  let probe = Math.min(HIGHEST, Math.max(LOWEST, hint))
  for (let step = FIRST_STEP; high - low > CLOSE_ENOUGH; step *= 2) {
    if (await good(probe)) {
      high = probe
      probe = low >= LOWEST ? (low + high) >> 1 : Math.max(LOWEST, probe - step)
    } else {
      low = probe
      probe = high <= HIGHEST ? (low + high) >> 1 : Math.min(HIGHEST, probe + step)
    }
    if (probe === high || probe === low) break
  }
  return high <= HIGHEST ? high : undefined
}
