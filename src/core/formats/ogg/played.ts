/** The sound of an Ogg file as players play it: without pre-skip and padding, with the gain of the header. */
import { YieldBudget } from '../../bytes/yield.ts'
import { chaptersOf } from '../../containers/xiph/chapters.ts'
import { parseComments } from '../../containers/xiph/comments.ts'
import { addTags, coversOf, noTags } from '../../containers/xiph/tags.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import type { DecodedSound } from '../../sound/decoded-sound.ts'
import { Trim } from '../../sound/trim.ts'
import { decoderOf, factsOf } from './decoders.ts'
import { BLOCK_HEADER_BYTES, blockType, COMMENTS, commentsAt, keepsComment, PICTURE } from './headers.ts'
import { type OggSound, packetsOf } from './read-sound.ts'
import { SAMPLES_PER_YIELD } from './tuning.ts'

/**
 * Returns the sound of a file for a conversion.
 * @throws CodecError (unsupported_feature) for sound that is not decoded, and for metadata that other formats cannot store
 */
export async function playedSound(source: Source, sound: OggSound, options: Options): Promise<DecodedSound> {
  const { hertz, channels, order } = factsOf(sound)
  const metadata = await metadataOf(sound, options)
  return {
    hertz,
    channels,
    frames: sound.frames,
    ...metadata,
    async *samples(inner) {
      for await (const planar of decoded(source, sound, { withGain: true }, inner)) yield order.map((index) => planar[index]!)
    },
  }
}

/** Yields planar samples in the order of the codec. @throws CodecError (malformed) if a packet is damaged, or samples are missing */
export async function* decoded(
  source: Source,
  sound: OggSound,
  { withGain }: { readonly withGain: boolean },
  { signal }: Options,
): AsyncGenerator<Float32Array[]> {
  using decoder = decoderOf(sound, withGain)
  const trim = new Trim(sound.skip, sound.frames)
  const pause = new YieldBudget(SAMPLES_PER_YIELD, signal)
  const damaged = () => malformed('ogg', source.size, 'ogg_packet_damaged')
  for await (const packet of packetsOf(source, signal)) {
    const blocks = decoder.decode(packet)
    if (!blocks) throw damaged()
    for (const planar of blocks) {
      yield* trim.cut(planar)
      await pause.after(planar.length * planar[0]!.length)
    }
  }
  const last = decoder.finish()
  if (!last) throw damaged()
  for (const planar of last) yield* trim.cut(planar)
  if (trim.left > 0) throw damaged()
}

async function metadataOf({ stream, headers }: OggSound, options: Options): Promise<Pick<DecodedSound, 'tags' | 'covers' | 'chapters'>> {
  const { codec } = stream.sound!
  const found = noTags()
  const read = (packet: Uint8Array) => {
    const comments = parseComments(packet, commentsAt(codec))
    if (!comments) throw unsupported('ogg_comments_unreadable')
    addTags(found, comments, (key) => keepsComment(options.metadata, key))
  }
  if (codec !== 'flac') read(headers[0]!)
  else
    for (const block of headers) {
      if (blockType(block) === COMMENTS) read(block)
      else if (blockType(block) === PICTURE && options.metadata !== 'strip') found.pictures.push(block.subarray(BLOCK_HEADER_BYTES))
    }
  const covers = await coversOf(found.pictures, options)
  if (!covers) throw unsupported('ogg_comments_unreadable')
  const chapters = chaptersOf(found.chapters)
  if (!chapters) throw unsupported('chapters_would_be_lost')
  return { tags: found.tags, covers, chapters }
}
