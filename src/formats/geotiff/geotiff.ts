import type { Codec } from '../../codec/codec.ts'
import { transcodeTiff } from '../tiff/transcode.ts'
import { verifyTiff } from '../tiff/verify.ts'
import { GEOTIFF } from './format.ts'

/** The lossless channel: pixels, GeoKeys, overviews and masks as they were; a cloud optimized file stays one. */
export const geotiff: Codec = {
  format: GEOTIFF,
  compress: (source, sink, options) => transcodeTiff(source, sink, options, GEOTIFF.id),
  verify: (original, result, _outcome, options) => verifyTiff(original, result, options, GEOTIFF.id),
}
