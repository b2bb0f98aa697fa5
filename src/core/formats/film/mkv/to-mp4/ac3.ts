/** Reads the first frame of AC-3 and E-AC-3 for the configuration in MP4 (ETSI TS 102 366, 4.4, E.1.2, F.4 and F.6). */

class BitReader {
  #at = 0
  readonly #bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  read(count: number): number {
    let value = 0
    for (let i = 0; i < count; i++, this.#at++) value = value * 2 + (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1)
    return value
  }
}

/** Packs fields of given bits into bytes. */
function packed(...fields: readonly (readonly [value: number, bits: number])[]): Uint8Array {
  const text = fields.map(([value, bits]) => value.toString(2).padStart(bits, '0')).join('')
  return Uint8Array.from({ length: text.length / 8 }, (_, i) => Number.parseInt(text.slice(8 * i, 8 * i + 8), 2))
}

const SYNC = 0x0b77
/** Largest bitstream identification of each format. */
const [MAX_AC3, EAC3] = [10, 16]

/** Content of the `dac3` box. `undefined`: the frame is not AC-3. */
export function ac3Specific(frame: Uint8Array): Uint8Array | undefined {
  const bits = new BitReader(frame)
  if (frame.length < 8 || bits.read(16) !== SYNC) return undefined
  bits.read(16) // crc1
  const [rate, size, id, mode, channels] = [bits.read(2), bits.read(6), bits.read(5), bits.read(3), bits.read(3)]
  if (id > MAX_AC3) return undefined
  if (channels & 1 && channels !== 1) bits.read(2) // cmixlev
  if (channels & 4) bits.read(2) // surmixlev
  if (channels === 2) bits.read(2) // dsurmod
  return packed([rate, 2], [id, 5], [mode, 3], [channels, 3], [bits.read(1), 1], [size >> 1, 5], [0, 5])
}

/**
 * Content of the `dec3` box for one independent substream. `undefined`: another frame, or a packet with several frames or substreams.
 * @param packetBytes average size of a packet
 */
export function eac3Specific(frame: Uint8Array, packetBytes: number, hertz: number): Uint8Array | undefined {
  const bits = new BitReader(frame)
  if (frame.length < 8 || bits.read(16) !== SYNC) return undefined
  const [kind, substream, words, rate, blocks] = [bits.read(2), bits.read(3), bits.read(11), bits.read(2), bits.read(2)]
  const [channels, lfe, id] = [bits.read(3), bits.read(1), bits.read(5)]
  const bytes = 2 * (words + 1)
  // Rate 3 stands for half of a rate; blocks 3 for six blocks a frame.
  if (kind === 1 || substream !== 0 || rate === 3 || blocks !== 3 || id !== EAC3 || Math.abs(packetBytes - bytes) > 1) return undefined
  const kilobits = Math.min(8191, Math.round((bytes * 8 * hertz) / 1536 / 1000))
  return packed([kilobits, 13], [0, 3], [rate, 2], [id, 5], [0, 2], [0, 3], [channels, 3], [lfe, 1], [0, 3], [0, 4], [0, 1])
}
