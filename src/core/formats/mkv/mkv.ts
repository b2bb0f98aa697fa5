/**
 * Codecs for Matroska and WebM. They leave out Void elements, write the shortest size fields, and recompress attached pictures without loss.
 * Every level is lossless: blocks keep all their bytes.
 */
import { MKV, WEBM } from '../../catalog/formats/mkv.ts'
import { message } from '../../i18n/message.ts'
import type { Codec } from '../../model/codec.ts'
import { scan } from './scan.ts'
import { verifyMatroska } from './verify.ts'
import { writeSmaller } from './write.ts'

const matroskaCodec = (format: typeof MKV | typeof WEBM): Codec => ({
  format,

  async compress(source, sink, options) {
    const file = await scan(source, options.signal)
    const { pictures } = await writeSmaller(file, sink, options)
    const steps = [
      message('mkv_elements_repacked', { bytes: source.size - sink.written }),
      ...(pictures > 0 ? [message('flac_covers_recompressed', { pictures })] : []),
    ]
    return { kind: 'compressed', steps }
  },

  verify: (original, result, _outcome, options) => verifyMatroska(original, result, options),
})

export const mkv = matroskaCodec(MKV)
export const webm = matroskaCodec(WEBM)
