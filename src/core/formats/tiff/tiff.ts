/** The lossless channel: pixels, GeoKeys, overviews and masks as they were; a cloud optimized file stays one. */

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
