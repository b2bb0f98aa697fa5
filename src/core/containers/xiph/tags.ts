/** Tags and covers in the comments of Vorbis, Opus and FLAC, for containers with other tags. */
import { bytesOfBase64 } from '../../bytes/base64.ts'
import type { Options } from '../../model/codec.ts'
import type { Cover, Tag } from '../sound-tags.ts'
import { isChapter } from './chapters.ts'
import { type Comments, commentKey, commentText } from './comments.ts'
import { coverOf, smallerPicture } from './picture.ts'

/** Common names of comments whose own name is another one. */
const NAMES: { readonly [key: string]: string } = { tracknumber: 'track', albumartist: 'album_artist', discnumber: 'disc', year: 'date' }
/** Comment with a picture block in base64. */
const PICTURE_KEY = 'metadata_block_picture'
/** Comments that describe the old file: its encoder, the delay and padding of its packets, and its channels. */
const STALE = ['encoder', 'encoding_tool', 'itunsmpb', 'waveformatextensible_channel_mask']

/** Names of comments for tags with common names. `DATE` is its own name, and `YEAR` another one for it. */
const KEYS = new Map(Object.entries(NAMES).flatMap(([key, name]) => (name === 'date' ? [] : [[name, key]])))

export interface XiphTags {
  readonly tags: Tag[]
  /** Picture blocks. */
  readonly pictures: Uint8Array[]
  /** Comments of chapters, which `chaptersOf` reads. */
  readonly chapters: Tag[]
}

export const noTags = (): XiphTags => ({ tags: [], pictures: [], chapters: [] })

/** Adds the tags of comments, without those that would be wrong in another file. `keeps`: true for a key that stays. */
export function addTags(
  { tags, pictures, chapters }: XiphTags,
  { entries }: Pick<Comments, 'entries'>,
  keeps: (key: string) => boolean,
): void {
  for (const entry of entries) {
    const key = commentKey(entry)
    if (!key || !keeps(key) || STALE.includes(key)) continue
    const value = commentText(entry)
    const name = NAMES[key] ?? key
    if (isChapter(key)) chapters.push([key, value])
    else if (key === PICTURE_KEY) pictures.push(bytesOfBase64(value))
    else if (value && !tags.some(([other, text]) => other === name && text === value)) tags.push([name, value])
  }
}

/** Returns the covers of picture blocks, recompressed without loss. `undefined`: one cannot be read. */
export async function coversOf(pictures: readonly Uint8Array[], options: Options): Promise<Cover[] | undefined> {
  const covers: Cover[] = []
  for (const block of pictures) {
    const cover = coverOf((await smallerPicture(block, options)) ?? block)
    if (!cover) return undefined
    covers.push(cover)
  }
  return covers
}

/** Returns comments for tags with common names. */
export const commentsOf = (tags: readonly Tag[]): string[] =>
  tags.map(([name, value]) => `${(KEYS.get(name) ?? name).toUpperCase()}=${value}`)
