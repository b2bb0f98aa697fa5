/** Reads colours and pixel shape from sequence parameter sets of H.264 (Rec. ITU-T H.264, 7.3.2.1) and HEVC (Rec. ITU-T H.265, 7.3.2.2). */
import { be16 } from '../media/numbers.ts'
import type { Colours } from './colours.ts'

/** What a sequence parameter set tells. */
export interface SequenceFacts {
  readonly colours: Colours
  /** Width and height of a pixel. `undefined`: the stream does not tell. */
  readonly pixelShape?: readonly [number, number] | undefined
  readonly bits?: number
}

/** Reads bits, most significant first. Bits behind the end are 0. */
class Bits {
  readonly #bytes: Uint8Array
  #at = 0

  /** Emulation prevention bytes (H.264, 7.4.1) are removed. */
  constructor(nal: Uint8Array, from: number) {
    this.#bytes = nal.filter((byte, i) => i >= from && !(byte === 3 && i >= from + 2 && nal[i - 1] === 0 && nal[i - 2] === 0))
  }

  read(count: number): number {
    let value = 0
    for (let i = 0; i < count; i++, this.#at++) value = value * 2 + (((this.#bytes[this.#at >> 3] ?? 0) >> (7 - (this.#at & 7))) & 1)
    return value
  }

  flag(): boolean {
    return this.read(1) === 1
  }

  skip(count: number): void {
    this.#at += count
  }

  /** Exp-Golomb code (H.264, 9.1). A code of more than 32 bits counts as 0. */
  golomb(): number {
    let zeros = 0
    while (zeros < 32 && this.read(1) === 0) zeros++
    return zeros === 32 ? 0 : 2 ** zeros - 1 + this.read(zeros)
  }

  golombs(count: number): void {
    for (let i = 0; i < count; i++) this.golomb()
  }

  signedGolomb(): number {
    const code = this.golomb()
    return code & 1 ? (code + 1) / 2 : -code / 2
  }
}

/** Profiles whose parameter set has chroma format, bit depths and scaling lists. */
const HIGH_PROFILES = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

/** Reads an H.264 sequence parameter set, from its NAL unit header on. */
export function h264Facts(nal: Uint8Array): SequenceFacts {
  const bits = new Bits(nal, 1)
  const profile = bits.read(8)
  bits.skip(16) // constraint flags and level
  bits.golomb() // seq_parameter_set_id
  let depth = 8
  if (HIGH_PROFILES.includes(profile)) {
    const chroma = bits.golomb()
    if (chroma === 3) bits.skip(1)
    depth = 8 + bits.golomb()
    bits.golomb()
    bits.skip(1)
    const lists = bits.flag() ? (chroma === 3 ? 12 : 8) : 0
    for (let list = 0; list < lists; list++) if (bits.flag()) skipScalingList(bits, list < 6 ? 16 : 64)
  }
  bits.golomb() // log2_max_frame_num_minus4
  const order = bits.golomb()
  if (order === 0) bits.golomb()
  else if (order === 1) {
    bits.skip(1)
    bits.golombs(2)
    bits.golombs(Math.min(255, bits.golomb()))
  }
  bits.golomb() // max_num_ref_frames
  bits.skip(1)
  bits.golombs(2) // width and height in macroblocks
  if (!bits.flag()) bits.skip(1)
  bits.skip(1)
  if (bits.flag()) bits.golombs(4)
  return { bits: depth, ...(bits.flag() ? usability(bits) : { colours: {} }) }
}

function skipScalingList(bits: Bits, size: number): void {
  let [last, next] = [8, 8]
  for (let i = 0; i < size; i++) {
    if (next !== 0) next = (last + bits.signedGolomb() + 256) & 255
    last = next === 0 ? last : next
  }
}

/** Pixel shapes by `aspect_ratio_idc` (H.264, table E-1). */
const SHAPES: readonly (readonly [number, number])[] = [
  [0, 1],
  [1, 1],
  [12, 11],
  [10, 11],
  [16, 11],
  [40, 33],
  [24, 11],
  [20, 11],
  [32, 11],
  [80, 33],
  [18, 11],
  [15, 11],
  [64, 33],
  [160, 99],
  [4, 3],
  [3, 2],
  [2, 1],
] // prettier-ignore
const OWN_SHAPE = 255

/** Start of the video usability information (H.264, E.1.1; H.265, E.2.1). */
function usability(bits: Bits): Pick<SequenceFacts, 'colours' | 'pixelShape'> {
  let pixelShape: readonly [number, number] | undefined
  if (bits.flag()) {
    const shape = bits.read(8)
    pixelShape = shape === OWN_SHAPE ? [bits.read(16), bits.read(16)] : SHAPES[shape]
  }
  if (bits.flag()) bits.skip(1)
  if (!bits.flag()) return { colours: {}, pixelShape }
  bits.skip(3) // video_format
  const fullRange = bits.flag()
  if (!bits.flag()) return { colours: { fullRange }, pixelShape }
  return { colours: { fullRange, primaries: bits.read(8), transfer: bits.read(8), matrix: bits.read(8) }, pixelShape }
}

/** Reads an HEVC sequence parameter set, from its NAL unit header on. */
export function hevcFacts(nal: Uint8Array): SequenceFacts {
  const bits = new Bits(nal, 2)
  bits.skip(4)
  const layers = bits.read(3)
  bits.skip(1)
  skipProfiles(bits, layers)
  bits.golomb()
  if (bits.golomb() === 3) bits.skip(1)
  bits.golombs(2) // width and height
  if (bits.flag()) bits.golombs(4)
  const depth = 8 + bits.golomb()
  bits.golomb()
  const orderBits = 4 + bits.golomb()
  bits.golombs(3 * (bits.flag() ? layers + 1 : 1))
  bits.golombs(6)
  if (bits.flag() && bits.flag()) skipHevcScaling(bits)
  bits.skip(2)
  if (bits.flag()) {
    bits.skip(8)
    bits.golombs(2)
    bits.skip(1)
  }
  skipReferenceSets(bits)
  if (bits.flag()) {
    const count = Math.min(32, bits.golomb())
    bits.skip(count * (orderBits + 1))
  }
  bits.skip(2)
  return { bits: depth, ...(bits.flag() ? usability(bits) : { colours: {} }) }
}

/** Skips `profile_tier_level` (H.265, 7.3.3). */
function skipProfiles(bits: Bits, layers: number): void {
  bits.skip(88 + 8)
  const present = Array.from({ length: layers }, () => [bits.flag(), bits.flag()] as const)
  if (layers > 0) bits.skip(2 * (8 - layers))
  for (const [profile, level] of present) bits.skip((profile ? 88 : 0) + (level ? 8 : 0))
}

/** Skips `scaling_list_data` (H.265, 7.3.4). */
function skipHevcScaling(bits: Bits): void {
  for (let size = 0; size < 4; size++) {
    for (let matrix = 0; matrix < 6; matrix += size === 3 ? 3 : 1) {
      if (!bits.flag()) bits.golomb()
      else bits.golombs(Math.min(64, 1 << (4 + 2 * size)) + (size > 1 ? 1 : 0))
    }
  }
}

/** Skips the short-term reference picture sets (H.265, 7.3.7). */
function skipReferenceSets(bits: Bits): void {
  const sets = Math.min(64, bits.golomb())
  let pictures = 0
  for (let set = 0; set < sets; set++) {
    if (set > 0 && bits.flag()) {
      bits.skip(1)
      bits.golomb()
      let kept = 0
      for (let i = 0; i <= pictures; i++) if (bits.flag() || bits.flag()) kept++
      pictures = kept
    } else {
      const [before, after] = [bits.golomb(), bits.golomb()]
      pictures = Math.min(32, before + after)
      for (let i = 0; i < pictures; i++) {
        bits.golomb()
        bits.skip(1)
      }
    }
  }
}

const HEVC_SEQUENCE = 33

/** Finds the first sequence parameter set of an `hvcC` record (ISO/IEC 14496-15, 8.3.3.1.2). */
export function hevcSequence(record: Uint8Array): Uint8Array | undefined {
  let at = 23
  for (let array = record[22] ?? 0; array > 0 && at + 3 <= record.length; array--) {
    const type = (record[at] ?? 0) & 63
    let count = be16(record, at + 1)
    at += 3
    for (; count > 0 && at + 2 <= record.length; count--) {
      const size = be16(record, at)
      if (type === HEVC_SEQUENCE) return record.subarray(at + 2, at + 2 + size)
      at += 2 + size
    }
  }
  return undefined
}
