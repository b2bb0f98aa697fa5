/** Reads the metadata blocks of a FLAC file (RFC 9639, sections 6 and 8). */
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { frontTagBytes } from '../../containers/id3/front.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { MAX_BLOCKS } from './tuning.ts'

/** Types of metadata blocks (RFC 9639, section 8.1). */
export const [STREAM_INFO, PADDING, APPLICATION, SEEK_TABLE, COMMENTS, CUE_SHEET, PICTURE, FORBIDDEN] = [0, 1, 2, 3, 4, 5, 6, 127] as const
export const STREAM_INFO_BYTES = 34
/** Marker of the last block in the first byte of its header. */
export const LAST = 0x80
/** Bytes of `fLaC`, and of the header of a block. */
export const HEADER_BYTES = 4

export interface FlacBlock {
  readonly type: number
  /** File offset of the body. */
  readonly offset: number
  readonly size: number
}

/** STREAMINFO (RFC 9639, section 8.2), without the sizes of blocks and frames. */
export interface StreamInfo {
  readonly hertz: number
  readonly channels: number
  readonly bits: number
  /** Samples of each channel. 0: not known. */
  readonly samples: number
  /** MD5 of all samples, hexadecimal. `undefined`: not stored. */
  readonly md5: string | undefined
}

export interface FlacFile {
  /** Bytes in front of `fLaC`: ID3v2 tags, which some programs write there. */
  readonly frontBytes: number
  readonly info: StreamInfo
  /** All blocks behind STREAMINFO. */
  readonly blocks: readonly FlacBlock[]
  /** File offset of the first frame. */
  readonly framesOffset: number
}

/** True if a file that starts with an ID3v2 tag has a FLAC stream behind it. */
export async function hasFlacBehindTags(source: Source): Promise<boolean> {
  return latin1Of(await source.read(await frontTagBytes(source), HEADER_BYTES)) === 'fLaC'
}

/** @throws CodecError (malformed) for damaged metadata, CodecError (unsupported_feature) for streams that are no sound */
export async function readFlac(source: Source): Promise<FlacFile> {
  const frontBytes = await frontTagBytes(source)
  if (latin1Of(await source.read(frontBytes, HEADER_BYTES)) !== 'fLaC') throw malformed('flac', frontBytes, 'flac_no_marker')
  const blocks: FlacBlock[] = []
  for (let at = frontBytes + HEADER_BYTES; ; ) {
    const [first = FORBIDDEN, high = 0, middle = 0, low = 0] = await source.read(at, HEADER_BYTES)
    const block = { type: first & 127, offset: at + HEADER_BYTES, size: (high << 16) | (middle << 8) | low }
    const isInfo = block.type === STREAM_INFO
    if (block.type === FORBIDDEN || blocks.length > MAX_BLOCKS || isInfo !== (blocks.length === 0))
      throw malformed('flac', at, 'flac_block_out_of_place')
    if (block.offset + block.size > source.size || (isInfo && block.size !== STREAM_INFO_BYTES))
      throw malformed('flac', at, 'flac_block_of_wrong_size')
    blocks.push(block)
    at = block.offset + block.size
    if (first & LAST) break
  }
  const [infoBlock, ...others] = blocks
  const info = parseStreamInfo(await source.read(infoBlock!.offset, STREAM_INFO_BYTES))
  if (info.hertz === 0) throw unsupported('flac_is_no_sound')
  const last = blocks.at(-1)!
  return { frontBytes, info, blocks: others, framesOffset: last.offset + last.size }
}

/** Fields behind the smallest and largest blocks and frames: rate (20 bits), channels − 1 (3), bits − 1 (5), samples (36), MD5. */
export function parseStreamInfo(body: Uint8Array): StreamInfo {
  const reader = new ByteReader(body, false)
  const word = reader.u32(10)
  const md5 = Array.from(body.subarray(18, STREAM_INFO_BYTES), (byte) => byte.toString(16).padStart(2, '0')).join('')
  return {
    hertz: word >>> 12,
    channels: ((word >>> 9) & 7) + 1,
    bits: ((word >>> 4) & 31) + 1,
    samples: (word & 15) * 2 ** 32 + reader.u32(14),
    md5: /^0+$/.test(md5) ? undefined : md5,
  }
}

/** Returns the header of a metadata block. */
export const blockHeader = (type: number, size: number, isLast: boolean): Uint8Array =>
  new ByteWriter(new Uint8Array(HEADER_BYTES), false)
    .u8(type | (isLast ? LAST : 0))
    .u24(size)
    .finish()
