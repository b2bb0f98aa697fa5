/** Sums over the indexes of an AVI file: `idx1`, or the OpenDML super index of each stream. */
import type { Reading } from '../media/media-reader.ts'
import { le32 } from '../media/numbers.ts'
import type { Chunk } from '../riff/chunks.ts'
import type { Stream } from './streams.ts'

/** Types of RIFF forms: the film, and its continuations (OpenDML 1.02, 4.0). */
export const RIFF_FORMS = ['AVI ', 'AVIX']

const READ_BYTES = 1024 * 1024
const ROW_BYTES = 16
const MAX_ROWS = 4_000_000

/** Returns the number of units by stream: frames, blocks or bytes, as the header of the stream counts. Empty: no index. */
export async function readIndex(reading: Reading, streams: readonly Stream[], idx1: Chunk | undefined): Promise<readonly number[]> {
  const supers: number[] = []
  for (const { superIndex } of streams) {
    const units = superIndex && (await superUnits(reading, superIndex))
    if (units) supers.push(units)
  }
  if (supers.length === streams.length) return supers
  return idx1 ? await indexSums(reading, streams, idx1) : []
}

/** `indx` (OpenDML 1.02, 3.0): rows of 16 bytes from byte 24 on, whose last four bytes are the duration in units of the stream. */
async function superUnits({ view }: Reading, { body, end }: Chunk): Promise<number> {
  const bytes = (await view.bytesUpTo(body, Math.min(end - body, READ_BYTES))).slice()
  let units = 0
  for (let row = 0; row < le32(bytes, 4) && 24 + (row + 1) * ROW_BYTES <= bytes.length; row++) units += le32(bytes, 36 + row * ROW_BYTES)
  return units
}

/** `idx1`: rows of id, flags, offset and size. The first two characters of the id are the number of the stream. */
async function indexSums({ view, signal }: Reading, streams: readonly Stream[], { body, end }: Chunk): Promise<number[]> {
  const units = streams.map(() => 0)
  const last = Math.min(end, body + MAX_ROWS * ROW_BYTES)
  for (let at = body; at + ROW_BYTES <= last; at += READ_BYTES) {
    signal.throwIfAborted()
    const rows = await view.bytes(at, Math.min(READ_BYTES, last - at))
    for (let row = 0; row + ROW_BYTES <= rows.length; row += ROW_BYTES) {
      const number = (rows[row]! - 0x30) * 10 + rows[row + 1]! - 0x30
      const stream = streams[number]
      if (stream) units[number]! += stream.unitBytes > 0 ? le32(rows, row + 12) / stream.unitBytes : 1
    }
  }
  return units
}
