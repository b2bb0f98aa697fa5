/** Sample descriptions of ISO media and QuickTime as FFmpeg's decoders want them. */

import type { AudioStream, VideoStream } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { type Box, boxes, find, u16At, u32At } from '../../containers/isobmff/box.ts'
import { AAC_RATES } from './aac-rates.ts'

/** Decoders by the type of the sample entry. */
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

/** MPEG-2 of cameras, in MOV: HDV, XDCAM EX, HD and HD422, and IMX, each rate and size with a type of its own (QuickTime's list of codecs). */
const CAMERA_MPEG2 = /^(?:m2v1|hdv[1-9a]|xdv[1-9a-fjk]|xd5[1459a-f]|xdhd|xdh2|mx[345][np]|AVmp)$/

const decoderOf = (type: string): string | undefined => VIDEO[type] ?? (CAMERA_MPEG2.test(type) ? 'mpeg2video' : undefined)

/** Codec configurations, whole or without their version. */
const CONFIGURATIONS = ['avcC', 'hvcC', 'glbl']

const tagOf = (type: string) => [...type].reduce((tag, letter, i) => (tag | (letter.charCodeAt(0) << (i * 8))) >>> 0, 0)

/** The decoder of a visual sample entry (ISO/IEC 14496-12, 12.1.3), if there is one. */
export function videoStream(moov: Uint8Array, entry: Box): VideoStream | undefined {
  let decoder = decoderOf(entry.type)
  if (!decoder || entry.end - entry.body < 78) return undefined
  // RGB without a palette; with a fourth byte it would be transparency.
  if (entry.type === 'raw ' && u16At(moov, entry.body + 74) !== 24) return undefined
  const inside = { body: entry.body + 78, end: entry.end }
  let extradata: Uint8Array = new Uint8Array()
  for (const child of boxes(moov, inside.body, inside.end)) {
    // Dolby Vision's second layer has no place in H.264.
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

/** An ES descriptor's decoder configuration (ISO/IEC 14496-1, 7.2.6): object type and specific information. */
export function decoderConfig(moov: Uint8Array, esds: Box): { objectType: number; specific: Uint8Array } | undefined {
  let at = esds.body + 4
  let objectType = -1
  for (let nesting = 0; nesting < 8 && at + 2 < esds.end; nesting++) {
    const tag = moov[at++]!
    let size = 0
    for (let i = 0; i < 4; i++) {
      const byte = moov[at++]!
      size = (size << 7) | (byte & 0x7f)
      if (!(byte & 0x80)) break
    }
    if (tag === 3) {
      // ES_ID, then flags: dependsOn (0x80), URL (0x40), OCR (0x20).
      const flags = moov[at + 2]!
      at += 3 + (flags & 0x80 ? 2 : 0)
      if (flags & 0x40) at += 1 + moov[at]!
      if (flags & 0x20) at += 2
    } else if (tag === 4) {
      objectType = moov[at]!
      at += 13
    } else if (tag === 5) {
      return at + size <= esds.end ? { objectType, specific: moov.slice(at, at + size) } : undefined
    } else at += size
  }
  return objectType < 0 ? undefined : { objectType, specific: new Uint8Array() }
}

/** The decoder of uncompressed sound (QuickTime File Format, "Sound Sample Descriptions"); undefined for everything else. */
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
    // Version 2: rate as a double at 32, channels at 40, bits at 48, flags at 52 (float 1, big-endian 2, signed 4).
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

/** AAC LC and Apple Lossless, mono or stereo, a packet a sample; undefined for everything else. */
export function packetStream(moov: Uint8Array, entry: Box): AudioStream | undefined {
  if (entry.end - entry.body < 28 || (entry.type !== 'mp4a' && entry.type !== 'alac')) return undefined
  const version = u16At(moov, entry.body + 8)
  const inside = { body: entry.body + (version === 2 ? 64 : version === 1 ? 44 : 28), end: entry.end }
  if (inside.body > inside.end) return undefined
  const packets = { bitsPerSample: 16, blockAlign: 0, tag: 0 }
  if (entry.type === 'alac') {
    const cookie = find(moov, inside, 'alac') ?? find(moov, inside, 'wave', 'alac')
    // ALACSpecificConfig behind version and flags: depth at 5, channels at 9, rate at 20.
    if (!cookie || cookie.end - cookie.body < 28) return undefined
    const channels = moov[cookie.body + 13]!
    const stream = { decoder: 'alac', extradata: moov.slice(cookie.start, cookie.end), hertz: u32At(moov, cookie.body + 24), channels }
    return channels === 1 || channels === 2 ? { ...stream, ...packets } : undefined
  }
  const esds = find(moov, inside, 'esds') ?? find(moov, inside, 'wave', 'esds')
  const config = esds && decoderConfig(moov, esds)
  if (config?.objectType !== 0x40 || config.specific.length < 2) return undefined
  // AudioSpecificConfig (ISO/IEC 14496-3, 1.6.2.1): 5 bits of object type, 4 of frequency, 4 of channels; behind sync word 0x2b7: SBR or not.
  const [first, second] = [config.specific[0]!, config.specific[1]!]
  const hertz = AAC_RATES[((first & 7) << 1) | (second >> 7)]
  const channels = (second >> 3) & 15
  const spectral = config.specific[2] === 0x56 && config.specific[3]! >> 5 === 7 && config.specific[4]! >> 7 === 1
  if (first >> 3 !== 2 || !hertz || spectral || (channels !== 1 && channels !== 2)) return undefined
  return { decoder: 'aac', extradata: config.specific, hertz, channels, ...packets }
}

function lpcm(flags: number, bits: number): string | undefined {
  const end = flags & 2 ? 'be' : 'le'
  if (flags & 1) return bits === 32 || bits === 64 ? `pcm_f${bits}${end}` : undefined
  if (bits === 8) return flags & 4 ? 'pcm_s8' : 'pcm_u8'
  return [16, 24, 32].includes(bits) && flags & 4 ? `pcm_s${bits}${end}` : undefined
}

/** `ipcm` and `fpcm` (ISO/IEC 23003-5, 5.1): `pcmC` says the order of bytes (bit 0 of its flags: little-endian) and the bits. */
function isoPcm(moov: Uint8Array, entry: Box): string | undefined {
  if (entry.type !== 'ipcm' && entry.type !== 'fpcm') return undefined
  const config = find(moov, { body: entry.body + 28, end: entry.end }, 'pcmC')
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

/** `wave/enda` says 1 for little-endian samples. */
function littleEndian(moov: Uint8Array, inside: { body: number; end: number }): boolean {
  const enda = find(moov, inside, 'wave', 'enda')
  return enda !== undefined && u16At(moov, enda.body) === 1
}

/** Encrypted tracks (ISO/IEC 14496-12, 8.12) are nobody's business. */
export const isEncrypted = (entry: Box) => ['encv', 'enca', 'drmi', 'drms', 'encs'].includes(entry.type)
