/** Removes metadata from JPEG files: segments of the picture, and of the pictures behind it that a Multi-Picture index lists. */
import { concat } from '../../bytes/concat.ts'
import { latin1Of } from '../../bytes/latin1.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { IPTC_KEPT, type RemovingMode } from '../../catalog/metadata.ts'
import { reducedExif } from '../../containers/metadata/exif.ts'
import { reducedXmp } from '../../containers/metadata/xmp.ts'
import type { Options, Source } from '../../model/codec.ts'
import { type Piece, piecesBytes, sameIfUnchanged, splice } from '../../model/splice.ts'
import { type MultiPicture, readMultiPicture } from './mpf.ts'
import { findScanEnd, type ScanEnd } from './scan-end.ts'
import { isSegment, readHeader, type Segment } from './segments.ts'

const EXIF = 'Exif\0\0'
const XMP = 'http://ns.adobe.com/xap/1.0/\0'
/** Segments that every mode keeps, by marker and signature. */
const LOOK = [
  [0xe0, 'JFIF\0'],
  [0xe2, 'ICC_PROFILE\0'],
  [0xe2, 'MPF\0'],
  [0xe2, 'urn:iso:std:iso:ts:21496:-1\0'],
  [0xee, 'Adobe'],
] as const
/** Most pictures behind the first one. Real files have a gain map, a depth map and some previews. */
const MAX_PICTURES = 16

/**
 * Returns the file without the metadata that `mode` removes. Pictures of a Multi-Picture index stay, without their metadata. Other bytes
 * behind the picture are removed.
 * @throws CodecError for damaged files
 */
export async function withoutJpegMetadata(source: Source, mode: RemovingMode, options: Options): Promise<Source> {
  const { segments, scanOffset } = await readHeader(source, options)
  const scans = await findScanEnd(source, scanOffset, options.signal)
  const first = reducedSegments(segments, mode)
  const index = readMultiPicture(segments)
  if (!index || index === 'unreadable') return sameIfUnchanged(source, splice(source, piecesOf(first, segments, scans)))
  return await withFurtherPictures({ source, segments, scans, index, first }, mode, options)
}

interface KeptSegment {
  readonly original: Segment
  readonly bytes: Uint8Array
}

function piecesOf(kept: readonly KeptSegment[], segments: readonly Segment[], { end, late }: ScanEnd): Piece[] {
  const pieces = headPieces(kept, segments)
  let at = endOfSegments(segments)
  for (const { from, to } of late) {
    pieces.push({ from: at, to: from })
    at = to
  }
  return [...pieces, { from: at, to: end }]
}

/** Pieces before the first byte behind the segments: start marker, kept segments, and everything between segments (tables, frame header). */
function headPieces(kept: readonly KeptSegment[], segments: readonly Segment[]): Piece[] {
  const pieces: Piece[] = []
  let at = 0
  for (const segment of segments) {
    pieces.push({ from: at, to: segment.offset })
    const found = kept.find(({ original }) => original === segment)
    if (found) pieces.push(found.bytes)
    at = segment.offset + segment.bytes.length
  }
  return pieces
}

const endOfSegments = (segments: readonly Segment[]) => {
  const last = segments.at(-1)
  return last ? last.offset + last.bytes.length : 0
}

function reducedSegments(segments: readonly Segment[], mode: RemovingMode): KeptSegment[] {
  return segments.flatMap((original) => {
    const bytes = reducedSegment(original, mode)
    return bytes ? [{ original, bytes }] : []
  })
}

/** Segment as `mode` keeps it. `undefined`: it is removed. */
function reducedSegment(segment: Segment, mode: RemovingMode): Uint8Array | undefined {
  const { bytes } = segment
  if (LOOK.some(([marker, signature]) => isSegment(segment, marker, signature))) return bytes
  if (isSegment(segment, 0xe1, EXIF)) return appSegment(0xe1, EXIF, reducedExif(bytes.subarray(4 + EXIF.length), mode))
  if (isSegment(segment, 0xe1, XMP)) {
    const packet = reducedXmp(new TextDecoder().decode(bytes.subarray(4 + XMP.length)), mode)
    return appSegment(0xe1, XMP, packet === undefined ? undefined : new TextEncoder().encode(packet))
  }
  const photoshop = 'Photoshop 3.0\0'
  return isSegment(segment, 0xed, photoshop)
    ? appSegment(0xed, photoshop, reducedResources(bytes.subarray(4 + photoshop.length), mode))
    : undefined
}

function appSegment(marker: number, signature: string, content: Uint8Array | undefined): Uint8Array | undefined {
  const length = content ? 2 + signature.length + content.length : 0
  if (!content || content.length === 0 || length > 0xffff) return undefined
  const head = new ByteWriter(new Uint8Array(4 + signature.length), false)
    .u16(0xff00 | marker)
    .u16(length)
    .ascii(signature)
    .finish()
  return concat([head, content])
}

/** Photoshop resource types that stay: clipping paths, which change the printed look (Photoshop File Formats, "Image Resources"). */
const isPath = (id: number) => (id >= 2000 && id <= 2999) || id === 1025
const IPTC_RESOURCE = 0x0404

