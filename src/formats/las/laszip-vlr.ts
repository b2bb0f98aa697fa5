/** The record by which a reader knows how the points are coded: user id "laszip encoded", record id 22204. */
import { malformed } from '../../codec/error.ts'
import { VLR_HEADER_BYTES, viewOf } from './las-header.ts'
import type { PointLayout } from './point-layout.ts'

const RECORD_ID = 22204
const ascii = new TextEncoder()

export function laszipVlr(layout: PointLayout, pointsPerChunk: number): Uint8Array {
  const payloadBytes = 34 + 6 * layout.items.length
  const bytes = new Uint8Array(VLR_HEADER_BYTES + payloadBytes)
  const view = viewOf(bytes)
  bytes.set(ascii.encode('laszip encoded'), 2)
  view.setUint16(18, RECORD_ID, true)
  view.setUint16(20, payloadBytes, true)
  bytes.set(ascii.encode('LAZ point compression'), 22)
  let at = VLR_HEADER_BYTES
  view.setUint16(at, layout.compressor, true)
  view.setUint16(at + 2, 0, true) // coder: arithmetic
  view.setUint8(at + 4, 3) // LASzip version this stream conforms to: 3.4 revision 3
  view.setUint8(at + 5, 4)
  view.setUint16(at + 6, 3, true)
  view.setUint32(at + 8, 0, true) // options
  view.setUint32(at + 12, pointsPerChunk, true)
  view.setBigInt64(at + 16, -1n, true) // no special EVLRs: count and offset
  view.setBigInt64(at + 24, -1n, true)
  view.setUint16(at + 32, layout.items.length, true)
  at += 34
  for (const item of layout.items) {
    view.setUint16(at, item.type, true)
    view.setUint16(at + 2, item.size, true)
    view.setUint16(at + 4, item.version, true)
    at += 6
  }
  return bytes
}

/**
 * Points per chunk, if the record describes exactly this layout.
 * @throws CodecError when it describes anything else
 */
export function readLaszipVlr(vlr: Uint8Array, layout: PointLayout, offset: number): number {
  const wrong = (what: string) => malformed('las', offset, `LASzip record: ${what}`)
  if (vlr.length < VLR_HEADER_BYTES + 34) throw wrong(`${vlr.length} bytes`)
  const view = viewOf(vlr)
  if (view.getUint16(18, true) !== RECORD_ID) throw wrong('another record id')
  const at = VLR_HEADER_BYTES
  if (view.getUint16(at, true) !== layout.compressor) throw wrong(`compressor ${view.getUint16(at, true)}`)
  if (view.getUint16(at + 2, true) !== 0) throw wrong(`coder ${view.getUint16(at + 2, true)}`)
  const items = view.getUint16(at + 32, true)
  if (items !== layout.items.length || vlr.length !== at + 34 + 6 * items) throw wrong(`${items} items`)
  for (const [i, item] of layout.items.entries()) {
    const from = at + 34 + 6 * i
    const same = [item.type, item.size, item.version].every((value, field) => view.getUint16(from + 2 * field, true) === value)
    if (!same) throw wrong(`item ${i} is another`)
  }
  const pointsPerChunk = view.getUint32(at + 12, true)
  if (pointsPerChunk === 0 || pointsPerChunk === 0xffff_ffff) throw wrong(`${pointsPerChunk} points a chunk`)
  return pointsPerChunk
}
