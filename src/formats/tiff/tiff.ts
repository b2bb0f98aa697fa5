import type { Codec } from '../../codec/codec.ts'
import { TIFF } from './format.ts'
import { transcodeTiff } from './transcode.ts'
import { verifyTiff } from './verify.ts'

/** The lossless channel: see `containers/tiff`. */
export const tiff: Codec = {
  format: TIFF,
  compress: (source, sink, options) => transcodeTiff(source, sink, options, TIFF.id),
  verify: (original, result, _outcome, options) => verifyTiff(original, result, options, TIFF.id),
}
