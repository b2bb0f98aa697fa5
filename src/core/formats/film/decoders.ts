/** Maps sample descriptions of ISO media and QuickTime files to FFmpeg decoders. */

import type { AudioStream, VideoStream } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { AAC_RATES } from '../../containers/isobmff/aac-rates.ts'
import { type Box, boxes, findBox, u16At, u32At } from '../../containers/isobmff/box.ts'
import { decoderConfig } from '../../containers/isobmff/sound-entry.ts'

/** FFmpeg video decoders by sample entry type. */
const VIDEO: { readonly [type: string]: string } = {
  avc1: 'h264',
  avc3: 'h264',
  hvc1: 'hevc',
  hev1: 'hevc',
  vp09: 'vp9',
  mp4v: 'mpeg4',
  s263: 'h263',
  h263: 'h263',
  jpeg: 'mjpeg',
  mjpa: 'mjpeg',
  mjpb: 'mjpegb',
  apch: 'prores',
  apcn: 'prores',
  apcs: 'prores',
  apco: 'prores',
  ap4h: 'prores',
  ap4x: 'prores',
  AVdn: 'dnxhd',
  AVdh: 'dnxhd',
  'dvc ': 'dvvideo',
  dvcp: 'dvvideo',
  dvpp: 'dvvideo',
  dv5n: 'dvvideo',
  dv5p: 'dvvideo',
  'raw ': 'rawvideo',
  '2vuy': 'rawvideo',
  yuvs: 'rawvideo',
  cvid: 'cinepak',
  'rle ': 'qtrle',
  'm1v ': 'mpeg1video',
  mp2v: 'mpeg2video',
}

/** Sample entry types of camera MPEG-2 in MOV (HDV, XDCAM EX, HD, HD422, IMX). QuickTime defines one type for each rate and size. */
const CAMERA_MPEG2 = /^(?:m2v1|hdv[1-9a]|xdv[1-9a-fjk]|xd5[1459a-f]|xdhd|xdh2|mx[345][np]|AVmp)$/

const decoderOf = (type: string): string | undefined => VIDEO[type] ?? (CAMERA_MPEG2.test(type) ? 'mpeg2video' : undefined)

/** Boxes that hold the codec configuration for the decoder. */
const CONFIGURATIONS = ['avcC', 'hvcC', 'glbl']

const tagOf = (type: string) => [...type].reduce((tag, letter, i) => (tag | (letter.charCodeAt(0) << (i * 8))) >>> 0, 0)

/** Video stream of a visual sample entry (ISO/IEC 14496-12, 12.1.3). `undefined`: no decoder. */
export function videoStream(moov: Uint8Array, entry: Box): VideoStream | undefined {
  let decoder = decoderOf(entry.type)
  if (!decoder || entry.end - entry.body < 78) return undefined
  // Uncompressed pictures must be 24-bit RGB. 8 bits need a palette, and 32 bits include transparency.
  if (entry.type === 'raw ' && u16At(moov, entry.body + 74) !== 24) return undefined
  const inside = { body: entry.body + 78, end: entry.end }
  let extradata: Uint8Array = new Uint8Array()
  for (const child of boxes(moov, inside.body, inside.end)) {
    // H.264 cannot carry the second layer of Dolby Vision.
    if (child.type === 'dvcC' || child.type === 'dvvC') return undefined
    if (CONFIGURATIONS.includes(child.type)) extradata = moov.slice(child.body, child.end)
    if (child.type === 'esds') {
      const config = decoderConfig(moov, child)
      if (!config) return undefined
      extradata = config.specific
      if (config.objectType >= 0x60 && config.objectType <= 0x65) decoder = 'mpeg2video'
      else if (config.objectType === 0x6a) decoder = 'mpeg1video'
      else if (config.objectType === 0x6c) decoder = 'mjpeg'
      else if (config.objectType !== 0x20) return undefined
    }
  }
  if ((decoder === 'h264' || decoder === 'hevc') && extradata.length === 0) return undefined
  const width = u16At(moov, entry.body + 24)
  const height = u16At(moov, entry.body + 26)
  return { decoder, extradata, width, height, tag: tagOf(entry.type), bitsPerSample: u16At(moov, entry.body + 74) }
}

/**
 * Audio stream of uncompressed sound (QuickTime File Format, "Sound Sample Descriptions"). `undefined`: not uncompressed, or not
 * supported.
 */
export function pcmStream(moov: Uint8Array, entry: Box): AudioStream | undefined {
  if (entry.end - entry.body < 28) return undefined
  const version = u16At(moov, entry.body + 8)
  let channels = u16At(moov, entry.body + 16)
  let bits = u16At(moov, entry.body + 18)
  let hertz = u32At(moov, entry.body + 24) >>> 16
  let fields = 28
  let decoder: string | undefined
  if (version === 1) fields = 44
  if (version === 2 && entry.end - entry.body >= 64) {
    // Sound description version 2: rate as a double at offset 32, channels at 40, bits at 48, flags at 52 (1 float, 2 big-endian, 4
    // signed).
    hertz = Math.round(new ByteReader(moov, false).f64(entry.body + 32))
    channels = u32At(moov, entry.body + 40)
    bits = u32At(moov, entry.body + 48)
    const flags = u32At(moov, entry.body + 52)
    fields = 64
    if (entry.type === 'lpcm') decoder = lpcm(flags, bits)
  }
  decoder ??= isoPcm(moov, entry) ?? byType(entry.type, bits, littleEndian(moov, { body: entry.body + fields, end: entry.end }))
  if (!decoder) return undefined
  const stored = decoder === 'pcm_alaw' || decoder === 'pcm_mulaw' ? 8 : Number(/\d+/.exec(decoder)![0])
  return { decoder, extradata: new Uint8Array(), hertz, channels, bitsPerSample: stored, blockAlign: (channels * stored) >> 3, tag: 0 }
}

