/** Compares header packets: the same blocks and comments in the same order, but for padding, smaller covers and removed metadata. */
import { bytesOfBase64 } from '../../bytes/base64.ts'
import { equalBytes } from '../../bytes/equal.ts'
import type { RemovingMode } from '../../catalog/metadata.ts'
import { commentKey, commentValue, parseComments } from '../../containers/xiph/comments.ts'
import { isSmallerPicture } from '../../containers/xiph/picture.ts'
import {
  BLOCK_HEADER_BYTES,
  blockType,
  COMMENTS,
  commentsAt,
  keepsComment,
  keptRest,
  PADDING,
  PICTURE,
  PICTURE_KEY,
  withoutBlockCount,
} from './headers.ts'
import type { SoundCodec } from './sound-stream.ts'

/** True if a first packet is the same. FLAC's tells the number of blocks, which changes without padding. */
export const isSameFirst = (codec: SoundCodec, before: Uint8Array, after: Uint8Array): boolean =>
  codec === 'flac' ? withoutBlockCount(before) === withoutBlockCount(after) : equalBytes(before, after)

/** True if the other header packets hold the same. `mode`: metadata that the caller asked to remove. `undefined`: none. */
export function areSameHeaders(
  codec: SoundCodec,
  before: readonly Uint8Array[],
  after: readonly Uint8Array[],
  mode: RemovingMode | undefined,
): boolean {
  if (codec === 'flac') return areSameBlocks(before, after, mode)
  return before.length === after.length && before.every((packet, i) => (i === 0 ? sameComments : equalBytes)(packet, after[i]!))

  function sameComments(one: Uint8Array, other: Uint8Array): boolean {
    return areSameComments(codec, one, other, mode)
  }
}

function areSameBlocks(before: readonly Uint8Array[], after: readonly Uint8Array[], mode: RemovingMode | undefined): boolean {
  const kept = before.filter((block) => blockType(block) !== PADDING && !(blockType(block) === PICTURE && mode === 'strip'))
  const found = after.filter((block) => blockType(block) !== PADDING)
  return kept.length === found.length && kept.every((block, i) => isSameBlock(block, found[i]!, mode))
}

function isSameBlock(before: Uint8Array, after: Uint8Array, mode: RemovingMode | undefined): boolean {
  if (blockType(before) !== blockType(after)) return false
  const [one, other] = [before.subarray(BLOCK_HEADER_BYTES), after.subarray(BLOCK_HEADER_BYTES)]
  if (other.length !== after[1]! * 65_536 + after[2]! * 256 + after[3]!) return false
  if (blockType(before) === COMMENTS) return areSameComments('flac', before, after, mode)
  return equalBytes(one, other) || (blockType(before) === PICTURE && isSmallerPicture(one, other))
}

function areSameComments(codec: SoundCodec, before: Uint8Array, after: Uint8Array, mode: RemovingMode | undefined): boolean {
  const at = commentsAt(codec)
  const [one, other] = [parseComments(before, at), parseComments(after, at)]
  if (!one || !other) return equalBytes(before, after)
  const entries = one.entries.filter((entry) => keepsComment(mode, commentKey(entry)))
  return (
    (codec === 'flac' || equalBytes(before.subarray(0, at), after.subarray(0, at))) &&
    equalBytes(one.vendor, other.vendor) &&
    equalBytes(keptRest(codec, one), other.rest) &&
    entries.length === other.entries.length &&
    entries.every((entry, i) => isSameComment(entry, other.entries[i]!))
  )
}

function isSameComment(before: Uint8Array, after: Uint8Array): boolean {
  if (equalBytes(before, after)) return true
  if (commentKey(before) !== PICTURE_KEY || commentKey(after) !== PICTURE_KEY) return false
  return isSmallerPicture(bytesOfBase64(commentValue(before)), bytesOfBase64(commentValue(after)))
}
