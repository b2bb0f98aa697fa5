/** A JPEG as a raster: decoded from the start whenever its rows are asked for. */

import { JpegRows, type RowsOutOptions } from '../../../../wasm/jpeg/jpeg.ts'
import { type Raster, stripRows } from '../../images/raster/raster.ts'
import type { Source } from '../../model/codec.ts'
import { chunksOf } from '../../model/source.ts'
import type { JpegHeader } from './segments.ts'

/** Where the picture ended in the file, and what stood between its scans. */
export type Read = Pick<JpegRows, 'endOffset' | 'lateSegments'>

type DctScale = NonNullable<RowsOutOptions['dctScale']>

/** Scaled in the DCT to `dctScale` eighths of its size. Channels as `colour` gives them; four are the inks of CMYK, not alpha. */
export function jpegRaster(
  source: Source,
  header: JpegHeader,
  dctScale: DctScale = 8,
  colour: RowsOutOptions['colour'] = 'natural',
  /** Gets what was found on the way, each time the picture was read through. */
  onEnd: (read: Read) => void = () => undefined,
): Raster {
  const channels = colour === 'gray' ? 1 : header.components === 2 ? 3 : (header.components as 1 | 3 | 4)
  return {
    width: Math.ceil((header.width * dctScale) / 8),
    height: Math.ceil((header.height * dctScale) / 8),
    channels,
    async *rows() {
      const rows = await JpegRows.open(chunksOf(source), { dctScale, colour })
      yield* rows.strips(stripRows(rows.width, rows.channels))
      onEnd(rows)
    },
  }
}

/** The coarsest scaling in the DCT that leaves half as much again as wanted, for a filter to take the rest. */
export function dctScaleFor(from: number, to: number): DctScale {
  for (const dctScale of [1, 2, 3, 4, 5, 6, 7] as const) if ((from * dctScale) / 8 >= to * 1.5) return dctScale
  return 8
}
