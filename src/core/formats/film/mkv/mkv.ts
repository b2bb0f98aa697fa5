/**
 * Codecs for Matroska and WebM. As themselves, they leave out Void elements, write the shortest size fields, and recompress attached pictures
 * without loss; blocks keep all their bytes. As MP4, they are compressed as an MP4 film is.
 */
import { MKV, WEBM } from '../../../catalog/formats/mkv.ts'
import { message } from '../../../i18n/message.ts'
import type { MetadataCodec, Options, Outcome, Sink, Source } from '../../../model/codec.ts'
import type { SegmentedCodec } from '../../../model/segmented.ts'
import { scan } from './scan.ts'
import { matroskaAsMp4 } from './to-mp4/to-mp4.ts'
import { verifyMatroska } from './verify.ts'
import { withoutMkvMetadata } from './without-metadata.ts'
import { writeSmaller } from './write.ts'

const isMp4 = ({ output }: Options): boolean => output === 'mp4'

async function repack(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  const file = await scan(source, options.signal)
  const { pictures } = await writeSmaller(file, sink, options)
  const steps = [
    message('mkv_elements_repacked', { bytes: source.size - sink.written }),
    ...(pictures > 0 ? [message('flac_covers_recompressed', { pictures })] : []),
  ]
  return { kind: 'compressed', steps }
}

const matroskaCodec = (format: typeof MKV | typeof WEBM): SegmentedCodec & MetadataCodec => ({
  format,
  withoutMetadata: withoutMkvMetadata,
  compress: (source, sink, options) => (isMp4(options) ? matroskaAsMp4.compress : repack)(source, sink, options),
  plan: async (source, options) => (isMp4(options) ? await matroskaAsMp4.plan(source, options) : { kind: 'whole' }),
  compressPart: matroskaAsMp4.compressPart,
  join: matroskaAsMp4.join,
  verify: (original, result, outcome, options) =>
    isMp4(options) ? matroskaAsMp4.verify(original, result, outcome, options) : verifyMatroska(original, result, options),
})

export const mkv: SegmentedCodec & MetadataCodec = matroskaCodec(MKV)
export const webm: SegmentedCodec & MetadataCodec = matroskaCodec(WEBM)
