/** Perceptual quality search for JPEGs in a document, with the search that JPEG files use (images/jpeg/perceptual-search.ts). */
import type { JpegJob } from '../../../../../wasm/jpeg/jpeg.ts'
import { yieldToEventLoop } from '../../../bytes/yield.ts'
import type { PicturePerceptualTarget } from '../../../catalog/levels.ts'
import type { Strips } from '../../../images/compare/paired-rows.ts'
import { type JpegReference, requantiseToScore } from '../../../images/jpeg/perceptual-search.ts'
import { canBeScored } from '../../../images/search/perceptual-search.ts'
import { PdfSyntax } from '../objects.ts'
import { MIN_FINAL_SIZE_SHARE, MOST_SCORED_PIXELS } from '../tuning.ts'
import { cmykToRgb } from './inks.ts'
import { type Mask, MaskRows } from './mask.ts'
import { wholePictureTarget, withOpacity } from './opacity.ts'
import type { Rows } from './rows.ts'
import { RowScaler, type Size } from './scale.ts'
import type { FoundQuality } from './search.ts'

/** Pixel budget of a document for perceptual scores. */
export class ScoreBudget {
  private left = MOST_SCORED_PIXELS.ofDocument

  /** True if a picture of this size may be scored. Its pixels are then subtracted from the budget. */
  spend(size: Size): boolean {
    const pixels = size.width * size.height
    if (!isScorable(size) || pixels > this.left) return false
    this.left -= pixels
    return true
  }
}

/** True if a picture of this size can be scored. */
export const isScorable = ({ width, height }: Size): boolean =>
  canBeScored({ width, height }) && width * height <= MOST_SCORED_PIXELS.ofPicture

/** Reference picture and target score of a perceptual search. */
export interface PerceptualGoal {
  reference: JpegReference
  wanted: PicturePerceptualTarget
}

/** Returns the opacity of the next rows under a mask. */
type NextOpacity = (rows: number) => Promise<Uint8Array>

/** Adds the opacity of a mask to strips of pixels. */
async function* withMaskOpacity(strips: Strips, { width }: Size, samples: number, next: NextOpacity): AsyncGenerator<Uint8Array> {
  for await (const strip of strips) yield withOpacity(strip, samples, await next(strip.length / samples / width))
}

/** Samples per pixel: 1 is grey, 3 is RGB, 4 is CMYK. */
export type SamplesPerPixel = 1 | 3 | 4

/** Converts strips of CMYK samples to RGB. */
async function* cmykStripsToRgb(strips: Strips, inverted: boolean): AsyncGenerator<Uint8Array> {
  for await (const strip of strips) yield cmykToRgb(strip, inverted)
}

/** Reference for a perceptual score from rows of a picture. CMYK rows are converted to RGB. `inverted`: 255 means no ink. */
function referenceOf(rows: () => AsyncIterable<Uint8Array>, size: Size, samples: SamplesPerPixel, inverted = false): JpegReference {
  if (samples !== 4) return { ...size, channels: samples, rows }
  return {
    ...size,
    channels: 3,
    rows: () => cmykStripsToRgb(rows(), inverted),
    displayedRows: (strips) => cmykStripsToRgb(strips, inverted),
    isCmyk: true,
  }
}

/** Reference for a perceptual score from pixels in memory. With `opacity`, colours count as far as the mask shows them. */
export function pixelsAsReference(
  pixels: Uint8Array,
  size: Size,
  samples: SamplesPerPixel,
  { opacity, inverted }: { opacity?: Uint8Array | undefined; inverted: boolean },
): JpegReference {
  const singleStrip = async function* () {
    yield pixels
  }
  if (!opacity || samples === 4) return referenceOf(singleStrip, size, samples, inverted)
  const masked = (strips: Strips, channels: number) => {
    let at = 0
    return withMaskOpacity(strips, size, channels, async (rows) => opacity.subarray(at, (at += rows * size.width)))
  }
  return { ...size, channels: 4, rows: () => masked(singleStrip(), samples), displayedRows: (strips) => masked(strips, 3) }
}

/** Reference for a perceptual score that decodes the picture again for each probe, reduced to `size` if that is smaller. */
export function reopeningReference(open: () => Promise<Rows>, size: Size, samples: SamplesPerPixel, inverted = false): JpegReference {
  return referenceOf(() => rowsScaledTo(open, size), size, samples, inverted)
}

/** Yields the rows of a picture, reduced to `size` if that is smaller. */
export async function* rowsScaledTo(open: () => Promise<Rows>, size: Size): AsyncGenerator<Uint8Array> {
  const rows = await open()
  if (rows.width === size.width && rows.height === size.height) return yield* rows.strips
  using scaler = new RowScaler(rows, size)
  for await (const strip of rows.strips) yield* scaler.push(strip)
}

/** Reference for a perceptual score that decodes a picture and its mask again for each probe, at the size of the picture. */
export function reopeningMaskedReference(
  open: () => Promise<Rows>,
  mask: () => Promise<Mask | undefined>,
  size: Size,
  channels: 1 | 3,
): JpegReference {
  const masked = async function* (strips: Strips, samples: number) {
    const opened = await mask()
    if (!opened) throw new PdfSyntax('mask_gone')
    const rows = new MaskRows(opened, size.width, size.height)
    yield* withMaskOpacity(strips, size, samples, (count) => rows.next(count))
  }
  const original = async function* () {
    yield* masked((await open()).strips, channels)
  }
  return { ...size, channels: 4, rows: original, displayedRows: (rows) => masked(rows, 3) }
}

/** Adapts the luma floors to a picture with a mask, because the measurement includes hidden pixels. `share`: mean opacity, 0 to 1. */
export const adjustTargetForMask = (wanted: PicturePerceptualTarget, share: number): PicturePerceptualTarget =>
  share === 1 ? wanted : { ...wanted, floor: wholePictureTarget({ ...wanted.floor, colourPsnrDb: 0 }, share) }

/** Requantises a job to the perceptual target. `undefined`: no quality reaches it, or the result clearly exceeds `budget` bytes. */
export async function searchPerceptualQuality(
  job: JpegJob,
  { reference, wanted }: PerceptualGoal,
  hint: number,
  budget: number,
): Promise<FoundQuality | undefined> {
  const isPointless = () => job.figures.estimatedBytes * MIN_FINAL_SIZE_SHARE > budget
  const { reached, quality, figures } = await requantiseToScore(
    job,
    reference,
    wanted,
    { pause: () => yieldToEventLoop(), isPointless },
    { quality: hint },
  )
  return reached && !isPointless() ? { quality, figures } : undefined
}
