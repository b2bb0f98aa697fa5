/** Which pictures the program beside the press takes: those that no engine here can decode, or no isolate has room for. */

import type { VideoStream } from '../../../../../wasm/ffmpeg/ffmpeg.ts'
import { MOST_PIXELS } from '../../../catalog/formats/film.ts'
import { type Box, boxes, u16At } from '../../../containers/isobmff/box.ts'
import { message } from '../../../i18n/message.ts'
import { pixelsWithin } from '../../../model/budget.ts'
import type { Options } from '../../../model/codec.ts'
import { overBudget } from '../../../model/error.ts'

export interface NativeStream {
  readonly stream: VideoStream
  /** The whole sample entry, a copy. */
  readonly entry: Uint8Array
  readonly bits: 8 | 10
  /** H.264 stays H.264; what is newer, or has more bits than its players take, becomes HEVC. */
  readonly encoder: 'x264' | 'x265'
  /** What players without Dolby Vision never saw goes: the rest is HDR of its own. */
  readonly dolbyVision: boolean
}

const DECODERS: { readonly [type: string]: string | undefined } = { avc1: 'h264', avc3: 'h264', hvc1: 'hevc', hev1: 'hevc', av01: 'av1' }

/** undefined: an engine here does it, or nobody. @param small also those that an engine here would take @throws CodecError (over_budget) */
export function nativeStream(
  moov: Uint8Array,
  entry: Box,
  options: Pick<Options, 'memoryBudget'>,
  small = false,
): NativeStream | undefined {
  const decoder = DECODERS[entry.type]
  if (!decoder || entry.end - entry.body < 78) return undefined
  const children = [...boxes(moov, entry.body + 78, entry.end)]
  const dolby = children.find(({ type }) => type === 'dvcC' || type === 'dvvC')
  if (dolby && !hasOwnBase(moov, dolby)) return undefined
  const configuration = children.find(({ type }) => type === 'avcC' || type === 'hvcC' || type === 'av1C')
  const bits = configuration && bitsOf(moov, configuration)
  if (!configuration || (bits !== 8 && bits !== 10)) return undefined
  const [width, height] = [u16At(moov, entry.body + 24), u16At(moov, entry.body + 26)]
  const pixels = width * height
  if (width % 2 || height % 2 || Math.min(width, height) < 16) return undefined
  if (!small && bits === 8 && decoder !== 'av1' && pixels <= MOST_PIXELS.isolate) return undefined
  if (pixels > pixelsWithin(MOST_PIXELS, options)) throw overBudget(message('pictures_of', { width, height }))
  const stream = { decoder, extradata: moov.slice(configuration.body, configuration.end), width, height, tag: 0, bitsPerSample: 24 }
  const encoder = decoder === 'h264' && bits === 8 ? 'x264' : 'x265'
  return { entry: moov.slice(entry.start, entry.end), bits, encoder, dolbyVision: dolby !== undefined, stream }
}

/** DOVIDecoderConfigurationRecord: profile 8 has a base of its own, HDR10 (1), SDR (2) or HLG (4). */
const hasOwnBase = (moov: Uint8Array, { body, end }: Box) => end - body >= 5 && moov[body + 2]! >> 1 === 8 && moov[body + 4]! >> 4 !== 0

/** Of luma, where chroma is halved both ways; undefined for everything else. */
function bitsOf(moov: Uint8Array, { type, body, end }: Box): number | undefined {
  const at = (offset: number) => (body + offset < end ? moov[body + offset]! : 0)
  // ISO/IEC 14496-15: chroma_format_idc and bit_depth_luma_minus8 of HEVC (8.3.3.1); profiles up to High and High 10 of AVC (5.3.3.1).
  if (type === 'hvcC') return (at(16) & 3) === 1 && at(17) === at(18) ? 8 + (at(17) & 7) : undefined
  if (type === 'avcC') return [66, 77, 88, 100].includes(at(1)) ? 8 : at(1) === 110 ? 10 : undefined
  // AV1 in ISOBMFF 2.3.3: high_bitdepth, twelve_bit, monochrome, subsampling both ways.
  const flags = at(2)
  if ((flags & 0x0c) !== 0x0c || flags & 0x30) return undefined
  return flags & 0x40 ? 10 : 8
}

/** Whether no engine here decodes it. */
export const isOnlyNative = ({ bits, stream }: NativeStream): boolean => bits > 8 || stream.decoder === 'av1'
