/** Removes metadata from FLAC files: comments, covers, foreign metadata, and tags of other formats around the stream. */
import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { keepsSoundTag, type RemovingMode } from '../../catalog/metadata.ts'
import type { Source } from '../../model/codec.ts'
import { type Piece, pieceBytes, sameIfUnchanged, splice } from '../../model/splice.ts'
import {
  APPLICATION,
  blockHeader,
  COMMENTS,
  type FlacBlock,
  HEADER_BYTES,
  PICTURE,
  readFlac,
  STREAM_INFO,
  STREAM_INFO_BYTES,
} from './file.ts'
import { MAX_COMMENT_BYTES } from './tuning.ts'

/** Comments that players need: speaker positions, gapless data, chapters. */
const FOR_PLAYERS = /^(?:waveformatextensible_channel_mask|itunsmpb|chapter\d.*)$/i
/** Chunks of foreign metadata that sound and its playback need: markers, loops and their labels. */
const SOUND_CHUNKS = new Set(['cue ', 'smpl', 'inst', 'plst'])
const ID3V1_BYTES = 128

/**
 * Returns the file without the metadata that `mode` removes. Cue sheets stay.
 * @throws CodecError for damaged files
 */
export async function withoutFlacMetadata(source: Source, mode: RemovingMode): Promise<Source> {
  const { frontBytes, blocks, framesOffset } = await readFlac(source)
  const infoAt = frontBytes + 2 * HEADER_BYTES
  const kept: { readonly type: number; readonly body: Piece }[] = [
    { type: STREAM_INFO, body: { from: infoAt, to: infoAt + STREAM_INFO_BYTES } },
  ]
  for (const block of blocks) {
    const body = await keptBody(source, block, mode)
    if (body) kept.push({ type: block.type, body })
  }
  const pieces: Piece[] = [{ from: frontBytes, to: frontBytes + HEADER_BYTES }]
  for (const [i, { type, body }] of kept.entries()) pieces.push(blockHeader(type, pieceBytes(body), i === kept.length - 1), body)
  pieces.push({ from: framesOffset, to: await endWithoutId3v1(source) })
  return sameIfUnchanged(source, splice(source, pieces))
}

/** Content of a block that stays. `undefined`: the block goes. */
async function keptBody(source: Source, { type, offset, size }: FlacBlock, mode: RemovingMode): Promise<Piece | undefined> {
  const whole = { from: offset, to: offset + size }
  if (type === COMMENTS) return size > MAX_COMMENT_BYTES ? undefined : keptComments(await source.read(offset, size), mode)
  if (type === PICTURE) return mode === 'safe' ? whole : undefined
  if (type !== APPLICATION) return whole
  const head = latin1Of(await source.read(offset, Math.min(size, 16)))
  const isSound = SOUND_CHUNKS.has(head.slice(4, 8)) || head.slice(12, 16) === 'adtl'
  return head.startsWith('riff') && isSound ? whole : undefined
}

/** Comment block (RFC 9639, section 8.6) with the comments that stay. */
function keptComments(block: Uint8Array, mode: RemovingMode): Uint8Array {
  const reader = new ByteReader(block, true)
  const comments: Uint8Array[] = []
  const vendorBytes = block.length < 4 ? 0 : reader.u32(0)
  let at = 4 + vendorBytes
  if (at + 4 > block.length) return new Uint8Array(8)
  const count = reader.u32(at)
  at += 4
  for (let i = 0; i < count && at + 4 <= block.length; i++) {
    const end = at + 4 + reader.u32(at)
    if (end > block.length) break
    const key = latin1Of(block.subarray(at + 4, end)).split('=', 1)[0]!
    if (FOR_PLAYERS.test(key) || keepsSoundTag(mode, key)) comments.push(block.subarray(at, end))
    at = end
  }
  return concat([block.subarray(0, 4 + vendorBytes), new ByteWriter(new Uint8Array(4), true).u32(comments.length).finish(), ...comments])
}

async function endWithoutId3v1(source: Source): Promise<number> {
  const from = Math.max(0, source.size - ID3V1_BYTES)
  return latin1Of(await source.read(from, 3)) === 'TAG' ? from : source.size
}
