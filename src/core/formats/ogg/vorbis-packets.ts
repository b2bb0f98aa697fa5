/** Lengths of Vorbis packets (Vorbis I, sections 4.2 and 4.3). */
import { latin1Of } from '../../bytes/latin1.ts'

/** Bits of a mode in the setup header: block flag, window type, transform type, mapping. */
const MODE_BITS = 41
const MODE_COUNT_BITS = 6
const MAX_MODES = 64
const SETUP_NAME = '\x05vorbis'

/** Returns the stream that begins with an identification header. `undefined`: the header is damaged. */
export function vorbisPackets(first: Uint8Array) {
  const sizes = first[28]
  if (sizes === undefined) return undefined
  const blockSizes = [1 << (sizes & 15), 1 << (sizes >> 4)] as const
  let modes: readonly boolean[] | undefined
  let previous: number | undefined
  return {
    codec: 'vorbis' as const,
    header(packet: Uint8Array, index: number) {
      if (index === 2) modes = modesOf(packet)
      return index === 2
    },
    samplesIn(prefix: Uint8Array): number | undefined {
      if (prefix.length === 0) return 0
      const [byte] = prefix
      // Bit 0 is set in header packets.
      if (!modes || byte === undefined || byte & 1) return undefined
      const isLong = modes[(byte >> 1) & ((1 << bitsFor(modes.length - 1)) - 1)]
      if (isLong === undefined) return undefined
      const size = blockSizes[isLong ? 1 : 0]
      // A decoder returns the overlap of two blocks, so it returns nothing for the first one.
      const samples = previous === undefined ? 0 : (previous + size) / 4
      previous = size
      return samples
    },
  }
}

/** Bits that store a number (`ilog`, Vorbis I, section 9.2.1). */
const bitsFor = (value: number) => 32 - Math.clz32(value)

/**
 * Returns for each mode whether its blocks are long. The modes are the last part of the setup header, so they are read backwards, as
 * FFmpeg and liboggz do. If a wrong list were found, the lengths would not fit the positions of the pages, which the codec compares.
 * `undefined`: not found
 */
function modesOf(setup: Uint8Array): readonly boolean[] | undefined {
  if (latin1Of(setup.subarray(0, SETUP_NAME.length)) !== SETUP_NAME) return undefined
  const end = framingBitAt(setup)
  let count = 0
  let found = 0
  while (count < MAX_MODES) {
    const at = end - (count + 1) * MODE_BITS
    // The window and transform types are zero. A mapping is below 64.
    if (at - MODE_COUNT_BITS < 0 || bits(setup, at + 1, 16) !== 0 || bits(setup, at + 17, 16) !== 0 || bits(setup, at + 33, 8) > 63) break
    count++
    if (bits(setup, at - MODE_COUNT_BITS, MODE_COUNT_BITS) + 1 === count) found = count
  }
  if (found === 0) return undefined
  return Array.from({ length: found }, (_, mode) => bits(setup, end - (found - mode) * MODE_BITS, 1) === 1)
}

/** Position of the framing bit in bits: the last bit that is set. */
function framingBitAt(setup: Uint8Array): number {
  let at = setup.length - 1
  while (at > 0 && setup[at] === 0) at--
  return 8 * at + 31 - Math.clz32(setup[at]!)
}

/** Returns `count` bits from position `at`, the lowest first (Vorbis I, section 2.1). */
function bits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let bit = 0; bit < count; bit++) value |= ((bytes[(at + bit) >> 3]! >> ((at + bit) & 7)) & 1) << bit
  return value
}
