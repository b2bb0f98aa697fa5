/** Reads the first frame of AC-3 and E-AC-3 for the configuration in MP4 (ETSI TS 102 366, 4.4, E.1.2, F.4 and F.6). */
import { BitReader, BitWriter } from '../../../../bytes/bits.ts'

/** Packs fields, each with its number of bits, into bytes. */
function packed(...fields: readonly (readonly [value: number, bits: number])[]): Uint8Array {
  const writer = new BitWriter()
  for (const [value, bits] of fields) writer.put(value, bits)
  return writer.finish()
}

const SYNC = 0x0b77
/** Largest bitstream identification of each format. */
const [MAX_AC3, EAC3] = [10, 16]

/** Content of the `dac3` box. `undefined`: the frame is not AC-3. */
export function ac3Specific(frame: Uint8Array): Uint8Array | undefined {
  const reader = new BitReader(frame)
  if (frame.length < 8 || reader.bits(16) !== SYNC) return undefined
  reader.bits(16) // crc1
  const [rate, size, id, mode, channels] = [reader.bits(2), reader.bits(6), reader.bits(5), reader.bits(3), reader.bits(3)]
  if (id > MAX_AC3) return undefined
  if (channels & 1 && channels !== 1) reader.bits(2) // cmixlev
  if (channels & 4) reader.bits(2) // surmixlev
  if (channels === 2) reader.bits(2) // dsurmod
  return packed([rate, 2], [id, 5], [mode, 3], [channels, 3], [reader.bits(1), 1], [size >> 1, 5], [0, 5])
}

/**
 * Content of the `dec3` box for one independent substream. `undefined`: another frame, or a packet with several frames or substreams.
 * @param packetBytes average size of a packet
 */
export function eac3Specific(frame: Uint8Array, packetBytes: number, hertz: number): Uint8Array | undefined {
  const reader = new BitReader(frame)
  if (frame.length < 8 || reader.bits(16) !== SYNC) return undefined
  const [kind, substream, words, rate, blocks] = [reader.bits(2), reader.bits(3), reader.bits(11), reader.bits(2), reader.bits(2)]
  const [channels, lfe, id] = [reader.bits(3), reader.bits(1), reader.bits(5)]
  const bytes = 2 * (words + 1)
  // Rate 3 stands for half of a rate; blocks 3 for six blocks a frame.
  if (kind === 1 || substream !== 0 || rate === 3 || blocks !== 3 || id !== EAC3 || Math.abs(packetBytes - bytes) > 1) return undefined
  const kilobits = Math.min(8191, Math.round((bytes * 8 * hertz) / 1536 / 1000))
  return packed([kilobits, 13], [0, 3], [rate, 2], [id, 5], [0, 2], [0, 3], [channels, 3], [lfe, 1], [0, 3], [0, 4], [0, 1])
}
