/** Sound streams of AVI files for MP4 and QuickTime: MP3 frames as they are, uncompressed sound and ADPCM to be encoded. */
import type { AudioStream } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { sumOf } from '../../bytes/column.ts'
import { MalformedFile, type Source, UnsupportedFeature } from '../../codec/codec.ts'
import { AAC_RATES } from '../../containers/film/aac-rates.ts'
import { mp3Entry } from '../../containers/film/entries.ts'
import { CHUNK_SECONDS } from '../../containers/film/film.ts'
import { frameSamples } from '../../containers/film/mp3-sound.ts'
import type { SkeletonTrack } from '../../containers/film/skeleton.ts'
import type { SoundRuns } from '../../containers/film/sound.ts'
import type { NewTrack, Piece } from '../../containers/isobmff/write.ts'
import { type FrameHeader, frameHeader } from '../../containers/mpeg-audio/frame.ts'
import type { Avi, AviStream } from '../../containers/riff/avi.ts'

/** WAVEFORMATEX: tag, channels, samples a second at 4, block align at 12, bits at 14, extension from 18. */
function waveFormat({ strf }: AviStream) {
  if (strf.length < 16) throw new MalformedFile('avi', 0, 'a sound stream without format')
  const view = new DataView(strf.buffer, strf.byteOffset, strf.length)
  const plain = view.getUint16(0, true)
  // WAVEFORMATEXTENSIBLE: the old tag begins the subformat.
  const tag = plain === 0xfffe && strf.length >= 26 ? view.getUint16(24, true) : plain
  const bits = view.getUint16(14, true)
  return { tag, channels: view.getUint16(2, true), hertz: view.getUint32(4, true), blockAlign: view.getUint16(12, true), bits }
}

export function runsOf({ chunks }: Avi, { index }: AviStream): SoundRuns {
  const used = chunks.of(index).filter((i) => chunks.size[i]! > 0)
  return {
    count: used.length,
    offset: chunks.offsetsOf(used),
    size: used.map((i) => chunks.size[i]!),
  }
}

/** AVISTREAMHEADER.dwStart: when the stream begins, in seconds. */
export function streamStart({ strh, rate, scale }: AviStream): number {
  const start = new DataView(strh.buffer, strh.byteOffset, strh.length).getUint32(28, true)
  return (start * scale) / rate
}

export const isMp3 = (stream: AviStream) => waveFormat(stream).tag === 0x55

/** @throws UnsupportedFeature for sound that has no place in MP4, or no encoder */
export function uncompressed(stream: AviStream): AudioStream {
  const { tag, channels, hertz, blockAlign, bits } = waveFormat(stream)
  const decoder = decoderFor(tag, bits)
  if (!decoder) throw new UnsupportedFeature(`sound of type 0x${tag.toString(16)} stays in its AVI file`)
  if (channels < 1 || channels > 2 || !AAC_RATES.includes(hertz))
    throw new UnsupportedFeature(`${channels} channels of ${hertz} Hz stay in their AVI file`)
  if (blockAlign < 1 || blockAlign > 16384) throw new MalformedFile('avi', 0, `sound in blocks of ${blockAlign} bytes`)
  return { decoder, extradata: stream.strf.slice(18), hertz, channels, bitsPerSample: bits, blockAlign, tag }
}

