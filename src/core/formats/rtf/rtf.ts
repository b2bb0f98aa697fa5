import { RTF } from '../../catalog/formats/rtf.ts'
import { compressWrapped, isWrapper, verifyWrapped } from '../../containers/wrapper/wrapper.ts'
import { VerifiedFiles } from '../../embedded/verification-cache.ts'
import type { Codec } from '../../model/codec.ts'
import { compressRtf } from './compress.ts'
import { verifyRtf } from './verify.ts'

/** RTF documents. JPEG and PNG pictures are recompressed in place; every other byte stays. In a wrapper, the whole file is byte-exact. */
export const rtf: Codec = {
  format: RTF,
  compress: (source, sink, options) =>
    isWrapper(options.output) ? compressWrapped(source, sink, options) : compressRtf(source, sink, options),
  verify: (original, result, _outcome, options, evidence) =>
    isWrapper(options.output)
      ? verifyWrapped(original, result, options)
      : verifyRtf(original, result, options.signal, evidence instanceof VerifiedFiles ? evidence : undefined),
}
