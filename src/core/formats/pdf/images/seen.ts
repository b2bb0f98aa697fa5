/** JPEGs inside a document, steered by what eyes see of them as files are (raster/jpeg-seen.ts). */
import type { JpegJob } from '../../../../../wasm/jpeg/jpeg.ts'
import { yieldToOthers } from '../../../bytes/yield.ts'
import type { PicturePerceptualTarget } from '../../../catalog/levels.ts'
import type { Strips } from '../../../images/compare/paired-rows.ts'
import { type JpegReference, requantiseToScore } from '../../../images/jpeg/perceptual-search.ts'
import { canBeScored } from '../../../images/search/perceptual-search.ts'
import { PdfSyntax } from '../objects.ts'
import { MOST_GAINED, MOST_SCORED_PIXELS } from '../tuning.ts'
import { asPrinted } from './inks.ts'
import { type Mask, MaskRows } from './mask.ts'
import { forAll, withOpacity } from './opacity.ts'
import type { Rows } from './rows.ts'
import { RowScaler, type Size } from './scale.ts'
import type { Found } from './search.ts'

/** What of a document may still be looked at. */
export class Attention {
  private left = MOST_SCORED_PIXELS.ofDocument

  /** Whether a picture of this size is looked at; it counts. */
  spend(size: Size): boolean {
    const pixels = size.width * size.height
    if (!isSeen(size) || pixels > this.left) return false
    this.left -= pixels
    return true
  }
}

/** Whether a picture of this size may be looked at. */
export const isSeen = ({ width, height }: Size): boolean => canBeScored({ width, height }) && width * height <= MOST_SCORED_PIXELS.ofPicture

/** What a result is laid beside, and what is wanted of it. */
export interface Sight {
  reference: JpegReference
  wanted: PicturePerceptualTarget
}

/** The next rows of what a mask lets through. */
type NextOpacity = (rows: number) => Promise<Uint8Array>

/** Colours of so many samples, as far as they are shown. */
async function* below(strips: Strips, { width }: Size, samples: number, next: NextOpacity): AsyncGenerator<Uint8Array> {
  for await (const strip of strips) yield withOpacity(strip, samples, await next(strip.length / samples / width))
}

/** Samples of a picture: grey, RGB or four inks. */
export type Samples = 1 | 3 | 4

/** What inks print, strip by strip. */
async function* printed(strips: Strips, inverted: boolean): AsyncGenerator<Uint8Array> {
  for await (const strip of strips) yield asPrinted(strip, inverted)
}

/** What rows of a picture are laid beside; of inks, what they print (`inverted`: 255 is none of an ink). */
function referenceOf(rows: () => AsyncIterable<Uint8Array>, size: Size, samples: Samples, inverted = false): JpegReference {
  if (samples !== 4) return { ...size, channels: samples, rows }
  return { ...size, channels: 3, rows: () => printed(rows(), inverted), shown: (strips) => printed(strips, inverted), inks: true }
}

/** Pixels in memory; below a mask with what it shows of each. */
export function pixelsAsReference(
  pixels: Uint8Array,
  size: Size,
  samples: Samples,
  { opacity, inverted }: { opacity?: Uint8Array | undefined; inverted: boolean },
): JpegReference {
  const whole = async function* () {
    yield pixels
  }
  if (!opacity || samples === 4) return referenceOf(whole, size, samples, inverted)
  const masked = (strips: Strips, channels: number) => {
    let at = 0
    return below(strips, size, channels, async (rows) => opacity.subarray(at, (at += rows * size.width)))
  }
  return { ...size, channels: 4, rows: () => masked(whole(), samples), shown: (strips) => masked(strips, 3) }
}

/** A picture that is opened again for every look, reduced to `size` where that is less. */
export function reopened(open: () => Promise<Rows>, size: Size, samples: Samples, inverted = false): JpegReference {
  return referenceOf(() => rowsAt(open, size), size, samples, inverted)
}

/** Rows of a picture at `size`, where that is less than its own. */
export async function* rowsAt(open: () => Promise<Rows>, size: Size): AsyncGenerator<Uint8Array> {
  const rows = await open()
  if (rows.width === size.width && rows.height === size.height) return yield* rows.strips
  using scaler = new RowScaler(rows, size)
  for await (const strip of rows.strips) yield* scaler.push(strip)
}

/** The same below a mask, at the size it has. */
export function reopenedBelow(
  open: () => Promise<Rows>,
  mask: () => Promise<Mask | undefined>,
  size: Size,
  channels: 1 | 3,
): JpegReference {
  const masked = async function* (strips: Strips, samples: number) {
    const opened = await mask()
    if (!opened) throw new PdfSyntax('mask_gone')
    const rows = new MaskRows(opened, size.width, size.height)
    yield* below(strips, size, samples, (count) => rows.next(count))
  }
  const original = async function* () {
    yield* masked((await open()).strips, channels)
  }
  return { ...size, channels: 4, rows: original, shown: (rows) => masked(rows, 3) }
}

/** The floors of luma for what a mask shows, where the rest is measured, too. */
export const wantedOf = (wanted: PicturePerceptualTarget, share: number): PicturePerceptualTarget =>
  share === 1 ? wanted : { ...wanted, floor: forAll({ ...wanted.floor, colourPsnrDb: 0 }, share) }

/** Requantises a stored job to what looks as it should; undefined where nothing does, or it is far from fitting into `budget` bytes. */
export async function searchSeen(job: JpegJob, { reference, wanted }: Sight, hint: number, budget: number): Promise<Found | undefined> {
  const isPointless = () => job.figures.estimatedBytes * MOST_GAINED > budget
  const { reached, quality, figures } = await requantiseToScore(
    job,
    reference,
    wanted,
    { pause: () => yieldToOthers(), isPointless },
    { quality: hint },
  )
  return reached && !isPointless() ? { quality, figures } : undefined
}