/** Sound in blocks of one sample, mono or stereo; undefined for all other. */
export function pcm(stream: AviStream): AudioStream | undefined {
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

/** Samples of one channel in a block: ADPCM blocks begin with a header that holds one sample (IMA) or two (Microsoft). */
export function samplesPerBlock({ decoder, channels, blockAlign }: AudioStream): number {
  if (decoder === 'adpcm_ima_wav') return ((blockAlign - 4 * channels) * 2) / channels + 1
  return decoder === 'adpcm_ms' ? ((blockAlign - 7 * channels) * 2) / channels + 2 : 1
}

interface Mp3Sound {
  readonly first: FrameHeader
  readonly sizes: readonly number[]
  readonly bytes: Uint8Array
}

const MAX_MP3_BYTES = 32 * 1024 * 1024

/** How long the headers of a stream say that it lasts: by its blocks (dwSampleSize), or one unit for each chunk. */
function toldSeconds({ strh, rate, scale }: AviStream, runs: SoundRuns): number {
  const sampleSize = new DataView(strh.buffer, strh.byteOffset, strh.length).getUint32(44, true)
  const units = sampleSize ? sumOf(runs.size) / sampleSize : runs.count
  return (units * scale) / rate
}

/**
 * All frames of an MP3 stream, chunk borders or not; what stands between them is dropped.
 * @throws UnsupportedFeature when headers and frames disagree about the time: then players do, too
 */
export async function mp3Frames(source: Source, stream: AviStream, runs: SoundRuns): Promise<Mp3Sound> {
  const total = sumOf(runs.size)
  if (total > MAX_MP3_BYTES) throw new UnsupportedFeature('more than 32 MB of sound')
  const all = new Uint8Array(total)
  let filled = 0
  for (let i = 0; i < runs.count; i++) {
    all.set(await source.read(runs.offset[i]!, runs.size[i]!), filled)
    filled += runs.size[i]!
  }
  const sizes: number[] = []
  let first: FrameHeader | undefined
  let kept = 0
  for (let at = 0; at + 4 <= all.length; ) {
    const header = frameHeader(all, at)
    const fits = header && at + header.bytes <= all.length && (!first || (header.hertz === first.hertz && header.version === first.version))
    if (!fits || !header) {
      at++
      continue
    }
    first ??= header
    all.copyWithin(kept, at, at + header.bytes)
    kept += header.bytes
    at += header.bytes
    sizes.push(header.bytes)
  }
  if (!first || kept < total * 0.9) throw new MalformedFile('avi', runs.offset[0] ?? 0, 'no MP3 frames in an MP3 stream')
  const [seconds, told] = [(sizes.length * first.samples) / first.hertz, toldSeconds(stream, runs)]
  if (Math.abs(seconds - told) > 0.3 + 0.03 * seconds)
    throw new UnsupportedFeature(`${seconds.toFixed(1)} s of MP3 sound in a stream of ${told.toFixed(1)} s`)
  return { first, sizes, bytes: all.subarray(0, kept) }
}

export const mp3Skeleton = ({ first, sizes }: Mp3Sound): SkeletonTrack => ({
  handler: 'soun',
  timescale: first.hertz,
  duration: sizes.length * first.samples,
  width: 0,
  height: 0,
})

/** `from` holds the frames in a row. */
export function mp3Track({ first, sizes, bytes }: Mp3Sound, from: Source, quickTime: boolean): NewTrack {
  const perPiece = Math.max(1, Math.round((CHUNK_SECONDS * first.hertz) / first.samples))
  const pieces: Piece[] = []
  let offset = 0
  for (let i = 0; i < sizes.length; i += perPiece) {
    const part = sizes.slice(i, i + perPiece)
    const size = part.reduce((sum, value) => sum + value, 0)
    pieces.push({ time: (i * first.samples) / first.hertz, size, samples: part.length, from, offset })
    offset += size
  }
  const seconds = (sizes.length * first.samples) / first.hertz
  return {
    description: mp3Entry(first.channels, first.hertz, first.samples, first.version, Math.round((bytes.length * 8) / seconds), quickTime),
    timescale: first.hertz,
    sizes: Uint32Array.from(sizes),
    durations: new Float64Array(sizes.length).fill(first.samples),
    compositions: undefined,
    sync: undefined,
    edits: undefined,
    pieces,
  }
}

/** MPEGLAYER3WAVEFORMAT (mmreg.h): one frame a chunk, counted by its samples, as FFmpeg writes MP3 into AVI. */
export function mp3Headers(strh: Uint8Array, hertz: number, channels: number, bitsPerSecond: number, frames: number, startSeconds: number) {
  const perFrame = frameSamples(hertz)
  const header = new DataView(strh.buffer, strh.byteOffset, strh.length)
  header.setUint32(4, 0, true) // fccHandler
  header.setUint32(20, perFrame, true) // dwScale
  header.setUint32(24, hertz, true) // dwRate
  header.setUint32(28, Math.round((startSeconds * hertz) / perFrame), true) // dwStart
  header.setUint32(32, frames, true) // dwLength
  header.setUint32(44, 0, true) // dwSampleSize: chunks differ
  const strf = new Uint8Array(30)
  const format = new DataView(strf.buffer)
  format.setUint16(0, 0x55, true)
  format.setUint16(2, channels, true)
  format.setUint32(4, hertz, true)
  format.setUint32(8, Math.round(bitsPerSecond / 8), true)
  format.setUint16(12, perFrame, true) // nBlockAlign
  format.setUint16(16, 12, true) // cbSize
  format.setUint16(18, 1, true) // wID
  format.setUint32(20, 2, true) // fdwFlags: never padded
  format.setUint16(24, perFrame, true) // nBlockSize
  format.setUint16(26, 1, true) // nFramesPerBlock
  return { strh, strf }
}
