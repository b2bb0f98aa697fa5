/** Header packets of a result: all of the original, without padding, with smaller covers, and without metadata that is removed. */
import { base64Of, bytesOfBase64 } from '../../bytes/base64.ts'
import { concat } from '../../bytes/concat.ts'
import { latin1Bytes, latin1Of } from '../../bytes/latin1.ts'
import { keepsSoundTag, type RemovingMode } from '../../catalog/metadata.ts'
import { type Comments, commentBytes, commentKey, commentValue, parseComments } from '../../containers/xiph/comments.ts'
import { smallerPicture } from '../../containers/xiph/picture.ts'
import type { Options } from '../../model/codec.ts'
import type { LogicalStream } from './logical-stream.ts'
import type { SoundCodec } from './sound-stream.ts'

export interface PlannedHeaders {
  readonly first: Uint8Array
  readonly others: readonly Uint8Array[]
  /** Covers that became smaller. */
  readonly covers: number
  readonly droppedPadding: boolean
}

/** Types of FLAC metadata blocks (RFC 9639, section 8.1). */
export const [PADDING, COMMENTS, PICTURE] = [1, 4, 6] as const
export const BLOCK_HEADER_BYTES = 4
/** Comment with a picture block in base64. */
export const PICTURE_KEY = 'metadata_block_picture'
/** Comments that players need: speaker positions, gapless data, chapters. */
const FOR_PLAYERS = /^(?:waveformatextensible_channel_mask|itunsmpb|chapter\d.*)$/

/** Bytes in front of the comments in their packet. */
const PREFIXES: { readonly [Codec in SoundCodec]: number } = { vorbis: 7, opus: 8, speex: 0, flac: BLOCK_HEADER_BYTES }
export const commentsAt = (codec: SoundCodec): number => PREFIXES[codec]

/**
 * Plans the header packets of a stream. `others`: all but the first.
 * `mayChangeFirst`: false if the first page is written, so that the number of FLAC blocks must stay.
 */
export async function planHeaders(
  { sound, first }: LogicalStream,
  others: readonly Uint8Array[],
  mayChangeFirst: boolean,
  options: Options,
): Promise<PlannedHeaders> {
  const { codec } = sound!
  if (codec === 'flac') return await planBlocks(first, others, mayChangeFirst, options)
  const [comments, ...rest] = others
  const plan = comments && (await planComments(codec, comments, options))
  return plan ? { ...plan, first, others: [plan.packet, ...rest] } : unchanged(first, others)
}

const unchanged = (first: Uint8Array, others: readonly Uint8Array[]) => ({ first, others, covers: 0, droppedPadding: false })

interface PlannedComments {
  readonly packet: Uint8Array
  readonly covers: number
  readonly droppedPadding: boolean
}

/** @returns `undefined` if the comments cannot be read */
async function planComments(codec: SoundCodec, packet: Uint8Array, options: Options): Promise<PlannedComments | undefined> {
  const comments = parseComments(packet, commentsAt(codec))
  if (!comments) return undefined
  let covers = 0
  const entries: Uint8Array[] = []
  for (const entry of comments.entries) {
    if (!keepsComment(options.metadata, commentKey(entry))) continue
    const smaller = await smallerCover(entry, options)
    entries.push(smaller ?? entry)
    if (smaller) covers++
  }
  const rest = keptRest(codec, comments)
  const packed = concat([packet.subarray(0, commentsAt(codec)), commentBytes({ ...comments, entries, rest })])
  return { packet: packed, covers, droppedPadding: rest.length < comments.rest.length }
}

/** Returns the header packets behind the first one of Opus with another vendor. Comments that cannot be read stay. */
export function withOpusVendor([packet, ...rest]: readonly Uint8Array[], vendor: Uint8Array): Uint8Array[] {
  if (!packet) return rest
  const at = commentsAt('opus')
  const comments = parseComments(packet, at)
  return [comments ? concat([packet.subarray(0, at), commentBytes({ ...comments, vendor })]) : packet, ...rest]
}

/** True if a comment stays. `mode`: metadata that the caller asked to remove. `undefined`: none. */
export const keepsComment = (mode: RemovingMode | undefined, key: string): boolean =>
  !mode || FOR_PLAYERS.test(key) || keepsSoundTag(mode, key) || (mode === 'safe' && key === PICTURE_KEY)

