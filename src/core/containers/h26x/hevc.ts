/** Parameter sets of HEVC (Rec. ITU-T H.265, 7.3). */
import { concat } from '../../bytes/concat.ts'
import { NalBits, NO_USABILITY, type Usability, usabilityIn } from './nal-bits.ts'

export const HEVC = { lastSlice: 31, firstKey: 16, lastKey: 21, vps: 32, sps: 33, pps: 34, delimiter: 35, prefixSei: 39 } as const

export const hevcType = (firstByte: number): number => (firstByte >> 1) & 63

export interface HevcSequence extends Usability {
  readonly width: number
  readonly height: number
  readonly chroma: number
  readonly bits: readonly [number, number]
  readonly layers: number
  readonly isNested: boolean
  /** General profile, tier, compatibility, constraints and level: 12 bytes. */
  readonly profile: Uint8Array
}

/** Reads a sequence parameter set. `undefined`: it is damaged. */
export function hevcSequence(nal: Uint8Array): HevcSequence | undefined {
  const bits = new NalBits(nal, 2)
  bits.skip(4)
  const layers = bits.bits(3) + 1
  const isNested = bits.flag()
  const profile = Uint8Array.from({ length: 12 }, () => bits.bits(8))
  skipSubLayers(bits, layers - 1)
  bits.golomb() // sps_seq_parameter_set_id
  const chroma = bits.golomb()
  if (chroma === 3) bits.skip(1)
  const [codedWidth, codedHeight] = [bits.golomb(), bits.golomb()]
  const [left, right, top, bottom] = bits.flag() ? [bits.golomb(), bits.golomb(), bits.golomb(), bits.golomb()] : [0, 0, 0, 0]
  const depths = [8 + bits.golomb(), 8 + bits.golomb()] as const
  const [unitX, unitY] = [chroma === 1 || chroma === 2 ? 2 : 1, chroma === 1 ? 2 : 1]
  const [width, height] = [codedWidth - unitX * (left + right), codedHeight - unitY * (top + bottom)]
  const isValid = !bits.isBehindEnd && chroma < 4 && depths.every((depth) => depth <= 16)
  if (!isValid || !(width > 0 && height > 0 && width < 65_536 && height < 65_536)) return undefined
  return { width, height, ...usabilityOf(bits, layers), chroma, bits: depths, layers, isNested, profile }
}

function skipSubLayers(bits: NalBits, count: number): void {
  const told = Array.from({ length: count }, () => [bits.flag(), bits.flag()] as const)
  if (count > 0) bits.skip(2 * (8 - count))
  for (const [hasProfile, hasLevel] of told) bits.skip((hasProfile ? 88 : 0) + (hasLevel ? 8 : 0))
}

/** Usability information behind the bit depths. None if the fields between them are of a rare kind. */
function usabilityOf(bits: NalBits, layers: number): Usability {
  const orderBits = 4 + bits.golomb()
  const isEach = bits.flag()
  bits.golombs(3 * (isEach ? layers : 1))
  bits.golombs(6)
  // Lists of factors that are written out.
  if (bits.flag() && bits.flag()) return NO_USABILITY
  bits.skip(2)
  if (bits.flag()) {
    bits.skip(8)
    bits.golombs(2)
    bits.skip(1)
  }
  const sets = bits.golomb()
  if (!skipReferenceSets(bits, Math.min(64, sets))) return NO_USABILITY
  if (bits.flag()) {
    const count = Math.min(32, bits.golomb())
    bits.skip(count * (orderBits + 1))
  }
  bits.skip(2)
  const usability = bits.flag() ? usabilityIn(bits) : NO_USABILITY
  return bits.isBehindEnd ? NO_USABILITY : usability
}

/** Short-term reference picture sets (7.3.7). False: they are damaged. */
function skipReferenceSets(bits: NalBits, count: number): boolean {
  let pictures = 0
  for (let set = 0; set < count; set++) {
    if (set > 0 && bits.flag()) {
      bits.skip(1)
      bits.golomb()
      let kept = 0
      for (let i = 0; i <= pictures; i++) {
        const isUsed = bits.flag()
        if (isUsed || bits.flag()) kept++
      }
      pictures = kept
    } else {
      const [before, after] = [bits.golomb(), bits.golomb()]
      pictures = before + after
      if (pictures > 32) return false
      for (let i = 0; i < pictures; i++) {
        bits.golomb()
        bits.skip(1)
      }
    }
  }
  return !bits.isBehindEnd
}

/** HEVCDecoderConfigurationRecord (ISO/IEC 14496-15, 8.3.3.1), for sizes of four bytes. Sets may also be in the samples. */
export function hevcConfiguration(
  sets: readonly (readonly [type: number, nals: readonly Uint8Array[]])[],
  first: HevcSequence,
): Uint8Array {
  const sized = (nal: Uint8Array) => [Uint8Array.of(nal.length >> 8, nal.length & 255), nal]
  const { profile, chroma, bits, layers, isNested } = first
  return concat([
    Uint8Array.of(1),
    profile,
    Uint8Array.of(0xf0, 0, 0xfc, 0xfc | chroma, 0xf8 | (bits[0] - 8), 0xf8 | (bits[1] - 8), 0, 0),
    Uint8Array.of((layers << 3) | (isNested ? 4 : 0) | 3, sets.length),
    ...sets.flatMap(([type, nals]) => [Uint8Array.of(type, nals.length >> 8, nals.length & 255), ...nals.flatMap(sized)]),
  ])
}
