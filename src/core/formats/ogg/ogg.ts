/**
 * Codecs for sound in Ogg files: Vorbis, Opus, FLAC and Speex. They write the same packets to fewer pages, drop padding, and recompress covers
 * without loss. Every level is lossless. Pages of other streams, such as pictures of a film, stay.
 */
import { OGG, OPUS } from '../../catalog/formats/ogg.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { MetadataCodec } from '../../model/codec.ts'
import { type Repacked, repack } from './repack.ts'
import { verifyOgg } from './verify.ts'

const oggCodec = (format: typeof OGG | typeof OPUS): MetadataCodec => ({
  format,

  /** Metadata is removed while the pages are written. */
  withoutMetadata: async (source) => source,

  async compress(source, sink, options) {
    return { kind: 'compressed', steps: stepsOf(await repack(source, sink, options)) }
  },

  verify: (original, result, _outcome, options) => verifyOgg(original, result, options),
})

export const ogg = oggCodec(OGG)
export const opus = oggCodec(OPUS)

function stepsOf({ pagesBefore, pagesAfter, covers, droppedPadding }: Repacked): Message[] {
  return [
    ...(pagesAfter < pagesBefore ? [message('ogg_pages_repacked', { before: pagesBefore, after: pagesAfter })] : []),
    ...(droppedPadding ? [message('padding_of_tags_dropped')] : []),
    ...(covers > 0 ? [message('flac_covers_recompressed', { pictures: covers })] : []),
  ]
}