/** Returns the Photoshop image resources that `mode` keeps: paths, and the rights fields of IPTC for `safe`. */
function reducedResources(content: Uint8Array, mode: RemovingMode): Uint8Array {
  const reader = new ByteReader(content, false)
  const kept: Uint8Array[] = []
  let at = 0
  while (at + 12 <= content.length && latin1Of(content.subarray(at, at + 4)) === '8BIM') {
    const id = reader.u16(at + 4)
    const nameBytes = 1 + reader.u8(at + 6)
    const sizeAt = at + 6 + nameBytes + (nameBytes & 1)
    if (sizeAt + 4 > content.length) break
    const size = reader.u32(sizeAt)
    const end = sizeAt + 4 + size
    if (end > content.length) break
    if (isPath(id)) kept.push(content.subarray(at, end + (size & 1)))
    else if (id === IPTC_RESOURCE && mode === 'safe') kept.push(iptcResource(content.subarray(sizeAt + 4, end)))
    at = end + (size & 1)
  }
  return concat(kept)
}

/** Returns the resource with the rights fields of an IPTC block (IIM 4.2, chapter 3). Empty: it has none. */
function iptcResource(block: Uint8Array): Uint8Array {
  const fields: Uint8Array[] = []
  let at = 0
  while (at + 5 <= block.length && block[at] === 0x1c) {
    const length = (block[at + 3]! << 8) | block[at + 4]!
    const end = at + 5 + length
    if (length > 0x7fff || end > block.length) break
    if (block[at + 1] === 2 && IPTC_KEPT.has(block[at + 2]!)) fields.push(block.subarray(at, end))
    at = end
  }
  if (fields.length === 0) return new Uint8Array(0)
  const content = concat(fields)
  const head = new ByteWriter(new Uint8Array(12), false).ascii('8BIM').u16(IPTC_RESOURCE).u16(0).u32(content.length).finish()
  return concat([head, content, new Uint8Array(content.length & 1)])
}

interface MultiPictureFile {
  readonly source: Source
  readonly segments: readonly Segment[]
  readonly scans: ScanEnd
  readonly index: MultiPicture
  readonly first: readonly KeptSegment[]
}

/** Rebuilds a file with several pictures: each without its metadata, and the index with their new places. */
async function withFurtherPictures(
  { source, segments, scans, index, first }: MultiPictureFile,
  mode: RemovingMode,
  options: Options,
): Promise<Source> {
  const indexSegment = segments[index.segment]!
  const base = indexSegment.offset + index.tiffAt
  const mainPieces = piecesOf(first, segments, scans)
  const mainBytes = piecesBytes(mainPieces)
  const pieces: Piece[] = [...mainPieces]
  const places: { readonly offset: number; readonly size: number }[] = [{ offset: 0, size: mainBytes }]
  for (const { offset, size } of index.pictures.slice(1, 1 + MAX_PICTURES)) {
    const at = base + offset
    if (offset === 0 || at < scans.end || at + size > source.size) {
      places.push({ offset: 0, size: 0 })
      continue
    }
    const reduced = await reducedPicture(source, at, size, mode, options)
    places.push({ offset: piecesBytes(pieces), size: piecesBytes(reduced) })
    for (const piece of reduced) pieces.push(piece)
  }
  const newIndexOffset = offsetOfIndex(first, indexSegment, segments)
  return sameIfUnchanged(
    source,
    splice(
      source,
      pieces.map((piece) => (piece === indexSegment.bytes ? movedIndex(index, indexSegment, newIndexOffset, places) : piece)),
    ),
  )
}

/** Offset of the index segment in the new file. */
function offsetOfIndex(first: readonly KeptSegment[], indexSegment: Segment, segments: readonly Segment[]): number {
  const before = segments.slice(0, segments.indexOf(indexSegment))
  return piecesBytes(headPieces(first, before)) + indexSegment.offset - endOfSegments(before)
}

async function reducedPicture(source: Source, at: number, size: number, mode: RemovingMode, options: Options): Promise<Piece[]> {
  const part: Source = { ...source, size, read: (offset, length) => source.read(at + offset, Math.max(0, Math.min(length, size - offset))) }
  const { segments, scanOffset } = await readHeader(part, options)
  const scans = await findScanEnd(part, scanOffset, options.signal)
  return piecesOf(reducedSegments(segments, mode), segments, scans).map((piece) =>
    piece instanceof Uint8Array ? piece : { from: piece.from + at, to: piece.to + at },
  )
}

function movedIndex(
  index: MultiPicture,
  segment: Segment,
  newOffset: number,
  places: readonly { offset: number; size: number }[],
): Uint8Array {
  const bytes = segment.bytes.slice()
  const writer = new ByteWriter(bytes, index.littleEndian)
  places.forEach(({ offset, size }, entry) => {
    const at = index.entriesAt + entry * 16
    writer
      .at(at + 4)
      .u32(size)
      .u32(offset === 0 ? 0 : offset - (newOffset + index.tiffAt))
  })
  return bytes
}
