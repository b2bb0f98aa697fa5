/** Writes and reads the VLR that describes how the points are encoded: user id "laszip encoded", record id 22204. */

import { ByteReader } from '../../bytes/reader.ts'
import { ByteWriter } from '../../bytes/writer.ts'
import { type MessageOrCode, message, toMessage } from '../../i18n/message.ts'
import { malformed } from '../../model/error.ts'
import { VLR_HEADER_BYTES } from './las-header.ts'
import type { PointLayout } from './point-layout.ts'

const RECORD_ID = 22204

export function laszipVlr(layout: PointLayout, pointsPerChunk: number): Uint8Array {
  const payloadBytes = 34 + 6 * layout.items.length
  const vlr = new ByteWriter(new Uint8Array(VLR_HEADER_BYTES + payloadBytes), true)
  vlr.at(2).ascii('laszip encoded')
  vlr.at(18).u16(RECORD_ID).u16(payloadBytes).ascii('LAZ point compression')
  vlr
    .at(VLR_HEADER_BYTES)
    .u16(layout.compressor)
    .u16(0) // coder 0: arithmetic coding
    .bytes([3, 4]) // version of LASzip that the stream conforms to: 3.4 revision 3
    .u16(3)
    .u32(0) // LASzip options: none
    .u32(pointsPerChunk)
    .u64(-1n) // no special EVLRs: count −1, offset −1
    .u64(-1n)
    .u16(layout.items.length)
  for (const { type, size, version } of layout.items) vlr.u16(type).u16(size).u16(version)
  return vlr.finish()
}

/**
 * Returns the points per chunk if the record describes exactly this layout.
 * @throws CodecError (malformed) if it describes another layout
 */
export function readLaszipVlr(vlr: Uint8Array, layout: PointLayout, offset: number): number {
  const wrong = (what: MessageOrCode) => malformed('las', offset, message('laszip_record', { what: toMessage(what) }))
  if (vlr.length < VLR_HEADER_BYTES + 34) throw wrong(message('bytes_found', { bytes: vlr.length }))
  const reader = new ByteReader(vlr, true)
  if (reader.u16(18) !== RECORD_ID) throw wrong('another_record_id')
  const at = VLR_HEADER_BYTES
  if (reader.u16(at) !== layout.compressor) throw wrong(message('compressor_found', { compressor: reader.u16(at) }))
  if (reader.u16(at + 2) !== 0) throw wrong(message('coder_found', { coder: reader.u16(at + 2) }))
  const items = reader.u16(at + 32)
  if (items !== layout.items.length || vlr.length !== at + 34 + 6 * items) throw wrong(message('items_found', { items }))
  for (const [i, item] of layout.items.entries()) {
    const from = at + 34 + 6 * i
    const same = [item.type, item.size, item.version].every((value, field) => reader.u16(from + 2 * field) === value)
    if (!same) throw wrong(message('item_is_another', { index: i }))
  }
  const pointsPerChunk = reader.u32(at + 12)
  if (pointsPerChunk === 0 || pointsPerChunk === 0xffff_ffff) throw wrong(message('points_a_chunk', { points: pointsPerChunk }))
  return pointsPerChunk
}
