/** Reads the headers of AVI sound streams, and writes the headers of new MP3 streams. */

import type { AudioStream } from '../../../../../wasm/ffmpeg/ffmpeg.ts'
import { ByteReader } from '../../../bytes/reader.ts'
import { ByteWriter } from '../../../bytes/writer.ts'
import { AAC_RATES } from '../../../containers/isobmff/aac-rates.ts'
import { samplesPerFrame } from '../../../containers/mpeg-audio/frame-cutter.ts'
import type { Avi, AviStream } from '../../../containers/riff/avi.ts'
import { message } from '../../../i18n/message.ts'
import { malformed, unsupported } from '../../../model/error.ts'
import type { SoundRuns } from '../sound.ts'

/** WAVEFORMATEX: tag at offset 0, channels at 2, sample rate at 4, block align at 12, bits at 14, extension from 18. */
function waveFormat({ strf }: AviStream) {
  if (strf.length < 16) throw malformed('avi', 0, 'sound_stream_without_format')
  const reader = new ByteReader(strf, true)
  const plain = reader.u16(0)
  // WAVEFORMATEXTENSIBLE: the first two bytes of the subformat are the format tag.
  const tag = plain === 0xfffe && strf.length >= 26 ? reader.u16(24) : plain
  const bits = reader.u16(14)
  return { tag, channels: reader.u16(2), hertz: reader.u32(4), blockAlign: reader.u16(12), bits }
}

export function runsOf({ chunks }: Avi, { index }: AviStream): SoundRuns {
  const used = chunks.indexesOfStream(index).filter((i) => chunks.size[i]! > 0)
  return {
    count: used.length,
    offset: chunks.offsetsOf(used),
    size: used.map((i) => chunks.size[i]!),
  }
}

/** Start of a stream in seconds (AVISTREAMHEADER.dwStart). */
export function streamStart({ strh, rate, scale }: AviStream): number {
  const start = new ByteReader(strh, true).u32(28)
  return (start * scale) / rate
}

export const isMp3 = (stream: AviStream) => waveFormat(stream).tag === 0x55

/**
 * Audio stream that FFmpeg can decode and AAC can hold. @throws CodecError (unsupported_feature) for a format without a decoder, or one
 * that MP4 cannot hold
 */
export function decodableAudio(stream: AviStream): AudioStream {
  const { tag, channels, hertz, blockAlign, bits } = waveFormat(stream)
  const decoder = decoderFor(tag, bits)
  if (!decoder) throw unsupported(message('sound_type_stays_in_avi', { tag: tag.toString(16) }))
  if (channels < 1 || channels > 2 || !AAC_RATES.includes(hertz)) throw unsupported(message('channels_stay_in_avi', { channels, hertz }))
  if (blockAlign < 1 || blockAlign > 16384) throw malformed('avi', 0, message('sound_in_blocks_of_bytes', { bytes: blockAlign }))
  return { decoder, extradata: stream.strf.slice(18), hertz, channels, bitsPerSample: bits, blockAlign, tag }
}

/** Audio stream with one sample per block, mono or stereo. `undefined`: any other sound. */
export function pcmAudio(stream: AviStream): AudioStream | undefined {
  const { tag, channels, hertz, blockAlign, bits } = waveFormat(stream)
  const decoder = tag === 1 || tag === 3 ? decoderFor(tag, bits) : undefined
  if (!decoder || channels < 1 || channels > 2 || blockAlign !== (channels * bits) / 8) return undefined
  return { decoder, extradata: new Uint8Array(), hertz, channels, bitsPerSample: bits, blockAlign, tag }
}

function decoderFor(tag: number, bits: number): string | undefined {
  if (tag === 1) return bits === 8 ? 'pcm_u8' : [16, 24, 32].includes(bits) ? `pcm_s${bits}le` : undefined
  if (tag === 3) return bits === 32 || bits === 64 ? `pcm_f${bits}le` : undefined
  return { 2: 'adpcm_ms', 6: 'pcm_alaw', 7: 'pcm_mulaw', 17: 'adpcm_ima_wav' }[tag]
}

/** Samples per channel in a block. ADPCM blocks begin with a header that holds one sample (IMA) or two (Microsoft). */
export function samplesPerBlock({ decoder, channels, blockAlign }: AudioStream): number {
  if (decoder === 'adpcm_ima_wav') return ((blockAlign - 4 * channels) * 2) / channels + 1
  return decoder === 'adpcm_ms' ? ((blockAlign - 7 * channels) * 2) / channels + 2 : 1
}

interface Mp3Stream {
  readonly hertz: number
  readonly channels: number
  readonly bitsPerSecond: number
  readonly frames: number
  readonly startSeconds: number
}

/** Stream headers for MP3 (MPEGLAYER3WAVEFORMAT, mmreg.h): one frame per chunk, with times in samples, as FFmpeg writes it. */
export function mp3Headers(strh: Uint8Array, { hertz, channels, bitsPerSecond, frames, startSeconds }: Mp3Stream) {
  const perFrame = samplesPerFrame(hertz)
  const header = new ByteWriter(strh, true)
  header.at(4).u32(0) // fccHandler: no codec FourCC
  header
    .at(20)
    .u32(perFrame) // dwScale: samples per frame
    .u32(hertz) // dwRate: samples per second
    .u32(Math.round((startSeconds * hertz) / perFrame)) // dwStart of the stream, in frames
    .u32(frames) // dwLength of the stream, in frames
  header.at(44).u32(0) // dwSampleSize 0: chunks differ in size
  const format = ByteWriter.growing(true)
    .u16(0x55)
    .u16(channels)
    .u32(hertz)
    .u32(Math.round(bitsPerSecond / 8))
    .u16(perFrame) // nBlockAlign: samples per frame
    .u16(0) // wBitsPerSample 0: compressed
    .u16(12) // cbSize: bytes of the extension that follow
    .u16(1) // wID 1: MPEG Layer III
    .u32(2) // fdwFlags 2: frames have no padding
    .u16(perFrame) // nBlockSize: samples per frame
    .u16(1) // nFramesPerBlock 1
    .u16(0) // nCodecDelay 0
  return { strh, strf: format.finish() }
}
