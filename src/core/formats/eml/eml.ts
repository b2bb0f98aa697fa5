import { EML } from '../../catalog/formats/eml.ts'
import { compressWrapped, verifyWrapped } from '../../containers/wrapper/wrapper.ts'
import type { Codec } from '../../model/codec.ts'
import { compressMail, verifyMail } from './attachments.ts'

/**
 * Mail, byte for byte inside a companion: DKIM, S/MIME and PGP signatures survive. As mail itself (`eml`) its attachments are
 * recompressed in place, where nothing is signed.
 */
export const eml: Codec = {
  format: EML,
  compress: (source, sink, options) =>
    options.output === 'eml' ? compressMail(source, sink, options) : compressWrapped(source, sink, options),
  verify: (original, result, _outcome, options) =>
    options.output === 'eml' ? verifyMail(original, result) : verifyWrapped(original, result, options),
}
