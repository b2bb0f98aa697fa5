import { EML } from '../../catalog/formats/eml.ts'
import { compressWrapped, verifyWrapped } from '../../containers/wrapper/wrapper.ts'
import type { Codec } from '../../model/codec.ts'
import { compressMail, verifyMail } from './attachments.ts'

/**
 * Mail. In a wrapper (`.zst`, `.br`, `.gz`) it is byte-exact, so DKIM, S/MIME and PGP signatures stay valid. With output `eml`, the
 * attachments of unsigned mails are recompressed in place.
 */
export const eml: Codec = {
  format: EML,
  compress: (source, sink, options) =>
    options.output === 'eml' ? compressMail(source, sink, options) : compressWrapped(source, sink, options),
  verify: (original, result, _outcome, options) =>
    options.output === 'eml' ? verifyMail(original, result) : verifyWrapped(original, result, options),
}
