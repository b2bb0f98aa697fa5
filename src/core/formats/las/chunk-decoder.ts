import type { PointLayout } from './point-layout.ts'
import { decodeLayered } from './read-layered.ts'
import { decodePointwise } from './read-pointwise.ts'

/** Decodes the records of one LAZ chunk, the inverse of `ChunkEncoder`. */
export function decodeChunk(layout: PointLayout, chunk: Uint8Array, points: number): Uint8Array {
  const records = new Uint8Array(points * layout.recordLength)
  records.set(chunk.subarray(0, layout.recordLength))
  const view = new DataView(records.buffer)
  if (layout.compressor === 3) decodeLayered(layout, chunk, view)
  else decodePointwise(layout, chunk, view)
  return records
}
