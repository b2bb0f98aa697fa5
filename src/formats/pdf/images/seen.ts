/** JPEGs inside a document, steered by what eyes see of them as files are (raster/jpeg-seen.ts). */
import type { JpegJob } from '../../../../wasm/jpeg/jpeg.ts'
import { yieldToOthers } from '../../../bytes/yield.ts'
import type { SeenPicture } from '../../../quality/levels.ts'
import type { Strips } from '../../../raster/compared-rows.ts'
import { type Reference, requantiseSeen } from '../../../raster/jpeg-seen.ts'
import { isScored } from '../../../raster/seen-search.ts'
import { PdfSyntax } from '../objects.ts'
import { type Mask, MaskRows } from './mask.ts'
import { forAll, withOpacity } from './opacity.ts'
import type { Rows } from './rows.ts'
import { RowScaler, type Size } from './scale.ts'
import { type Found, MOST_GAINED } from './search.ts'

/** Pixels of a picture and of a document that are looked at, each look 0.1 to 0.3 s a megapixel: beyond, luma steers. */
const MOST_LOOKED_AT = { ofPicture: 4e6, ofDocument: 60e6 }

/** What of a document may still be looked at. */
export class Attention {
  private left = MOST_LOOKED_AT.ofDocument

  /** Whether a picture of this size is looked at; it counts. */
  spend({ width, height }: Size): boolean {
    const pixels = width * height
    if (!isScored({ width, height }) || pixels > Math.min(this.left, MOST_LOOKED_AT.ofPicture)) return false
    this.left -= pixels
    return true
  }
}

/** What a result is laid beside, and what is wanted of it. */
export interface Sight {
  reference: Reference
  wanted: SeenPicture
}

/** The next rows of what a mask lets through. */
type NextOpacity = (rows: number) => Promise<Uint8Array>

/** Colours of so many samples, as far as they are shown. */
async function* below(strips: Strips, { width }: Size, samples: number, next: NextOpacity): AsyncGenerator<Uint8Array> {
  for await (const strip of strips) yield withOpacity(strip, samples, await next(strip.length / samples / width))
}

/** Pixels in memory, of one or three channels. */
export const pixelsAsReference = (pixels: Uint8Array, size: Size, channels: 1 | 3): Reference => ({
  ...size,
  channels,
  async *rows() {
    yield pixels
  },
})

/** A picture that is opened again for every look, reduced to `size` where that is less. */
export function reopened(open: () => Promise<Rows>, size: Size, channels: 1 | 3): Reference {
  return {
    ...size,
    channels,
    async *rows() {
      const rows = await open()
      if (rows.width === size.width && rows.height === size.height) return yield* rows.strips
      using scaler = new RowScaler(rows, size)
      for await (const strip of rows.strips) yield* scaler.push(strip)
    },
  }
}

/** The same below a mask, at the size it has. */
export function reopenedBelow(open: () => Promise<Rows>, mask: () => Promise<Mask | undefined>, size: Size, channels: 1 | 3): Reference {
  const masked = async function* (strips: Strips, samples: number) {
    const opened = await mask()
    if (!opened) throw new PdfSyntax('a mask that is gone')
    const rows = new MaskRows(opened, size.width, size.height)
    yield* below(strips, size, samples, (count) => rows.next(count))
  }
  const original = async function* () {
    yield* masked((await open()).strips, channels)
  }
  return { ...size, channels: 4, rows: original, shown: (rows) => masked(rows, 3) }
}

/** The floors of luma for what a mask shows, where the rest is measured, too. */
export const wantedOf = (wanted: SeenPicture, share: number): SeenPicture =>
  share === 1 ? wanted : { ...wanted, floor: forAll({ ...wanted.floor, colourPsnrDb: 0 }, share) }

/** Requantises a stored job to what looks as it should; undefined where nothing does, or it is far from fitting into `budget` bytes. */
export async function searchSeen(job: JpegJob, { reference, wanted }: Sight, hint: number, budget: number): Promise<Found | undefined> {
  const isPointless = () => job.figures.estimatedBytes * MOST_GAINED > budget
  const { reached, quality, figures } = await requantiseSeen(job, reference, wanted, { pause: () => yieldToOthers(), isPointless }, hint)
  return reached && !isPointless() ? { quality, figures } : undefined
}
