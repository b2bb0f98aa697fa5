/** Parameter sets and slices of H.264 (Rec. ITU-T H.264, 7.3). */
import { concat } from '../../bytes/concat.ts'
import { NalBits, NO_USABILITY, type Usability, usabilityIn } from './nal-bits.ts'

export const H264 = { slice: 1, idr: 5, sei: 6, sps: 7, pps: 8, delimiter: 9, lastSlice: 5 } as const

export interface H264Sequence extends Usability {
  readonly id: number
  readonly width: number
  readonly height: number
  readonly profile: number
  readonly chroma: number
  /** Bits of luma and chroma samples. */
  readonly bits: readonly [number, number]
  readonly frameNumberBits: number
  readonly hasSeparatePlanes: boolean
  /** True if pictures may be fields. */
  readonly mayBeFields: boolean
}

/** Profiles whose parameter set has chroma format, bit depths and scaling lists. */
const HIGH_PROFILES = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

/** Reads a sequence parameter set. `undefined`: it is damaged. */
export function h264Sequence(nal: Uint8Array): H264Sequence | undefined {
  const bits = new NalBits(nal, 1)
  const profile = bits.bits(8)
  bits.skip(16)
  const id = bits.golomb()
  let [chroma, luma, other, hasSeparatePlanes] = [1, 8, 8, false]
  if (HIGH_PROFILES.includes(profile)) {
    chroma = bits.golomb()
    hasSeparatePlanes = chroma === 3 && bits.flag()
    ;[luma, other] = [8 + bits.golomb(), 8 + bits.golomb()]
    bits.skip(1)
    const lists = bits.flag() ? (chroma === 3 ? 12 : 8) : 0
    for (let list = 0; list < lists; list++) if (bits.flag()) skipScalingList(bits, list < 6 ? 16 : 64)
  }
  const frameNumberBits = 4 + bits.golomb()
  skipPictureOrder(bits)
  bits.golomb() // max_num_ref_frames
  bits.skip(1)
  const [columns, rows] = [bits.golomb() + 1, bits.golomb() + 1]
  const mayBeFields = !bits.flag()
  if (mayBeFields) bits.skip(1)
  bits.skip(1)
  const [left, right, top, bottom] = bits.flag() ? [bits.golomb(), bits.golomb(), bits.golomb(), bits.golomb()] : [0, 0, 0, 0]
  const usability = bits.flag() ? usabilityIn(bits) : NO_USABILITY
  const [unitX, unitY] = [chroma === 1 || chroma === 2 ? 2 : 1, (chroma === 1 ? 2 : 1) * (mayBeFields ? 2 : 1)]
  const width = 16 * columns - unitX * (left + right)
  const height = 16 * rows * (mayBeFields ? 2 : 1) - unitY * (top + bottom)
  const isValid = !bits.isBehindEnd && id < 32 && chroma < 4 && luma <= 14 && other <= 14 && frameNumberBits <= 16
  if (!isValid || !(width > 0 && height > 0 && width < 65_536 && height < 65_536)) return undefined
  return { id, width, height, ...usability, profile, chroma, bits: [luma, other], frameNumberBits, hasSeparatePlanes, mayBeFields }
}

function skipPictureOrder(bits: NalBits): void {
  const order = bits.golomb()
  if (order === 0) bits.golomb()
  else if (order === 1) {
    bits.skip(1)
    bits.golombs(2)
    bits.golombs(Math.min(255, bits.golomb()))
  }
}

function skipScalingList(bits: NalBits, size: number): void {
  let [last, next] = [8, 8]
  for (let i = 0; i < size; i++) {
    if (next !== 0) next = (last + bits.signedGolomb() + 256) & 255
    last = next === 0 ? last : next
  }
}

/** Numbers of a picture parameter set and of its sequence. */
export function h264PictureSet(nal: Uint8Array): { readonly id: number; readonly sequence: number } {
  const bits = new NalBits(nal.subarray(0, 16), 1)
  return { id: bits.golomb(), sequence: bits.golomb() }
}

/** Start of a slice. */
export interface H264Slice {
  readonly isFirst: boolean
  readonly pictureSet: number
  readonly frame: number
  /** `undefined`: the picture is a whole frame. */
  readonly field: 'top' | 'bottom' | undefined
}

/** Bytes of a slice that are enough for `h264Slice`. */
export const SLICE_START_BYTES = 24

export function h264Slice(nal: Uint8Array, sequenceOf: (pictureSet: number) => H264Sequence | undefined): H264Slice {
  const bits = new NalBits(nal.subarray(0, SLICE_START_BYTES), 1)
  const isFirst = bits.golomb() === 0
  bits.golomb() // slice_type
  const pictureSet = bits.golomb()
  const sequence = sequenceOf(pictureSet)
  if (!sequence) return { isFirst, pictureSet, frame: 0, field: undefined }
  if (sequence.hasSeparatePlanes) bits.skip(2)
  const frame = bits.bits(sequence.frameNumberBits)
  const field = sequence.mayBeFields && bits.flag() ? (bits.flag() ? 'bottom' : 'top') : undefined
  return { isFirst, pictureSet, frame, field }
}

const RECOVERY_POINT = 6

/** True if a message says that decoding may begin at this picture (recovery point, D.1.8). */
export function hasRecoveryPoint(sei: Uint8Array): boolean {
  let at = 1
  while (at + 2 < sei.length) {
    let [type, size] = [0, 0]
    while (sei[at] === 255) type += sei[at++]!
    type += sei[at++] ?? 0
    while (sei[at] === 255) size += sei[at++]!
    size += sei[at++] ?? 0
    // recovery_frame_cnt 0 is one bit.
    if (type === RECOVERY_POINT) return ((sei[at] ?? 0) & 0x80) !== 0
    at += size
  }
  return false
}

/** AVCDecoderConfigurationRecord (ISO/IEC 14496-15, 5.3.3.1), for sizes of four bytes. */
export function avcConfiguration(sequences: readonly Uint8Array[], pictures: readonly Uint8Array[], first: H264Sequence): Uint8Array {
  const sized = (nal: Uint8Array) => [Uint8Array.of(nal.length >> 8, nal.length & 255), nal]
  const [, profile, compatible, level] = sequences[0]!
  const extension = [100, 110, 122, 144].includes(first.profile)
    ? [Uint8Array.of(0xfc | first.chroma, 0xf8 | (first.bits[0] - 8), 0xf8 | (first.bits[1] - 8), 0)]
    : []
  return concat([
    Uint8Array.of(1, profile!, compatible!, level!, 0xff, 0xe0 | sequences.length),
    ...sequences.flatMap(sized),
    Uint8Array.of(pictures.length),
    ...pictures.flatMap(sized),
    ...extension,
  ])
}
