import type { Codec } from '../../codec/codec.ts'
import { transcodeTiff } from '../../containers/tiff/transcode.ts'
import { verifyTiff } from '../../containers/tiff/verify.ts'
import { TIFF } from './format.ts'

/** The lossless channel: see `containers/tiff`. */
export const tiff: Codec = {
  format: TIFF,
  compress: (source, sink, options) => transcodeTiff(source, sink, options, TIFF.id),
  verify: (original, result, _outcome, options) => verifyTiff(original, result, options, TIFF.id),
}
