/** The sound of a FLAC file, with its tags, for a conversion to another format. */
import { id3Bytes, id3Frames, id3Picture, id3Tags } from '../../containers/id3/id3.ts'
import { isTextAndPictures } from '../../containers/id3/plain.ts'
import type { Cover, Tag } from '../../containers/sound-tags.ts'
import { chaptersOf } from '../../containers/xiph/chapters.ts'
import { parseComments } from '../../containers/xiph/comments.ts'
import { addTags, coversOf, noTags } from '../../containers/xiph/tags.ts'
import { message } from '../../i18n/message.ts'
import type { Options, Source } from '../../model/codec.ts'
import { malformed, overBudget, unsupported } from '../../model/error.ts'
import type { DecodedSound } from '../../sound/decoded-sound.ts'
import { framesOf } from './decode.ts'
import { COMMENTS, type FlacFile, PICTURE } from './file.ts'
import { MAX_COMMENT_BYTES, MAX_PICTURES_BYTES } from './tuning.ts'

/** @throws CodecError (unsupported_feature) if the header does not tell the number of samples, or chapters cannot be read */
export async function playedFlac(source: Source, file: FlacFile, options: Options): Promise<DecodedSound> {
  const { hertz, channels, bits, samples } = file.info
  if (samples === 0) throw unsupported('flac_length_unknown')
  const scale = 2 ** (1 - bits)
  return {
    hertz,
    channels,
    frames: samples,
    ...(await metadataOf(source, file, options)),
    async *samples(inner) {
      for await (const { samples: interleaved } of framesOf(source, file, inner)) {
        const frames = interleaved.length / channels
        yield Array.from({ length: channels }, (_, channel) => {
          const planar = new Float32Array(frames)
          for (let i = 0, at = channel; i < frames; i++, at += channels) planar[i] = interleaved[at]! * scale
          return planar
        })
      }
    },
  }
}

/** Texts and pictures of the ID3 tags in front of the stream. @throws CodecError (unsupported_feature) for frames of other kinds */
async function frontTags(source: Source, { frontBytes }: FlacFile): Promise<{ tags: Tag[]; covers: Cover[] }> {
  const found: { tags: Tag[]; covers: Cover[] } = { tags: [], covers: [] }
  if (frontBytes > MAX_COMMENT_BYTES) throw unsupported(message('id3_tag_of_bytes', { size: frontBytes }))
  const front = (await source.read(0, frontBytes)).slice()
  for (let at = 0, bytes = id3Bytes(front, 0); bytes > 0; at += bytes, bytes = id3Bytes(front, at)) {
    const tag = front.subarray(at, at + bytes)
    if (!isTextAndPictures(tag)) throw unsupported('id3_frames_not_kept')
    for (const pair of id3Tags(tag)) found.tags.push(pair)
    for (const { id, body } of id3Frames(tag)) {
      const picture = id === 'APIC' ? id3Picture(body) : undefined
      if (picture) found.covers.push(picture)
    }
  }
  return found
}

async function metadataOf(source: Source, file: FlacFile, options: Options) {
  const { blocks } = file
  const found = noTags()
  let bytes = 0
  for (const { type, offset, size } of blocks) {
    if (type !== COMMENTS && type !== PICTURE) continue
    bytes += size
    if ((type === COMMENTS && size > MAX_COMMENT_BYTES) || bytes > MAX_PICTURES_BYTES)
      throw overBudget(message('tags_too_large', { mebibytes: MAX_PICTURES_BYTES / 2 ** 20 }))
    const body = (await source.read(offset, size)).slice()
    if (type === PICTURE) found.pictures.push(body)
    else {
      const comments = parseComments(body, 0)
      if (!comments) throw malformed('flac', offset, 'flac_block_of_wrong_size')
      addTags(found, comments, () => true)
    }
  }
  const covers = await coversOf(found.pictures, options)
  if (!covers) throw malformed('flac', 0, 'flac_block_of_wrong_size')
  const chapters = chaptersOf(found.chapters)
  if (!chapters) throw unsupported('chapters_would_be_lost')
  const front = await frontTags(source, file)
  // Many files repeat tags in both forms.
  const tags = [...new Map([...found.tags, ...front.tags].map((tag) => [tag.join('='), tag])).values()]
  return { tags, covers: [...covers, ...front.covers], chapters }
}
