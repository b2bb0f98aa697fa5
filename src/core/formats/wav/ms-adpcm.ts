/** Decodes Microsoft ADPCM ("New Multimedia Data Types and Data Techniques", 1994, "ADPCM Wave Type"). */
import { ByteReader } from '../../bytes/reader.ts'

/** aCoeff of the seven standard coefficient sets. Decoders do not support files with other sets. */
export const MS_COEFFICIENTS = [
  [256, 0],
  [512, -256],
  [0, 0],
  [192, 64],
  [240, 0],
  [460, -208],
  [392, -232],
] as const
const ADAPTATION = [230, 230, 230, 230, 307, 409, 512, 614, 768, 614, 512, 409, 307, 230, 230, 230]
const [LEAST_DELTA, MOST_DELTA] = [16, Math.floor((2 ** 31 - 1) / 768)]
/** Header bytes per channel: coefficient set, delta and two samples. */
const HEAD_BYTES = 7

/** Samples per channel in a block, which may be incomplete. */
export const msBlockSamples = (bytes: number, channels: number) =>
  bytes < HEAD_BYTES * channels ? 0 : 2 + Math.floor(((bytes - HEAD_BYTES * channels) * 2) / channels)

/** Decodes one block, which may be short, of one or two channels to interleaved 16-bit samples. */
export function decodeMs(block: Uint8Array, channels: number): Int32Array {
  const reader = new ByteReader(block, true)
  const out = new Int32Array(msBlockSamples(block.length, channels) * channels)
  const states = Array.from({ length: channels }, (_, channel) => {
    const [first, second] = MS_COEFFICIENTS[Math.min(6, block[channel]!)]!
    const at = channels + 2 * channel
    const [delta, last, older] = [at, at + 2 * channels, at + 4 * channels].map((place) => reader.i16(place))
    out[channel] = older!
    out[channels + channel] = last!
    return { first, second, delta: delta!, last: last!, older: older! }
  })
  let at = HEAD_BYTES * channels
  for (let i = 2 * channels; i < out.length; i++) {
    const byte = block[at]!
    const high = (i & 1) === 0
    if (!high) at++
    const nibble = high ? byte >> 4 : byte & 15
    const state = states[i % channels]!
    // The specification and FFmpeg round towards zero.
    const predicted = Math.trunc((state.last * state.first + state.older * state.second) / 256)
    const value = Math.max(-32768, Math.min(32767, predicted + (nibble < 8 ? nibble : nibble - 16) * state.delta))
    out[i] = value
    state.older = state.last
    state.last = value
    state.delta = Math.max(LEAST_DELTA, Math.min(MOST_DELTA, (ADAPTATION[nibble]! * state.delta) >> 8))
  }
  return out
}
