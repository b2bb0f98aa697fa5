/**
 * Selects the pictures that the machine's FFmpeg encodes: those the WebAssembly engine cannot decode, or that need more memory than an
 * isolate has.
 */

import type { VideoStream } from '../../../../../wasm/ffmpeg/ffmpeg.ts'
import { MOST_PIXELS } from '../../../catalog/formats/film.ts'
import { type Box, boxes, u16At } from '../../../containers/isobmff/box.ts'
import { message } from '../../../i18n/message.ts'
import { maxPixelsOf } from '../../../model/budget.ts'
import type { Options } from '../../../model/codec.ts'
import { overBudget } from '../../../model/error.ts'

export interface NativeStream {
  readonly stream: VideoStream
  /** A copy of the whole sample entry box. */
  readonly entry: Uint8Array
  readonly bits: 8 | 10
  /** H.264 stays H.264. Newer codecs, and H.264 with 10 bits, become HEVC. */
  readonly encoder: 'x264' | 'x265'
  /** True if the source has Dolby Vision metadata, which is dropped. The base layer is plain HDR or SDR. */
  readonly dolbyVision: boolean
}

const DECODERS: { readonly [type: string]: string | undefined } = { avc1: 'h264', avc3: 'h264', hvc1: 'hevc', hev1: 'hevc', av01: 'av1' }

/**
 * Returns the stream for the machine's FFmpeg. `undefined`: the WebAssembly engine or no engine takes it. @param small true: also pictures
 * that the WebAssembly engine could take @throws CodecError (over_budget)
 */
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
  if (pixels > maxPixelsOf(MOST_PIXELS, options)) throw overBudget(message('pictures_of', { width, height }))
  const stream = { decoder, extradata: moov.slice(configuration.body, configuration.end), width, height, tag: 0, bitsPerSample: 24 }
  const encoder = decoder === 'h264' && bits === 8 ? 'x264' : 'x265'
  return { entry: moov.slice(entry.start, entry.end), bits, encoder, dolbyVision: dolby !== undefined, stream }
}

/** True for Dolby Vision profile 8 with a base layer that plays alone: HDR10 (1), SDR (2) or HLG (4) (DOVIDecoderConfigurationRecord). */
const hasOwnBase = (moov: Uint8Array, { body, end }: Box) => end - body >= 5 && moov[body + 2]! >> 1 === 8 && moov[body + 4]! >> 4 !== 0

/** Bits per luma sample of a 4:2:0 stream. `undefined`: another chroma format, or an unknown configuration. */
function bitsOf(moov: Uint8Array, { type, body, end }: Box): number | undefined {
  const at = (offset: number) => (body + offset < end ? moov[body + offset]! : 0)
  // HEVC: chroma_format_idc and bit_depth_luma_minus8 (ISO/IEC 14496-15, 8.3.3.1). AVC: profiles up to High, and High 10 (5.3.3.1).
  if (type === 'hvcC') return (at(16) & 3) === 1 && at(17) === at(18) ? 8 + (at(17) & 7) : undefined
  if (type === 'avcC') return [66, 77, 88, 100].includes(at(1)) ? 8 : at(1) === 110 ? 10 : undefined
  // AV1 in ISOBMFF, 2.3.3: high_bitdepth (0x40), twelve_bit (0x20), monochrome (0x10), subsampling in both directions (0x0c).
  const flags = at(2)
  if ((flags & 0x0c) !== 0x0c || flags & 0x30) return undefined
  return flags & 0x40 ? 10 : 8
}

/** True if the WebAssembly engine cannot decode the stream: more than 8 bits, or AV1. */
export const isOnlyNative = ({ bits, stream }: NativeStream): boolean => bits > 8 || stream.decoder === 'av1'
