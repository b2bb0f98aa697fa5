/** Lossless codecs for TIFF and GeoTIFF. Pixels, GeoKeys, overviews and masks are unchanged; a cloud optimized GeoTIFF (COG) stays one. */

import { GEOTIFF, TIFF } from '../../catalog/formats/tiff.ts'
import type { Codec } from '../../model/codec.ts'
import { transcodeTiff } from './transcode.ts'
import { verifyTiff } from './verify.ts'

export const tiff: Codec = losslessChannel(TIFF)
export const geotiff: Codec = losslessChannel(GEOTIFF)

function losslessChannel(format: Codec['format']): Codec {
  return {
    format,
    compress: (source, sink, options) => transcodeTiff(source, sink, options, format.id),
    verify: (original, result, _outcome, options) => verifyTiff(original, result, options, format.id),
  }
}
