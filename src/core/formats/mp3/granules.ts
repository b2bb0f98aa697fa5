/** Reads frames of sound with their main data collected from the bit reservoir (ISO/IEC 11172-3, 2.4.2.7 and annex C). */

import type { FrameHeader } from '../../containers/mpeg-audio/frame.ts'
import type { Source } from '../../model/codec.ts'
import { type Mp3Stream, soundFrames } from './stream.ts'

export interface LogicalFrame {
  readonly header: FrameHeader
  /** The four header bytes, unchanged. */
  readonly head: Uint8Array
  /** The side information, unchanged, main_data_begin included. */
  readonly side: Uint8Array
  /** Main data: scale factors and Huffman bits of all granules, padded to a whole byte. */
  readonly main: Uint8Array
  /** Number of valid bits in `main`. */
  readonly mainBits: number
}

/**
 * Thrown if main data starts before the file or exceeds the available bytes. Not a CodecError: the file still plays, but its frames cannot
 * be repacked.
 */
export class BrokenReservoir extends Error {
  override readonly name = 'BrokenReservoir'
}

/** Largest main_data_begin: 9 bits in MPEG-1, 8 bits in MPEG-2 and 2.5. */
export const maxReservoir = (header: FrameHeader) => (header.version === 1 ? 511 : 255)

function mainDataBegin([first = 0, second = 0]: Uint8Array, header: FrameHeader): number {
  return header.version === 1 ? (first << 1) | (second >> 7) : first
}

export function setMainDataBegin(side: Uint8Array, header: FrameHeader, value: number): void {
  if (header.version === 1) {
    side[0] = value >> 1
    side[1] = (side[1]! & 0x7f) | ((value & 1) << 7)
  } else side[0] = value
}

/**
 * Sum of part2_3_length over granules and channels (2.4.1.7). Side information has 59 bits per granule and channel in MPEG-1, 63 in MPEG-2
 * and 2.5.
 */
function mainDataBits(side: Uint8Array, header: FrameHeader): number {
  const { channels } = header
  const one = header.version === 1
  let at = one ? (channels === 1 ? 9 + 5 + 4 : 9 + 3 + 8) : channels === 1 ? 8 + 1 : 8 + 2
  let bits = 0
  for (let granule = 0; granule < (one ? 2 : 1) * channels; granule++) {
    const byte = at >> 3
    const word = (side[byte]! << 16) | ((side[byte + 1] ?? 0) << 8) | (side[byte + 2] ?? 0)
    bits += (word >> (12 - (at & 7))) & 0xfff
    at += one ? 59 : 63
  }
  return bits
}

/** Yields all frames of sound with their main data. @throws BrokenReservoir */
export async function* logicalFrames(source: Source, stream: Mp3Stream): AsyncGenerator<LogicalFrame> {
  // The last bytes of main data so far, up to 511: as far back as a frame may refer.
  let reservoir: Uint8Array = new Uint8Array()
  for await (const { header, bytes } of soundFrames(source, stream)) {
    const sideAt = header.crc ? 6 : 4
    const dataAt = sideAt + header.sideBytes
    if (dataAt > bytes.length) throw new BrokenReservoir('a frame is shorter than its side information')
    const side = bytes.slice(sideAt, dataAt)
    const region = bytes.subarray(dataAt)
    const back = mainDataBegin(side, header)
    if (back > reservoir.length) throw new BrokenReservoir('a frame points before the start of the file')
    const available = new Uint8Array(back + region.length)
    available.set(reservoir.subarray(reservoir.length - back))
    available.set(region, back)
    const mainBits = mainDataBits(side, header)
    const mainBytes = (mainBits + 7) >> 3
    if (mainBytes > available.length) throw new BrokenReservoir('a frame is longer than its data')
    const joined = new Uint8Array(reservoir.length + region.length)
    joined.set(reservoir)
    joined.set(region, reservoir.length)
    reservoir = joined.slice(Math.max(0, joined.length - 511))
    const main = available.slice(0, mainBytes)
    // Clears the padding bits after the last valid bit.
    if (mainBits & 7) main[mainBytes - 1]! &= 0xff << (8 - (mainBits & 7))
    yield { header, head: bytes.slice(0, 4), side, main, mainBits }
  }
}
