/** Assembles a JPEG result: the original's segments, new tables and scans, and the bytes after the picture. */

import { concat } from '../../bytes/concat.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Sink, Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { copyTrailingData, trailingDataSteps } from '../../model/trailing-data.ts'
import { type MultiPicture, matchesFile, readMultiPicture, updatedIndex } from './mpf.ts'
import type { JpegHeader } from './segments.ts'

/** Bytes of the SOI marker, which precedes the segments and also starts the engine's output. */
const SOI_BYTES = 2

/** Parts of the original that the result keeps. */
export interface KeptParts {
  readonly header: JpegHeader
  /** Bytes before the new tables: SOI marker and segments. */
  readonly headBytes: number
  /** Offset in the original of the first byte after its picture. */
  readonly pictureEnd: number
  readonly multiPicture: MultiPicture | undefined
  /** Number of segments that were between the scans of the original. */
  readonly lateSegments: number
}

/**
 * Collects the parts to keep. @throws CodecError `unsupported_feature` if the file has several pictures and their index cannot be updated
 */
export function keptPartsOf(source: Source, header: JpegHeader, pictureEnd: number, lateSegments = 0): KeptParts {
  const multiPicture = readMultiPicture(header.segments)
  const usable = multiPicture !== 'unreadable' && (!multiPicture || matchesFile(multiPicture, header.segments, pictureEnd, source.size))
  if (!usable) throw unsupported('multi_picture_index_wrong')
  const headBytes = SOI_BYTES + header.segments.reduce((sum, segment) => sum + segment.bytes.length, 0)
  return { header, headBytes, pictureEnd, multiPicture, lateSegments }
}

/** Size in bytes of a result whose tables and scans, with their SOI marker, have `codedBytes` bytes. */
export function assembledBytes(source: Source, frame: KeptParts, codedBytes: number): number {
  return frame.headBytes + codedBytes - SOI_BYTES + source.size - frame.pictureEnd
}

export async function assemble(source: Source, sink: Sink, frame: KeptParts, coded: readonly Uint8Array[]): Promise<void> {
  const { segments } = frame.header
  const newEnd = frame.headBytes - SOI_BYTES + coded.reduce((sum, chunk) => sum + chunk.length, 0)
  const parts: Uint8Array[] = [new Uint8Array([0xff, 0xd8])]
  let offset = SOI_BYTES
  segments.forEach((segment, index) => {
    const moved = frame.multiPicture?.segment === index
    parts.push(moved ? updatedIndex(frame.multiPicture as MultiPicture, segments, offset, frame.pictureEnd, newEnd) : segment.bytes)
    offset += segment.bytes.length
  })
  await sink.write(concat(parts))
  for (const [index, chunk] of coded.entries()) await sink.write(index === 0 ? chunk.subarray(SOI_BYTES) : chunk)
  await copyTrailingData(source, frame.pictureEnd, sink)
}

/** Steps for the receipt: moved segments, further pictures, and bytes after the picture. */
export function keptSteps(source: Source, frame: KeptParts): Message[] {
  const moved = frame.lateSegments ? [message('segments_moved_before_picture', { segments: frame.lateSegments })] : []
  const others = (frame.multiPicture?.pictures.length ?? 1) - 1
  if (others > 0) return [...moved, message(others > 1 ? 'further_pictures_kept' : 'further_picture_kept', { others })]
  return [...moved, ...trailingDataSteps(source, frame.pictureEnd)]
}
