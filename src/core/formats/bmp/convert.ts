/** Reads a BMP for conversion to JPEG, PNG, WebP, AVIF or another size: its picture as rows from the top. */

import { type Message, message } from '../../i18n/message.ts'
import type { ConvertiblePicture } from '../../images/convert/convert.ts'
import type { Resolution } from '../../images/convert/descriptive-metadata.ts'
import { type Raster, stripRows } from '../../images/raster/raster.ts'
import type { Options, Source } from '../../model/codec.ts'
import { type BmpHeader, readHeader } from './header.ts'
import { type BmpPixels, openPixels, rgbRows, spareBytesAreEqual } from './pixels.ts'

export async function convertibleBmp(source: Source, options: Options): Promise<ConvertiblePicture> {
  const header = await readHeader(source)
  const pixels = await openPixels(source, header, options)
  const { width, height } = header
  const omitted = await leftOut(source, header, pixels, options)
  return {
    carried: { ...(header.profile && { icc: header.profile }), resolution: resolutionOf(header) },
    end: pixels.end,
    ...(pixels.hasDeepFields ? { raster16: { width, height, rows: () => pixels.deepRows('top-down') } } : {}),
    omitted: (output) => (resolutionOf(header) && output !== 'png' && output !== 'jpg' ? [...omitted, message('resolution')] : omitted),
    raster: stripsOf(pixels),
  }
}

/** Returns the picture as strips of rows from the top. */
export function stripsOf(pixels: BmpPixels): Raster {
  const { width, height, colourType } = pixels.header
  const channels = colourType === 6 ? 4 : 3
  return {
    width,
    height,
    channels,
    async *rows() {
      const perStrip = stripRows(width, channels)
      let strip = new Uint8Array(perStrip * width * channels)
      let filled = 0
      for await (const row of rgbRows(pixels, 'top-down')) {
        strip.set(row, filled)
        filled += row.length
        if (filled < strip.length) continue
        yield strip
        strip = new Uint8Array(strip.length)
        filled = 0
      }
      if (filled > 0) yield strip.subarray(0, filled)
    },
  }
}

/** Names of what no other format can store, for the receipt. */
async function leftOut(source: Source, header: BmpHeader, { hasSpareBits: spareBits }: BmpPixels, options: Options): Promise<Message[]> {
  const omitted: Message[] = []
  if (spareBits && !(await spareBytesAreEqual(source, header, options))) omitted.push(message('fourth_byte_of_pixels'))
  if (header.gap.length > 0) omitted.push(message('gap_between_headers_and_pixels', { bytes: header.gap.length }))
  return omitted
}

/** Resolution of the header. `undefined`: the header has none. */
function resolutionOf({ pixelsPerMetre: [x, y] }: BmpHeader): Resolution | undefined {
  return x > 0 && y > 0 ? { x, y, unit: 'metre' } : undefined
}
