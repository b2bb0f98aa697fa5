/** Reads the structure of a WebP file (RFC 9649, 2): the picture or the frames, metadata and other chunks. */
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { message } from '../../i18n/message.ts'
import { withoutJpegPrefix } from '../../images/raster/orientation.ts'
import type { PictureMetadata } from '../../images/raster/raster.ts'
import type { Source } from '../../model/codec.ts'
import { malformed, overBudget } from '../../model/error.ts'
import { type CodedPicture, endOfChunk, isPictureChunk, readChunk, readCodedPicture, type WebpChunk } from './picture.ts'
import { MAX_CHUNKS, MAX_METADATA_BYTES } from './tuning.ts'

/** Bits of the VP8X header (RFC 9649, 2.7). */
export const FLAGS = { icc: 0x20, alpha: 0x10, exif: 0x08, xmp: 0x04, animation: 0x02 } as const
/** Chunks that the header announces. Readers look for them only if their bit is set. */
const ANNOUNCED: ReadonlyMap<string, number> = new Map([
  ['ICCP', FLAGS.icc],
  ['EXIF', FLAGS.exif],
  ['XMP ', FLAGS.xmp],
])
const VP8X_BYTES = 10

/** Frame of an animation (RFC 9649, 2.7.1.2). */
export interface WebpFrame {
  readonly chunk: WebpChunk
  readonly x: number
  readonly y: number
  /** True if the frame is drawn over the canvas; otherwise it replaces its rectangle. */
  readonly blends: boolean
  /** True if the rectangle becomes transparent before the next frame. */
  readonly disposes: boolean
  readonly picture: CodedPicture
  /** Chunks of the frame besides the picture. */
  readonly others: readonly WebpChunk[]
}

export interface WebpFile {
  readonly width: number
  readonly height: number
  /** All chunks of the file, in order. */
  readonly chunks: readonly WebpChunk[]
  /** Flags of the VP8X header. `undefined`: a file in the simple format. */
  readonly flags: number | undefined
  /** Picture of a still file. `undefined`: an animation. */
  readonly still: CodedPicture | undefined
  readonly frames: readonly WebpFrame[]
  /** File offset where the RIFF form ends. Bytes after it are trailing data. */
  readonly end: number
}

/** Lists the chunks. @throws CodecError (malformed) if one leaves the file, (over_budget) if there are too many */
export async function readWebpFile(source: Source, signal: AbortSignal): Promise<WebpFile> {
  const head = await source.read(0, 12)
  if (head.length < 12 || latin1Of(head.subarray(0, 4)) !== 'RIFF' || latin1Of(head.subarray(8)) !== 'WEBP')
    throw malformed('webp', 0, 'no_riff_header')
  const end = 8 + new ByteReader(head, true).u32(4)
  if (end > source.size) throw malformed('webp', 4, message('webp_cut_short', { size: end, fileSize: source.size }))
  const chunks = await chunksBetween(source, 12, end, signal)
  const [first] = chunks
  if (!first) throw malformed('webp', 12, 'webp_no_picture')
  const extended = first.id === 'VP8X' ? await extendedHeader(source, first) : undefined
  if (extended && extended.flags & FLAGS.animation)
    return { ...extended, ...(await readFrames(source, extended, chunks, signal)), chunks, end }
  const still = await readCodedPicture(source, chunks, extended && (extended.flags & FLAGS.alpha) !== 0, first.offset)
  const { width, height } = extended ?? still
  if (width !== still.width || height !== still.height)
    throw malformed(
      'webp',
      first.offset,
      message('webp_canvas_differs', { width, height, pictureWidth: still.width, pictureHeight: still.height }),
    )
  return { width, height, chunks, flags: extended?.flags, still, frames: [], end }
}