const STEREO = [1, 2]
/** Channels of mono, stereo, 5.0 and 5.1, which decoders yield in the order of WAVE. */
export const SURROUND: readonly number[] = [...STEREO, 5, 6]

/**
 * Audio stream of AAC LC or Apple Lossless, one packet per sample. `undefined`: any other sound.
 * @param allowed numbers of channels. Default: mono and stereo
 */
export function packetStream(moov: Uint8Array, entry: Box, allowed: readonly number[] = STEREO): AudioStream | undefined {
  if (entry.end - entry.body < 28 || (entry.type !== 'mp4a' && entry.type !== 'alac')) return undefined
  const version = u16At(moov, entry.body + 8)
  const inside = { body: entry.body + (version === 2 ? 64 : version === 1 ? 44 : 28), end: entry.end }
  if (inside.body > inside.end) return undefined
  const packets = { bitsPerSample: 16, blockAlign: 0, tag: 0 }
  if (entry.type === 'alac') {
    const cookie = findBox(moov, inside, 'alac') ?? findBox(moov, inside, 'wave', 'alac')
    // ALACSpecificConfig follows 4 bytes of version and flags: bit depth at offset 5, channels at 9, rate at 20.
    if (!cookie || cookie.end - cookie.body < 28) return undefined
    const channels = moov[cookie.body + 13]!
    const stream = { decoder: 'alac', extradata: moov.slice(cookie.start, cookie.end), hertz: u32At(moov, cookie.body + 24), channels }
    return allowed.includes(channels) ? { ...stream, ...packets } : undefined
  }
  const esds = findBox(moov, inside, 'esds') ?? findBox(moov, inside, 'wave', 'esds')
  const config = esds && decoderConfig(moov, esds)
  if (config?.objectType !== 0x40 || config.specific.length < 2) return undefined
  // AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1): 5 bits object type, 4 bits frequency index, 4 bits channels. Sync word 0x2b7 announces
  // SBR.
  const [first, second] = [config.specific[0]!, config.specific[1]!]
  const hertz = AAC_RATES[((first & 7) << 1) | (second >> 7)]
  const channels = (second >> 3) & 15
  const spectral = config.specific[2] === 0x56 && config.specific[3]! >> 5 === 7 && config.specific[4]! >> 7 === 1
  if (first >> 3 !== 2 || !hertz || spectral || !allowed.includes(channels)) return undefined
  return { decoder: 'aac', extradata: config.specific, hertz, channels, ...packets }
}

function lpcm(flags: number, bits: number): string | undefined {
  const end = flags & 2 ? 'be' : 'le'
  if (flags & 1) return bits === 32 || bits === 64 ? `pcm_f${bits}${end}` : undefined
  if (bits === 8) return flags & 4 ? 'pcm_s8' : 'pcm_u8'
  return [16, 24, 32].includes(bits) && flags & 4 ? `pcm_s${bits}${end}` : undefined
}

/** Decoder for `ipcm` and `fpcm` (ISO/IEC 23003-5, 5.1). Box `pcmC` gives the byte order (flag bit 0: little-endian) and the bit depth. */
function isoPcm(moov: Uint8Array, entry: Box): string | undefined {
  if (entry.type !== 'ipcm' && entry.type !== 'fpcm') return undefined
  const config = findBox(moov, { body: entry.body + 28, end: entry.end }, 'pcmC')
  if (!config || config.end - config.body < 6) return undefined
  const end = moov[config.body + 4]! & 1 ? 'le' : 'be'
  const bits = moov[config.body + 5]!
  if (entry.type === 'fpcm') return bits === 32 || bits === 64 ? `pcm_f${bits}${end}` : undefined
  return [16, 24, 32].includes(bits) ? `pcm_s${bits}${end}` : undefined
}

function byType(type: string, bits: number, little: boolean): string | undefined {
  const end = little ? 'le' : 'be'
  switch (type) {
    case 'sowt':
      return bits === 8 ? 'pcm_s8' : bits === 16 ? 'pcm_s16le' : undefined
    case 'twos':
      return bits === 8 ? 'pcm_s8' : bits === 16 ? 'pcm_s16be' : undefined
    case 'raw ':
      return bits === 8 ? 'pcm_u8' : undefined
    case 'in24':
      return `pcm_s24${end}`
    case 'in32':
      return `pcm_s32${end}`
    case 'fl32':
      return `pcm_f32${end}`
    case 'fl64':
      return `pcm_f64${end}`
    case 'ulaw':
      return 'pcm_mulaw'
    case 'alaw':
      return 'pcm_alaw'
    default:
      return undefined
  }
}

/** True if atom `wave/enda` has the value 1: samples are little-endian. */
function littleEndian(moov: Uint8Array, inside: { body: number; end: number }): boolean {
  const enda = findBox(moov, inside, 'wave', 'enda')
  return enda !== undefined && u16At(moov, enda.body) === 1
}

/** True if the sample entry type marks an encrypted track (ISO/IEC 14496-12, 8.12). */
export const isEncrypted = (entry: Box) => ['encv', 'enca', 'drmi', 'drms', 'encs'].includes(entry.type)
