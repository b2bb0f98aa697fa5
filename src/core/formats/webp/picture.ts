/** Reads the chunks of one WebP picture: a still file, or a frame of an animation (RFC 9649, 2.5 to 2.7). */
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { message } from '../../i18n/message.ts'
import { chunk } from '../../images/webp/container.ts'
import type { Source } from '../../model/codec.ts'
import { malformed } from '../../model/error.ts'
import type { Piece } from '../../model/splice.ts'

export interface WebpChunk {
  /** Chunk id: four characters. */
  readonly id: string
  /** File offset of the chunk's body. */
  readonly offset: number
  /** Bytes of the body, without the padding byte. */
  readonly size: number
}

export interface CodedPicture {
  readonly width: number
  readonly height: number
  /** True if the pixels are VP8L, so that they have no loss of their own. */
  readonly lossless: boolean
  readonly hasAlpha: boolean
  /** ALPH (if any) and VP8, or VP8L. */
  readonly chunks: readonly WebpChunk[]
}

/** Offset behind a chunk and its padding byte. */
export const endOfChunk = ({ offset, size }: WebpChunk): number => offset + size + (size & 1)

/**
 * Returns the chunk whose header is at `at`. `end`: offset that it must not exceed.
 * @throws CodecError (malformed) if it leaves the file
 */
export async function readChunk(source: Source, at: number, end: number): Promise<WebpChunk> {
  const head = await source.read(at, 8)
  if (head.length < 8 || at + 8 > end) throw malformed('webp', at, 'webp_chunk_cut_short')
  const id = latin1Of(head.subarray(0, 4))
  const size = new ByteReader(head, true).u32(4)
  if (at + 8 + size > end)
    throw malformed('webp', at, message('chunk_of_bytes_runs_over_end', { id: JSON.stringify(id).slice(1, -1), size }))
  return { id, offset: at + 8, size }
}

/** File range of a chunk with header and padding. `end`: end of the file's RIFF form, where the last padding byte may be missing. */
export const wholeChunk = (one: WebpChunk, end: number): Piece => ({ from: one.offset - 8, to: Math.min(end, endOfChunk(one)) })

/** Reads chunks with headers and padding. */
export const codedChunks = (source: Source, chunks: readonly WebpChunk[]): Promise<Uint8Array[]> =>
  Promise.all(chunks.map(async ({ id, offset, size }) => chunk(id, await source.read(offset, size))))

export const isPictureChunk = ({ id }: Pick<WebpChunk, 'id'>): boolean => id === 'VP8 ' || id === 'VP8L' || id === 'ALPH'

/**
 * Reads the header of the picture in `chunks`. `announcesAlpha`: the file's header allows transparency; `undefined`: it says nothing.
 * @throws CodecError (malformed) if there is no picture, more than one, or a damaged header
 */
export async function readCodedPicture(
  source: Source,
  chunks: readonly WebpChunk[],
  announcesAlpha: boolean | undefined,
  at: number,
): Promise<CodedPicture> {
  const coded = chunks.filter(isPictureChunk)
  const [first, second] = coded
  const picture = first?.id === 'ALPH' ? second : first
  if (!first || !picture || picture.id === 'ALPH') throw malformed('webp', at, 'webp_no_picture')
  if (coded.length > (first.id === 'ALPH' ? 2 : 1)) throw malformed('webp', at, 'webp_second_picture')
  const facts = picture.id === 'VP8L' ? await vp8lHeader(source, picture) : await vp8Header(source, picture)
  if (picture.id === 'VP8L' && first !== picture) throw malformed('webp', at, 'webp_second_picture')
  const hasAlpha = facts.hasAlpha || first.id === 'ALPH'
  // Some programs decode transparency that the header does not announce, others ignore it.
  if (hasAlpha && announcesAlpha === false) throw malformed('webp', at, 'webp_alpha_not_announced')
  return { ...facts, hasAlpha, lossless: picture.id === 'VP8L', chunks: coded }
}

/** Reads a key frame header (RFC 6386, 9.1). */
async function vp8Header(source: Source, { offset, size }: WebpChunk) {
  const head = await source.read(offset, 10)
  const isKeyFrame = size >= 10 && (head[0]! & 1) === 0 && head[3] === 0x9d && head[4] === 0x01 && head[5] === 0x2a
  const reader = new ByteReader(head, true)
  const [width, height] = isKeyFrame ? [reader.u16(6) & 0x3fff, reader.u16(8) & 0x3fff] : [0, 0]
  if (width === 0 || height === 0) throw malformed('webp', offset, 'webp_header_of_picture')
  return { width, height, hasAlpha: false }
}

/** Reads a VP8L header (RFC 9649, 3.4). */
async function vp8lHeader(source: Source, { offset, size }: WebpChunk) {
  const head = await source.read(offset, 5)
  const bits = size >= 5 ? new ByteReader(head, true).u32(1) : 0
  if (size < 5 || head[0] !== 0x2f || bits >>> 29 !== 0) throw malformed('webp', offset, 'webp_header_of_picture')
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1, hasAlpha: ((bits >>> 28) & 1) === 1 }
}
