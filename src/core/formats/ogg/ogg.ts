/**
 * Codecs for sound in Ogg files: Vorbis, Opus, FLAC and Speex. They write the same packets to fewer pages, drop padding, and recompress covers
 * without loss. Pages of other streams, such as pictures of a film, stay. Below `high`, Opus of a high bit rate is encoded again. On request
 * the sound becomes M4A, MP3 or FLAC.
 */
import { OGG, OPUS } from '../../catalog/formats/ogg.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { MetadataCodec, Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { convertSound, verifyConverted, verifyExact } from '../../sound/convert.ts'
import { soundOutput } from '../../sound/outputs.ts'
import { canBeUnpacked, unpackFlac } from './flac.ts'
import { playedSound } from './played.ts'
import { readOggSound } from './read-sound.ts'
import { reencodeOpus } from './reencode-opus.ts'
import { type Repacked, repack } from './repack.ts'
import { verifyOgg } from './verify.ts'
import { verifyReencoded } from './verify-reencoded.ts'

const oggCodec = (format: typeof OGG | typeof OPUS): MetadataCodec => ({
  format,

  /** Metadata is removed while the pages are written. */
  withoutMetadata: async (source) => source,

  async compress(source, sink, options) {
    if (options.output !== format.id) return await convert(source, sink, options)
    const encoded = format === OPUS ? await reencodeOpus(source, sink, options) : undefined
    return encoded ?? { kind: 'compressed', steps: stepsOf(await repack(source, sink, options)) }
  },

  async verify(original, result, outcome, options) {
    if (options.output !== format.id) return await verifyConversion(original, result, outcome, options)
    if (outcome.kind === 'compressed' && outcome.loss) return await verifyReencoded(original, result, outcome, options)
    return await verifyOgg(original, result, options)
  },
})

export const ogg = oggCodec(OGG)
export const opus = oggCodec(OPUS)

async function convert(source: Source, sink: Sink, options: Options): Promise<Outcome> {
  const sound = await readOggSound(source, options.signal)
  if (options.output === 'flac' && canBeUnpacked(sound)) return await unpackFlac(source, sound, sink, options)
  return await convertSound(await playedSound(source, sound, options), soundOutput(options.output), sink, options)
}

async function verifyConversion(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  const sound = await readOggSound(original, options.signal)
  const played = await playedSound(original, sound, options)
  if (outcome.kind === 'compressed' && outcome.loss)
    return await verifyConverted(played, soundOutput(options.output), result, outcome, options)
  return await verifyExact(played, result, options)
}

function stepsOf({ pagesBefore, pagesAfter, covers, droppedPadding }: Repacked): Message[] {
  return [
    ...(pagesAfter < pagesBefore ? [message('ogg_pages_repacked', { before: pagesBefore, after: pagesAfter })] : []),
    ...(droppedPadding ? [message('padding_of_tags_dropped')] : []),
    ...(covers > 0 ? [message('flac_covers_recompressed', { pictures: covers })] : []),
  ]
}