async function chunksBetween(source: Source, from: number, end: number, signal: AbortSignal): Promise<WebpChunk[]> {
  const chunks: WebpChunk[] = []
  for (let at = from; at < end; ) {
    if (chunks.length >= MAX_CHUNKS) throw overBudget('too_many_chunks')
    if (chunks.length % 1024 === 0) signal.throwIfAborted()
    const chunk = await readChunk(source, at, end)
    chunks.push(chunk)
    at = endOfChunk(chunk)
  }
  return chunks
}

async function extendedHeader(source: Source, { offset, size }: WebpChunk) {
  if (size < VP8X_BYTES) throw malformed('webp', offset, 'webp_header_of_picture')
  const reader = new ByteReader(await source.read(offset, VP8X_BYTES), true)
  return { flags: reader.u8(0), width: u24(reader, 4) + 1, height: u24(reader, 7) + 1 }
}

const u24 = (reader: ByteReader, at: number) => reader.u16(at) | (reader.u8(at + 2) << 16)

/** Size of the frame header in an ANMF chunk (RFC 9649, 2.7.1.2). */
export const FRAME_HEADER_BYTES = 16

async function readFrames(source: Source, canvas: { width: number; height: number }, chunks: readonly WebpChunk[], signal: AbortSignal) {
  const frames: WebpFrame[] = []
  for (const chunk of chunks) {
    if (isPictureChunk(chunk)) throw malformed('webp', chunk.offset, 'webp_second_picture')
    if (chunk.id === 'ANMF') frames.push(await readFrame(source, canvas, chunk, signal))
  }
  if (frames.length === 0 || !chunks.some(({ id, size }) => id === 'ANIM' && size >= 6)) throw malformed('webp', 12, 'webp_no_picture')
  return { still: undefined, frames }
}

async function readFrame(
  source: Source,
  canvas: { width: number; height: number },
  chunk: WebpChunk,
  signal: AbortSignal,
): Promise<WebpFrame> {
  const { offset, size } = chunk
  if (size < FRAME_HEADER_BYTES) throw malformed('webp', offset, 'webp_chunk_cut_short')
  const reader = new ByteReader(await source.read(offset, FRAME_HEADER_BYTES), true)
  const [x, y, width, height, flags] = [2 * u24(reader, 0), 2 * u24(reader, 3), u24(reader, 6) + 1, u24(reader, 9) + 1, reader.u8(15)]
  const parts = await chunksBetween(source, offset + FRAME_HEADER_BYTES, offset + size, signal)
  const picture = await readCodedPicture(source, parts, undefined, offset)
  const isInside = x + width <= canvas.width && y + height <= canvas.height
  if (!isInside || picture.width !== width || picture.height !== height) throw malformed('webp', offset, 'webp_frame_outside_canvas')
  const others = parts.filter((part) => !isPictureChunk(part))
  return { chunk, x, y, blends: (flags & 2) === 0, disposes: (flags & 1) !== 0, picture, others }
}

/** Metadata of a still file for `output`, and the chunks that only WebP stores. WebP output gets EXIF with its prefix, if it has one. */
export async function readMetadata(source: Source, { chunks, flags = 0 }: WebpFile, output: string): Promise<PictureMetadata> {
  const found = new Map<string, Uint8Array>()
  const further: { id: string; data: Uint8Array }[] = []
  let bytes = 0
  for (const chunk of chunks) {
    const { id, offset, size } = chunk
    if (id === 'VP8X' || isPictureChunk(chunk)) continue
    bytes += size
    if (bytes > MAX_METADATA_BYTES) throw overBudget(message('webp_metadata_too_large', { limit: MAX_METADATA_BYTES / 1024 ** 2 }))
    const data = (await source.read(offset, size)).slice()
    if (!found.has(id) && flags & (ANNOUNCED.get(id) ?? 0)) found.set(id, data)
    else further.push({ id, data })
  }
  const exif = found.get('EXIF')
  return {
    icc: found.get('ICCP'),
    exif: exif && (output === 'webp' ? exif : withoutJpegPrefix(exif)),
    xmp: found.get('XMP '),
    riffChunks: further,
  }
}
