/** Configuration of VP9 in MP4 (VP Codec ISO Media File Format Binding 1.0) from the first key frame. */
import { BitReader } from '../../../../bytes/bits.ts'
import type { VideoFacts } from './video-facts.ts'

/** Largest luma samples a second and of a picture, by level (VP9 levels, WebM Project). */
const LEVELS: readonly (readonly [level: number, rate: number, size: number])[] = [
  [10, 829_440, 36_864],
  [11, 2_764_800, 73_728],
  [20, 4_608_000, 122_880],
  [21, 9_216_000, 245_760],
  [30, 20_736_000, 552_960],
  [31, 36_864_000, 983_040],
  [40, 83_558_400, 2_228_224],
  [41, 160_432_128, 2_228_224],
  [50, 311_951_360, 8_912_896],
  [51, 588_251_136, 8_912_896],
  [52, 1_176_502_272, 8_912_896],
  [60, 1_176_502_272, 35_651_584],
  [61, 2_353_004_544, 35_651_584],
]
const HIGHEST_LEVEL = 62

const SYNC = 0x498342
const [RGB, MATRICES] = [7, [2, 6, 1, 6, 7, 9, 2, 0]]
/** Chroma subsampling of `vpcC`: 4:2:0 with chroma at the luma samples, 4:2:2, 4:4:4. */
const [C420, C422, C444] = [1, 2, 3]

/** Fields of the `vpcC` box. `undefined`: the frame is no key frame of VP9. */
export function vp9Configuration(frame: Uint8Array, video: VideoFacts, framesPerSecond: number): Uint8Array | undefined {
  const header = keyFrameHeader(frame)
  if (!header) return undefined
  const { profile, bits, chroma, space, isFullRange } = header
  const size = video.width * video.height
  const level = LEVELS.find(([, rate, most]) => size <= most && size * framesPerSecond <= rate)?.[0] ?? HIGHEST_LEVEL
  const { primaries = 2, transfer = 2, matrix = MATRICES[space]!, isFullRange: told } = video.colours ?? {}
  const depthAndRange = (bits << 4) | (chroma << 1) | ((told ?? isFullRange) ? 1 : 0)
  return Uint8Array.of(profile, level, depthAndRange, primaries, transfer, matrix, 0, 0)
}

/** Longest header up to the chroma subsampling: 40 bits. */
const HEADER_BYTES = 5

/** Uncompressed header of a key frame (VP9 Bitstream Specification, 6.2 and 6.2.2). */
function keyFrameHeader(frame: Uint8Array) {
  const reader = BitReader.padded(frame, HEADER_BYTES)
  if (reader.bits(2) !== 2) return undefined
  const profile = reader.bit() + 2 * reader.bit()
  if (profile === 3) reader.bit()
  // show_existing_frame, frame_type, show_frame, error_resilient_mode.
  const [repeats, isInter] = [reader.bit(), reader.bit()]
  reader.bits(2)
  if (repeats || isInter || reader.bits(24) !== SYNC) return undefined
  const depth = profile >= 2 ? (reader.bit() ? 12 : 10) : 8
  const space = reader.bits(3)
  if (space === RGB) return profile & 1 ? { profile, bits: depth, chroma: C444, space, isFullRange: true } : undefined
  const isFullRange = reader.bit() === 1
  const [across, down] = profile & 1 ? [reader.bit(), reader.bit()] : [1, 1]
  return { profile, bits: depth, chroma: across ? (down ? C420 : C422) : C444, space, isFullRange }
}
