/** Reads the public header and the VLRs of a LAS file (LAS 1.4 R15, 2.4 and 2.5). LAS 1.5 appends three time fields. */

import { latin1Of } from '../../bytes/latin1.ts'
import { type MessageOrCode, message } from '../../i18n/message.ts'
import { malformed, unsupported } from '../../model/error.ts'
import { type PointLayout, pointLayout } from './point-layout.ts'
import { MAX_EXTRA_BYTES, MAX_HEAD_BYTES } from './tuning.ts'

/** A source that can be read by ranges. `read` may return fewer bytes at the end of the file. */
export interface RangeSource {
  readonly size: number
  read(offset: number, length: number): Promise<Uint8Array>
}

export interface LasFile {
  readonly minor: number
  /** All bytes before the points: header, VLRs, unused bytes. */
  readonly head: Uint8Array
  readonly vlrCount: number
  /** Offset after the last VLR. Unused bytes may follow. */
  readonly vlrEnd: number
  readonly layout: PointLayout
  readonly pointOffset: number
  readonly pointCount: number
  /** Offset after the points. EVLRs, wave packets and unused bytes may follow. */
  readonly pointsEnd: number
}

export const VLR_HEADER_BYTES = 54
const MIN_HEADER_BYTES = 227

export async function readExactly(source: RangeSource, offset: number, length: number): Promise<Uint8Array> {
  const bytes = await source.read(offset, length)
  if (bytes.length !== length) throw malformed('las', offset, message('expected_bytes_file_has', { length, bytes: bytes.length }))
  return bytes
}

export const viewOf = (bytes: Uint8Array) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

/**
 * Reads and checks all bytes before the points.
 * @throws CodecError (malformed, unsupported_feature)
 */
export async function readLas(source: RangeSource): Promise<LasFile> {
  const damaged = (offset: number, what: MessageOrCode) => malformed('las', offset, what)
  if (source.size < MIN_HEADER_BYTES) throw damaged(source.size, message('las_header_has_at_least_bytes', { bytes: MIN_HEADER_BYTES }))
  const start = await readExactly(source, 0, MIN_HEADER_BYTES)
  if (latin1Of(start.subarray(0, 4)) !== 'LASF') throw damaged(0, 'expected_signature_lasf')
  const pointOffset = viewOf(start).getUint32(96, true)
  if (pointOffset < MIN_HEADER_BYTES || pointOffset > source.size)
    throw damaged(96, message('points_said_to_begin', { offset: pointOffset }))
  if (pointOffset > MAX_HEAD_BYTES) throw unsupported(message('bytes_before_points', { pointOffset }))
  const head = await readExactly(source, 0, pointOffset)
  const view = viewOf(head)

  const [major, minor] = [view.getUint8(24), view.getUint8(25)]
  if (major !== 1 || minor > 5) throw unsupported(message('las_version', { major, minor }))
  const headerBytes = view.getUint16(94, true)
  if (headerBytes < (minor >= 4 ? 375 : minor === 3 ? 235 : MIN_HEADER_BYTES) || headerBytes > pointOffset) {
    throw damaged(94, message('header_of_bytes_in_las', { bytes: headerBytes, minor }))
  }

  const vlrCount = view.getUint32(100, true)
  const vlrEnd = endOfVlrs(view, headerBytes, vlrCount)

  const format = view.getUint8(104)
  const layout = pointLayout(format, view.getUint16(105, true))
  if (!layout && format <= 10) throw damaged(105, message('record_of_bytes_in_point_format', { bytes: view.getUint16(105, true), format }))
  if (!layout) throw unsupported(message('point_format', { format }))
  if (layout.extra > MAX_EXTRA_BYTES) throw unsupported(message('extra_bytes_point', { extra: layout.extra }))
  if (format >= 6 && minor < 4) throw damaged(104, message('point_format_in_las', { format, minor }))

  const wideCount = minor >= 4 ? view.getBigUint64(247, true) : 0n
  const legacyCount = view.getUint32(107, true)
  // Readers of LAS 1.4 use only the 64-bit point count.
  if (minor >= 4 && wideCount === 0n && legacyCount !== 0) throw unsupported('only_legacy_point_count_set')
  const pointCount = minor >= 4 ? Number(wideCount) : legacyCount
  const pointsEnd = pointOffset + pointCount * layout.recordLength
  if (pointsEnd > source.size) throw damaged(source.size, message('header_promises_points', { points: pointCount }))

  for (const at of trailingOffsetFields(minor)) {
    const value = view.getBigUint64(at, true)
    if (value !== 0n && (value < BigInt(pointsEnd) || value > BigInt(source.size))) {
      throw damaged(at, message('offset_does_not_lie_between_points', { value: String(value) }))
    }
  }
  return { minor, head, vlrCount, vlrEnd, layout, pointOffset, pointCount, pointsEnd }
}

function endOfVlrs(view: DataView, headerBytes: number, count: number): number {
  let end = headerBytes
  for (let i = 0; i < count; i++) {
    // VLR header: reserved (2 bytes), user id (16), record id (2), length (2), description (32).
    if (end + VLR_HEADER_BYTES > view.byteLength) throw malformed('las', end, message('vlr_of_overlaps_points', { index: i, count }))
    const userId = latin1Of(new Uint8Array(view.buffer, view.byteOffset + end + 2, 14))
    if (userId === 'laszip encoded') throw malformed('las', end, 'laszip_record_in_uncompressed_file')
    end += VLR_HEADER_BYTES + view.getUint16(end + 20, true)
    if (end > view.byteLength) throw malformed('las', end, message('vlr_of_overlaps_points', { index: i, count }))
  }
  return end
}

/** Offsets of the header fields that refer to data after the points: wave packets (LAS 1.3) and EVLRs (LAS 1.4). */
export function trailingOffsetFields(minor: number): readonly number[] {
  if (minor >= 4) return [227, 235]
  return minor === 3 ? [227] : []
}
