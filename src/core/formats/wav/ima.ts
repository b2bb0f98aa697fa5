/** IMA ADPCM in WAVE files (IMA Digital Audio Doc-Pac 1992; Microsoft "New Multimedia Data Types"). */

import { IMA_BEAM } from './tuning.ts'

const STEPS = Int32Array.from([
  7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 19, 21, 23, 25, 28, 31, 34, 37, 41, 45, 50, 55, 60, 66, 73, 80, 88, 97, 107, 118, 130, 143, 157, 173,
  190, 209, 230, 253, 279, 307, 337, 371, 408, 449, 494, 544, 598, 658, 724, 796, 876, 963, 1060, 1166, 1282, 1411, 1552, 1707, 1878, 2066,
  2272, 2499, 2749, 3024, 3327, 3660, 4026, 4428, 4871, 5358, 5894, 6484, 7132, 7845, 8630, 9493, 10442, 11487, 12635, 13899, 15289, 16818,
  18500, 20350, 22385, 24623, 27086, 29794, 32767,
])
const INDEX_CHANGE = Int32Array.from([-1, -1, -1, -1, 2, 4, 6, 8])

const clampIndex = (index: number) => (index < 0 ? 0 : index > 88 ? 88 : index)

/**
 * Value that an IMA decoder by the specification adds for a four-bit code at a step size: sum of the shares of its three magnitude bits,
 * then the sign.
 */
function difference(nibble: number, step: number): number {
  const magnitude = (step >> 3) + (nibble & 4 ? step : 0) + (nibble & 2 ? step >> 1 : 0) + (nibble & 1 ? step >> 2 : 0)
  return nibble & 8 ? -magnitude : magnitude
}

const clamp16 = (value: number) => (value < -32768 ? -32768 : value > 32767 ? 32767 : value)

/** Block size in bytes that common IMA encoders use at a sample rate. */
const imaBlockBytes = (hertz: number, channels: number) => (hertz < 22000 ? 256 : hertz < 44000 ? 512 : 1024) * channels

/** Samples per channel in a block, which may be incomplete: one in the header, then groups of eight. */
export const imaBlockSamples = (bytes: number, channels: number) =>
  bytes < 4 * channels ? 0 : 1 + (Math.floor(bytes / (4 * channels)) - 1) * 8

/**
 * Value that FFmpeg-based decoders add instead: one multiplication, whose rounding differs by up to 3. The two kinds of decoder drift
 * apart within a block, so the encoder tracks both.
 */
export function ffmpegDifference(nibble: number, step: number): number {
  const magnitude = ((2 * (nibble & 7) + 1) * step) >> 3
  return nibble & 8 ? -magnitude : magnitude
}

/** Paths of the beam search: the values of both kinds of decoder, the step index, and the squared error so far. */
class Paths {
  readonly exact = new Int32Array(IMA_BEAM)
  readonly multiplied = new Int32Array(IMA_BEAM)
  readonly index = new Int32Array(IMA_BEAM)
  readonly cost = new Float64Array(IMA_BEAM)
  size = 0

  /** Slot for a candidate: an equal path, a free slot, or the worst path. −1: the candidate is not better. */
  place(exact: number, multiplied: number, index: number, cost: number): number {
    for (let k = 0; k < this.size; k++) {
      if (this.index[k] === index && this.exact[k] === exact && this.multiplied[k] === multiplied) return this.cost[k]! <= cost ? -1 : k
    }
    if (this.size < IMA_BEAM) return this.size++
    let worst = 0
    for (let k = 1; k < IMA_BEAM; k++) if (this.cost[k]! > this.cost[worst]!) worst = k
    return this.cost[worst]! <= cost ? -1 : worst
  }
}

/** Samples of one channel of one block, inside an interleaved array. */
interface ChannelSamples {
  readonly samples: Int32Array
  readonly first: number
  readonly stride: number
  readonly count: number
}

/**
 * Encodes one channel of one block by a beam search over the squared error, from the given step index.
 * @returns the step index at the end of the block
 */
function encodeChannel({ samples, first, stride, count }: ChannelSamples, startIndex: number, nibbles: Uint8Array): number {
  let paths = new Paths()
  let next = new Paths()
  paths.size = 1
  paths.exact[0] = paths.multiplied[0] = samples[first]!
  paths.index[0] = startIndex
  const from = new Uint8Array(count * IMA_BEAM)
  const choice = new Uint8Array(count * IMA_BEAM)
  for (let i = 1; i < count; i++) {
    const sample = samples[first + i * stride]!
    next.size = 0
    for (let path = 0; path < paths.size; path++) {
      const step = STEPS[paths.index[path]!]!
      const wanted = sample - ((paths.exact[path]! + paths.multiplied[path]!) >> 1)
      const sign = wanted < 0 ? 8 : 0
      const nearest = Math.min(7, ((Math.abs(wanted) << 2) / step) | 0)
      for (let magnitude = Math.max(0, nearest - 1); magnitude <= Math.min(7, nearest + 1); magnitude++) {
        const nibble = magnitude | sign
        const exact = clamp16(paths.exact[path]! + difference(nibble, step))
        const multiplied = clamp16(paths.multiplied[path]! + ffmpegDifference(nibble, step))
        const cost = paths.cost[path]! + (sample - exact) ** 2 + (sample - multiplied) ** 2
        const index = clampIndex(paths.index[path]! + INDEX_CHANGE[magnitude]!)
        const place = next.place(exact, multiplied, index, cost)
        if (place < 0) continue
        next.exact[place] = exact
        next.multiplied[place] = multiplied
        next.index[place] = index
        next.cost[place] = cost
        from[i * IMA_BEAM + place] = path
        choice[i * IMA_BEAM + place] = nibble
      }
    }
    ;[paths, next] = [next, paths]
  }
  let best = 0
  for (let k = 1; k < paths.size; k++) if (paths.cost[k]! < paths.cost[best]!) best = k
  for (let i = count - 1, path = best; i >= 1; i--) {
    nibbles[i - 1] = choice[i * IMA_BEAM + path]!
    path = from[i * IMA_BEAM + path]!
  }
  return paths.index[best]!
}