/** Returns a comment whose cover is smaller. `undefined`: it is no cover, or the cover stays. */
async function smallerCover(entry: Uint8Array, options: Options): Promise<Uint8Array | undefined> {
  if (commentKey(entry) !== PICTURE_KEY) return undefined
  const block = await smallerPicture(bytesOfBase64(commentValue(entry)), options)
  const smaller = block && concat([entry.subarray(0, PICTURE_KEY.length + 1), latin1Bytes(base64Of(block))])
  return smaller && smaller.length < entry.length ? smaller : undefined
}

/**
 * Bytes behind the comments that stay. Opus has padding there, unless the lowest bit of the first byte says that it is to be kept
 * (RFC 7845, section 5.2). Vorbis has a framing bit there (Vorbis I, section 5.2.1).
 */
export function keptRest(codec: SoundCodec, { rest }: Pick<Comments, 'rest'>): Uint8Array {
  if (codec === 'opus') return ((rest[0] ?? 0) & 1) === 0 ? rest.subarray(0, 0) : rest
  return codec === 'vorbis' && rest.subarray(1).every((byte) => byte === 0) ? rest.subarray(0, 1) : rest
}

/** Block that takes the place of a block that is dropped, if the number of blocks must stay. */
const EMPTY_BLOCK = Uint8Array.of(PADDING, 0, 0, 0)

/** FLAC has one metadata block a packet, and their number in the first packet (RFC 9639, section 10.1). */
async function planBlocks(
  first: Uint8Array,
  others: readonly Uint8Array[],
  mayChangeFirst: boolean,
  options: Options,
): Promise<PlannedHeaders> {
  let covers = 0
  const blocks: Uint8Array[] = []
  for (const block of others) {
    const type = blockType(block)
    if (type === PADDING || (type === PICTURE && options.metadata === 'strip')) {
      if (!mayChangeFirst) blocks.push(EMPTY_BLOCK)
    } else if (type === PICTURE) {
      const smaller = await smallerPicture(block.subarray(BLOCK_HEADER_BYTES), options)
      blocks.push(smaller ? concat([block.subarray(0, BLOCK_HEADER_BYTES), smaller]) : block)
      if (smaller) covers++
    } else if (type === COMMENTS) {
      const plan = await planComments('flac', block, options)
      blocks.push(plan?.packet ?? block)
      covers += plan?.covers ?? 0
    } else blocks.push(block)
  }
  // The last packet has the marker of the last block.
  if (blocks.length === 0) blocks.push(EMPTY_BLOCK)
  return {
    first: withBlockCount(first, blocks.length),
    others: blocks.map((block, i) => withBlockHeader(block, i === blocks.length - 1)),
    covers,
    droppedPadding: others.some((block) => blockType(block) === PADDING && block.length > BLOCK_HEADER_BYTES),
  }
}

/** Type of a FLAC metadata block, without the marker of the last one. */
export const blockType = (block: Uint8Array): number => block[0]! & 127

/** Offset of the number of blocks behind the first packet; 0: not known. */
const BLOCK_COUNT_AT = 7

function withBlockCount(first: Uint8Array, count: number): Uint8Array {
  const changed = first.slice()
  const isKnown = first[BLOCK_COUNT_AT] !== 0 || first[BLOCK_COUNT_AT + 1] !== 0
  if (isKnown) changed.set([count >> 8, count & 255], BLOCK_COUNT_AT)
  return changed
}

/** Block with its own length, and the marker of the last block. */
export function withBlockHeader(block: Uint8Array, isLast: boolean): Uint8Array {
  const size = block.length - BLOCK_HEADER_BYTES
  const type = (block[0]! & 127) | (isLast ? 0x80 : 0)
  return concat([Uint8Array.of(type, size >> 16, (size >> 8) & 255, size & 255), block.subarray(BLOCK_HEADER_BYTES)])
}

/** First packet of FLAC without the number of blocks. */
export const withoutBlockCount = (first: Uint8Array): string =>
  latin1Of(first.subarray(0, BLOCK_COUNT_AT)) + latin1Of(first.subarray(BLOCK_COUNT_AT + 2))
