/** Removes metadata from WebP files: EXIF, XMP, unknown chunks, and the bytes behind the file (RFC 9649, 2.7). */
import { concat } from '../../bytes/concat.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import type { RemovingMode } from '../../catalog/metadata.ts'
import { reducedExif } from '../../containers/metadata/exif.ts'
import { reducedXmp } from '../../containers/metadata/xmp.ts'
import { withoutJpegPrefix } from '../../images/raster/orientation.ts'
import { chunk } from '../../images/webp/container.ts'
import type { Options, Source } from '../../model/codec.ts'
import { type Piece, piecesBytes, sameIfUnchanged, splice } from '../../model/splice.ts'
import { FLAGS, FRAME_HEADER_BYTES, readWebpFile, type WebpFrame } from './file.ts'
import { codedChunks, isPictureChunk, type WebpChunk, wholeChunk } from './picture.ts'

/** Longest EXIF or XMP chunk that is reduced. A longer one is removed. */
const MAX_TEXT_BYTES = 8 * 1024 * 1024
const LOOK: ReadonlySet<string> = new Set(['ICCP', 'ANIM'])

/** Returns the file without the chunks that `mode` removes. @throws CodecError for damaged files */
export async function withoutWebpMetadata(source: Source, mode: RemovingMode, { signal }: Options): Promise<Source> {
  const { chunks, flags, frames, end } = await readWebpFile(source, signal)
  const frameOf = new Map(frames.map((frame) => [frame.chunk, frame]))
  const pieces: Piece[] = []
  let kept = 0
  for (const one of chunks) {
    if (one.id === 'VP8X') continue
    const piece = await keptPiece(source, one, frameOf.get(one), { mode, flags: flags ?? 0, end })
    if (!piece) continue
    pieces.push(piece.bytes)
    kept |= piece.flag
  }
  const first = chunks[0]
  if (first && flags !== undefined) pieces.unshift(extendedHeader(await source.read(first.offset - 8, 8 + first.size), flags, kept))
  const bytes = 4 + piecesBytes(pieces)
  const head = new ByteWriter(new Uint8Array(12), true).ascii('RIFF').u32(bytes).ascii('WEBP').finish()
  return sameIfUnchanged(source, splice(source, [head, ...pieces]))
}

/** Header with the bits of what stays: transparency, animation and the profile, and what `kept` names. */
function extendedHeader(header: Uint8Array, flags: number, kept: number): Uint8Array {
  const out = concat([header, new Uint8Array(header.length & 1)])
  out[8] = (flags & ~(FLAGS.exif | FLAGS.xmp)) | kept
  return out
}

async function keptPiece(
  source: Source,
  one: WebpChunk,
  frame: WebpFrame | undefined,
  { mode, flags, end }: { readonly mode: RemovingMode; readonly flags: number; readonly end: number },
): Promise<{ readonly bytes: Piece; readonly flag: number } | undefined> {
  const { id, offset, size } = one
  if (frame && frame.others.length > 0) return { bytes: await reducedFrame(source, frame), flag: 0 }
  if (isPictureChunk(one) || LOOK.has(id) || frame) return { bytes: wholeChunk(one, end), flag: 0 }
  const flag = id === 'EXIF' ? FLAGS.exif : id === 'XMP ' ? FLAGS.xmp : 0
  if (flag === 0 || (flags & flag) === 0 || size > MAX_TEXT_BYTES) return undefined
  const body = await source.read(offset, size)
  const text = id === 'XMP ' ? reducedXmp(new TextDecoder().decode(body), mode) : undefined
  const reduced = id === 'EXIF' ? reducedExif(withoutJpegPrefix(body), mode) : text && new TextEncoder().encode(text)
  return reduced && reduced.length > 0 ? { bytes: chunk(id, reduced), flag } : undefined
}

/** Frame without its unknown chunks. */
async function reducedFrame(source: Source, { chunk: { offset }, picture }: WebpFrame): Promise<Uint8Array> {
  return chunk('ANMF', concat([await source.read(offset, FRAME_HEADER_BYTES), ...(await codedChunks(source, picture.chunks))]))
}