export class ImaEncoder {
  readonly channels: number
  readonly blockBytes: number
  readonly blockSamples: number
  #index: Int32Array
  #nibbles: Uint8Array

  constructor(hertz: number, channels: number) {
    this.channels = channels
    this.blockBytes = imaBlockBytes(hertz, channels)
    this.blockSamples = imaBlockSamples(this.blockBytes, channels)
    this.#index = new Int32Array(channels)
    this.#nibbles = new Uint8Array(this.blockSamples + 8)
  }

  /** Bytes for `frames` samples per channel: whole blocks, then a short one padded to groups of eight nibbles. */
  bytesFor(frames: number): number {
    const whole = Math.floor(frames / this.blockSamples)
    const rest = frames - whole * this.blockSamples
    return whole * this.blockBytes + (rest ? 4 * this.channels * (1 + Math.ceil((rest - 1) / 8)) : 0)
  }

  /**
   * Encodes one block of at most `blockSamples` interleaved 16-bit frames.
   * @returns the block, and its samples as both kinds of decoder restore them
   */
  encode(samples: Int32Array): { block: Uint8Array; decoded: Int32Array; multiplied: Int32Array } {
    const { channels } = this
    const frames = samples.length / channels
    const groups = Math.ceil((frames - 1) / 8)
    const block = new Uint8Array(4 * channels * (1 + groups))
    for (let channel = 0; channel < channels; channel++) {
      const start = this.#startIndex(samples, channel, frames)
      this.#nibbles.fill(0)
      block[channel * 4] = samples[channel]! & 0xff
      block[channel * 4 + 1] = (samples[channel]! >> 8) & 0xff
      block[channel * 4 + 2] = start
      this.#index[channel] = encodeChannel({ samples, first: channel, stride: channels, count: frames }, start, this.#nibbles)
      for (let group = 0; group < groups; group++) {
        for (let byte = 0; byte < 4; byte++) {
          const at = group * 8 + byte * 2
          block[4 * channels * (1 + group) + 4 * channel + byte] = this.#nibbles[at]! | (this.#nibbles[at + 1]! << 4)
        }
      }
    }
    const decoded = decodeIma(block, channels).subarray(0, samples.length)
    return { block, decoded, multiplied: decodeIma(block, channels, ffmpegDifference).subarray(0, samples.length) }
  }

  /** Step index for a block: the previous block's last index, unless it is far from the one that fits the first differences. */
  #startIndex(samples: Int32Array, channel: number, frames: number): number {
    let sum = 0
    const probe = Math.min(frames - 1, 16)
    for (let i = 0; i < probe; i++) sum += Math.abs(samples[(i + 1) * this.channels + channel]! - samples[i * this.channels + channel]!)
    const wanted = probe ? sum / probe : 0
    let fit = 0
    while (fit < 88 && STEPS[fit]! < wanted) fit++
    const carried = this.#index[channel]!
    return Math.abs(fit - carried) > 8 ? fit : carried
  }
}

/**
 * Decodes one block, which may be short, to interleaved 16-bit samples. `add` selects the specification's rounding or FFmpeg's
 * (`product`).
 */
export function decodeIma(block: Uint8Array, channels: number, add = difference): Int32Array {
  const count = imaBlockSamples(block.length, channels)
  const out = new Int32Array(count * channels)
  for (let channel = 0; channel < channels; channel++) {
    let value = ((block[channel * 4]! | (block[channel * 4 + 1]! << 8)) << 16) >> 16
    let index = clampIndex(block[channel * 4 + 2]!)
    out[channel] = value
    for (let i = 0; i < count - 1; i++) {
      const byte = block[4 * channels * (1 + (i >> 3)) + 4 * channel + ((i & 7) >> 1)]!
      const nibble = i & 1 ? byte >> 4 : byte & 15
      value = clamp16(value + add(nibble, STEPS[index]!))
      index = clampIndex(index + INDEX_CHANGE[nibble & 7]!)
      out[(1 + i) * channels + channel] = value
    }
  }
  return out
}
