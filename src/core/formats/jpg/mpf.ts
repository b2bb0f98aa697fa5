/**
 * Multi-Picture index (CIPA DC-007): an APP2 segment of the first picture with the offsets of the others (gain maps of Ultra HDR,
 * previews). It must be updated if the first picture changes its size.
 */

import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { entryCount, findField, readHeader } from '../../containers/tiff/ifd.ts'
import { isSegment, type Segment } from './segments.ts'

const TAG_ENTRIES = 0xb002
const ENTRY_BYTES = 16

export interface MultiPicture {
  /** Index of the MPF segment in the list of segments. */
  readonly segment: number
  /** Offset of the TIFF header in the segment's bytes. Picture offsets count from its position in the file (CIPA DC-007, 5.2.3.3.3). */
  readonly tiffAt: number
  readonly littleEndian: boolean
  /** Offset of the first entry in the segment's bytes. */
  readonly entriesAt: number
  readonly pictures: readonly { readonly size: number; readonly offset: number }[]
}

/** Reads the Multi-Picture index. `undefined`: no index. `unreadable`: the index cannot be parsed, so no picture may move. */
export function readMultiPicture(segments: readonly Segment[]): MultiPicture | 'unreadable' | undefined {
  const found = segments.flatMap((segment, index) => (isSegment(segment, 0xe2, 'MPF\0') ? [index] : []))
  if (found.length === 0) return undefined
  const index = found[0] ?? 0
  const { bytes } = segments[index] as Segment
  if (found.length > 1 || bytes.length < 8 + 8 + 2) return 'unreadable'
  const tiffAt = 8
  const tiff = bytes.subarray(tiffAt)
  const header = readHeader(tiff)
  if (!header || header.big) return 'unreadable'
  const { littleEndian, firstAt } = header
  const reader = new ByteReader(tiff, littleEndian)
  if (firstAt + 2 > tiff.length || firstAt + 2 + entryCount(reader, header, firstAt) * 12 > tiff.length) return 'unreadable'
  const field = findField(reader, header, firstAt, TAG_ENTRIES)
  if (!field) return 'unreadable'
  const [length, at] = [field.count, reader.u32(field.valueAt)]
  if (length % ENTRY_BYTES || length === 0 || at + length > tiff.length) return 'unreadable'
  const pictures = Array.from({ length: length / ENTRY_BYTES }, (_, entry) => ({
    size: reader.u32(at + entry * ENTRY_BYTES + 4),
    offset: reader.u32(at + entry * ENTRY_BYTES + 8),
  }))
  return { segment: index, tiffAt, littleEndian, entriesAt: tiffAt + at, pictures }
}

/** True if the index matches the file: the first picture ends at `pictureEnd` (its size may include padding), and the others follow it. */
export function matchesFile(index: MultiPicture, segments: readonly Segment[], pictureEnd: number, fileSize: number): boolean {
  const base = (segments[index.segment] as Segment).offset + index.tiffAt
  const [first, ...others] = index.pictures
  if (first?.offset !== 0) return false
  return others.every(({ size, offset }) => offset === 0 || (base + offset >= pictureEnd && base + offset + size <= fileSize))
}

/** Returns the index segment for a first picture that ends at `newEnd`; all later pictures move by the same distance. */
export function updatedIndex(
  index: MultiPicture,
  segments: readonly Segment[],
  segmentOffset: number,
  oldEnd: number,
  newEnd: number,
): Uint8Array {
  const segment = segments[index.segment] as Segment
  const bytes = segment.bytes.slice()
  const writer = new ByteWriter(bytes, index.littleEndian)
  index.pictures.forEach(({ size, offset }, entry) => {
    const at = index.entriesAt + entry * ENTRY_BYTES
    if (entry === 0) {
      writer.at(at + 4).u32(size + newEnd - oldEnd)
    } else if (offset !== 0) {
      const place = segment.offset + index.tiffAt + offset + (newEnd - oldEnd)
      writer.at(at + 8).u32(place - (segmentOffset + index.tiffAt))
    }
  })
  return bytes
}
