/** Lossless codecs for TIFF and GeoTIFF. Pixels, GeoKeys, overviews and masks are unchanged; a cloud optimized GeoTIFF (COG) stays one. */

import { GEOTIFF, TIFF } from '../../catalog/formats/tiff.ts'
import type { Codec, MetadataCodec } from '../../model/codec.ts'
import { transcodeTiff } from './transcode.ts'
import { verifyTiff } from './verify.ts'
import { withoutTiffMetadata } from './without-metadata.ts'

export const tiff: MetadataCodec = losslessChannel(TIFF)
export const geotiff: MetadataCodec = losslessChannel(GEOTIFF)

function losslessChannel(format: Codec['format']): MetadataCodec {
  return {
    format,
    withoutMetadata: withoutTiffMetadata,
    compress: (source, sink, options) => transcodeTiff(source, sink, options, format.id),
    verify: (original, result, _outcome, options) => verifyTiff(original, result, options, format.id),
  }
}
