/** ID3 tags that other containers can store. */
import { id3Frames, id3Tags } from './id3.ts'

/** Names that a Vorbis comment may have (RFC 9639, section 8.6). */
export const COMMENT_NAME: RegExp = /^[ -<>-}]+$/

/** True if FLAC comments and pictures can store all frames of an ID3 tag. Compressed and encrypted frames cannot be read. */
export function isTextAndPictures(tag: Uint8Array): boolean {
  const frames = id3Frames(tag, true)
  const canBeNamed = id3Frames(tag).length === frames.length && id3Tags(tag).every(([key]) => COMMENT_NAME.test(key))
  return frames.length > 0 && canBeNamed && frames.every(({ id }) => id === 'APIC' || id.startsWith('T'))
}
