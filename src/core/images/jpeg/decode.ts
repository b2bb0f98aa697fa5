/** JPEG files as rasters. Each iteration of `rows()` decodes the file from its start. */

import { JpegRows, type RowsOutOptions } from '../../../../wasm/jpeg/jpeg.ts'
import type { Source } from '../../model/codec.ts'
import { freedChunks } from '../../model/source.ts'
import { type Raster, stripRows } from '../raster/raster.ts'
import { LEAST_RESAMPLING_RATIO } from './tuning.ts'

/** Size and number of components of a frame (ITU-T T.81, B.2.2). */
export interface JpegFrame {
  readonly width: number
  readonly height: number
  readonly components: number
}

/** Offset of the first byte after the picture, and the segments between its scans. */
export type JpegEnd = Pick<JpegRows, 'endOffset' | 'lateSegments'>

export type DctScale = NonNullable<RowsOutOptions['dctScale']>

/**
 * Raster of a JPEG file.
 * @param dctScale eighths of the full size, at which the DCT decodes; 8: full size
 * @param colour colours of the rows. `natural`: grey or RGB; CMYK for four components, whose fourth channel is black and not alpha
 * @param onEnd gets the end of the picture after each complete reading
 */
export function jpegRaster(
  source: Source,
  frame: JpegFrame,
  dctScale: DctScale = 8,
  colour: RowsOutOptions['colour'] = 'natural',
  onEnd: (end: JpegEnd) => void = () => undefined,
): Raster {
  const channels = colour === 'gray' ? 1 : frame.components === 2 ? 3 : (frame.components as 1 | 3 | 4)
  return {
    width: Math.ceil((frame.width * dctScale) / 8),
    height: Math.ceil((frame.height * dctScale) / 8),
    channels,
    async *rows() {
      const rows = await JpegRows.open(freedChunks(source), { dctScale, colour })
      yield* rows.strips(stripRows(rows.width, rows.channels))
      onEnd(rows)
    },
  }
}

/** The coarsest DCT scale whose picture is at least 1.5 times as wide as `to`, so that a resampling filter makes the rest of the reduction. */
export function dctScaleFor(from: number, to: number): DctScale {
  for (const dctScale of [1, 2, 3, 4, 5, 6, 7] as const) if ((from * dctScale) / 8 >= to * LEAST_RESAMPLING_RATIO) return dctScale
  return 8
}

/**
 * Converts CMYK samples without a profile to RGB: each ink absorbs its share of the light. @param isInverted true if 255 means no ink, as
 * in Adobe's files
 */
export function cmykAsRgb(raster: Raster, isInverted: boolean): Raster {
  const flip = isInverted ? 0 : 255
  return {
    width: raster.width,
    height: raster.height,
    channels: 3,
    async *rows() {
      for await (const strip of raster.rows()) {
        const rgb = new Uint8Array((strip.length / 4) * 3)
        for (let from = 0, to = 0; from < strip.length; from += 4, to += 3) {
          const light = (strip[from + 3] ?? 0) ^ flip
          for (let c = 0; c < 3; c++) rgb[to + c] = Math.round((((strip[from + c] ?? 0) ^ flip) * light) / 255)
        }
        yield rgb
      }
    },
  }
}
