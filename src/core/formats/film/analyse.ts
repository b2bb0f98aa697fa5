/** Decides for each track of a movie whether to encode it. Uses the movie's index and one decoded picture. */

import type { AudioStream } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { indexOfBytes } from '../../bytes/search.ts'
import { MIN_SOUND_BITRATE_RATIO } from '../../catalog/levels.ts'
import { AAC_RATES } from '../../containers/isobmff/aac-rates.ts'
import { type Box, findBox } from '../../containers/isobmff/box.ts'
import { type Movie, readMovie } from '../../containers/isobmff/movie.ts'
import type { Track } from '../../containers/isobmff/track.ts'
import { mustStayFragmented, trackBytes } from '../../containers/isobmff/write.ts'
import { type Message, message } from '../../i18n/message.ts'
import type { Options, Reason, Source } from '../../model/codec.ts'
import { CREDENTIALS_HEAD_BYTES, isCredentialsBox, signedByCredentials } from '../../model/content-credentials.ts'
import { CodecError, isCodecError, unsupported } from '../../model/error.ts'
import type { PartPlan, SegmentPlan } from '../../model/segmented.ts'
import { checkCaptions } from './captions.ts'
import { gaplessPacketSamples } from './compare-sound.ts'
import { type Cut, cutByTime, reorderDepth } from './cut.ts'
import { isEncrypted, packetStream, pcmStream, videoStream } from './decoders.ts'
import { type Level, levelOf } from './levels.ts'
import { type NativeStream, nativeStream } from './native/stream.ts'
import type { PictureTrack } from './picture-track.ts'
import { checkFirstPicture } from './pictures.ts'
import {
  LEAN_BITS_FACTORS,
  LEAN_BITS_PER_PIXEL,
  LEAST_SOUND_GAIN,
  MAX_SOUND_SECONDS,
  PART_CPU_SECONDS,
  WHOLE_BYTES,
  WHOLE_CPU_SECONDS,
} from './tuning.ts'

export interface VideoJob {
  readonly track: Track
  readonly pictures: PictureTrack
  readonly cuts: readonly Cut[]
  /** Set if the machine's FFmpeg encodes the pictures. `undefined`: the WebAssembly engine does. */
  readonly native?: NativeStream
}

export interface SoundJob {
  readonly track: Track
  readonly stream: AudioStream
  readonly bitsPerSecond: number
}

export interface Analysis {
  readonly movie: Movie
  readonly level: Level
  readonly video: VideoJob | undefined
  readonly sounds: readonly SoundJob[]
  /** Why the pictures are copied. `undefined`: they are encoded. */
  readonly copyReason: { readonly reason: Reason; readonly detail: Message } | undefined
  /** CPU seconds that the encoding is expected to take. */
  readonly cpuSeconds: number
}

/** CPU seconds to encode a frame of `pixels` pixels, set by experiment on the project's fixtures. */
export function secondsPerFrame(pixels: number): number {
  if (pixels <= 1024 * 576) return pixels * 1.5e-7
  return pixels <= 1280 * 736 ? pixels * 7e-8 : pixels * 6e-8
}

/** Returns a plan with one message for the whole film, or with one message per part. Without parts, one message copies the film. */
export function jobPlanOf(source: Source, cpuSeconds: number, parts: PartPlan[]): SegmentPlan {
  const small = cpuSeconds <= WHOLE_CPU_SECONDS && source.size <= WHOLE_BYTES
  return small || parts.length === 0 ? { kind: 'whole' } : { kind: 'parts', parts }
}

/**
 * Reads the index of a movie and decides what to do with each track. @param probed true: skip the test decode, because the planner already
 * did it
 */
export async function analyse(source: Source, options: Options, probed = false): Promise<Analysis> {
  const movie = await readMovie(source)
  for (const { descriptions } of movie.tracks) {
    if (descriptions.some(isEncrypted)) throw new CodecError('encrypted')
  }
  await refuseSigned(source, movie)
  await refuseItems(source, movie)
  // A movie without samples but with `mvex` is an initialisation segment: its fragments are in other files.
  if (!movie.fragmented && findBox(movie.moov, movie.moovBox, 'mvex') && movie.tracks.every(({ sampleCount }) => sampleCount === 0))
    throw unsupported('index_without_media')
  const inFragments = mustStayFragmented(movie)
  if (inFragments && (options.output === 'mov' || movie.brand === 'qt  ')) throw unsupported('fragments_with_negative_offsets')
  if (movie.fragmented && movie.tracks.some(({ descriptions }) => descriptions.length > 1))
    throw unsupported('fragments_with_several_descriptions')
  // Some players of fragmented files ignore edit lists and show the pictures that the list skips.
  if (movie.fragmented && movie.tracks.some(skipsPictures)) throw unsupported('fragments_with_edits')
  const level = levelOf(options.quality)
  const base = { movie, level, sounds: [] as SoundJob[], video: undefined, copyReason: undefined, cpuSeconds: 0 }
  if (options.lossless) return base
  // New sound needs an edit list for the encoder delay. Some players of fragmented files ignore edit lists.
  const sounds = inFragments ? [] : movie.tracks.flatMap((track) => soundJob(movie, track, level, source.size, options) ?? [])
  const candidate = movie.tracks.find(({ handler, sampleCount }) => handler === 'vide' && sampleCount > 0)
  const pictureDecision = candidate ? await analysePictures(source, movie, candidate, probed, options) : undefined
  const video = pictureDecision && 'cuts' in pictureDecision ? pictureDecision : undefined
  const kept = pictureDecision && !('cuts' in pictureDecision) ? pictureDecision : undefined
  const pixels = video ? video.pictures.stream.width * video.pictures.stream.height : 0
  const cpuSeconds = video ? video.pictures.samples.count * secondsPerFrame(pixels) : 0
  return { ...base, sounds, video, copyReason: kept, cpuSeconds }
}

/** @throws CodecError (signed) if a top-level box holds Content Credentials */
async function refuseSigned(source: Source, { top }: Movie): Promise<void> {
  for (const { type, offset } of top) {
    if (type === 'uuid' && isCredentialsBox(await source.read(offset, CREDENTIALS_HEAD_BYTES))) throw signedByCredentials()
  }
}

const MOST_META_BYTES = 1024 * 1024

/** @throws CodecError (unsupported_feature) for items (ISO/IEC 14496-12, 8.11.3): `iloc` stores file offsets, and encoding moves the data */
async function refuseItems(source: Source, { top, moov, moovBox }: Movie): Promise<void> {
  const iloc = new TextEncoder().encode('iloc')
  const inner = findBox(moov, moovBox, 'meta')
  const metas = inner ? [moov.subarray(inner.body, inner.end)] : []
  for (const { type, offset, size } of top) {
    if (type === 'meta') metas.push((await source.read(offset, Math.min(size, MOST_META_BYTES))).slice())
  }
  if (metas.some((meta) => indexOfBytes(meta, iloc) >= 0)) throw unsupported('items_found_by_place')
}

function skipsPictures({ handler, edits, samples }: Track): boolean {
  const skip = edits?.find(({ mediaTime }) => mediaTime >= 0)?.mediaTime ?? 0
  if (handler !== 'vide' || skip === 0) return false
  const { count, dts, composition } = samples()
  for (let i = 0; i < count; i++) if (dts[i]! + composition[i]! < skip) return true
  return false
}

function soundJob(movie: Movie, track: Track, level: Level, fileBytes: number, { output, quality }: Options): SoundJob | undefined {
  const [entry] = track.descriptions
  if (track.handler !== 'soun' || track.descriptions.length !== 1 || !entry || track.chunks.count === 0) return undefined
  const uncompressed = pcmStream(movie.moov, entry)
  const stream = uncompressed ?? packetStream(movie.moov, entry)
  if (!stream || stream.channels < 1 || stream.channels > 2 || !AAC_RATES.includes(stream.hertz)) return undefined
  // Files of sound alone stay exact at `high`, as MP3 does, and lossless sound stays lossless at every level.
  if (output === 'm4a' && (quality === 'high' || stream.decoder !== 'aac')) return undefined
  const bitsPerSecond = Math.min(level.aacPerChannel, stream.hertz * 3) * stream.channels
  const bytes = trackBytes(track)
  if (uncompressed) return bytes / (stream.hertz * stream.blockAlign) > MAX_SOUND_SECONDS ? undefined : { track, stream, bitsPerSecond }
  const seconds = track.duration / track.timescale
  if (!(seconds > 0) || seconds > MAX_SOUND_SECONDS || (bytes * 8) / seconds < MIN_SOUND_BITRATE_RATIO * bitsPerSecond) return undefined
  if (bytes - (seconds * bitsPerSecond) / 8 < LEAST_SOUND_GAIN * fileBytes) return undefined
  // Old packets must follow each other without gaps, because the new packets do.
  if (!gaplessPacketSamples(track.samples(), track.timescale, stream.hertz)) return undefined
  // `iTunSMPB` stores the delay of iTunes' own encoder. It would be wrong for the new sound.
  if (indexOfBytes(movie.moov, new TextEncoder().encode('iTunSMPB')) >= 0) return undefined
  return { track, stream, bitsPerSecond }
}

async function analysePictures(
  source: Source,
  movie: Movie,
  track: Track,
  probed: boolean,
  options: Options,
): Promise<VideoJob | { reason: Reason; detail: Message }> {
  const [entry] = track.descriptions
  if (track.descriptions.length !== 1 || !entry)
    return { reason: 'unsupported_feature', detail: message('several_kinds_of_pictures_in_one_track') }
  const native = nativeOf(movie, entry, options)
  if (native && 'reason' in native) return native
  const stream = native?.stream ?? videoStream(movie.moov, entry)
  if (!stream) return { reason: 'unsupported_feature', detail: message('pictures_of_type_kept', { type: entry.type }) }
  const samples = track.samples()
  const seconds = track.duration / track.timescale
  if (!(seconds > 0)) return { reason: 'unsupported_feature', detail: message('film_without_duration') }
  const pixels = stream.width * stream.height
  const bits = (trackBytes(track) * 8) / (pixels * samples.count)
  const lean = LEAN_BITS_PER_PIXEL[options.quality] * (LEAN_BITS_FACTORS[stream.decoder] ?? 1)
  if (bits < lean) return { reason: 'no_gain', detail: message('bits_a_pixel_lean_already', { bits: bits.toFixed(3) }) }
  const rate = { num: Math.max(1, Math.round((samples.count / seconds) * 1000)), den: 1000 }
  const pictures: PictureTrack = {
    stream: { ...stream, reorder: reorderDepth(samples) },
    timescale: track.timescale,
    samples,
    rate,
    start: 0,
    isCounted: false,
    annexb: false,
  }
  try {
    if (!probed) await checkCaptions(source, pictures)
    if (!probed && !native) await checkFirstPicture(source, pictures, options)
    const cuts = cutFor(pictures)
    return { track, pictures: { ...pictures, start: cuts[0]?.start ?? 0 }, cuts, ...(native && { native }) }
  } catch (error) {
    if (isCodecError(error, 'unsupported_feature', 'over_budget') && error.detail) return { reason: error.reason, detail: error.detail }
    throw error
  }
}

function nativeOf(movie: Movie, entry: Box, options: Options) {
  if (!options.native) return undefined
  try {
    return nativeStream(movie.moov, entry, options)
  } catch (error) {
    if (isCodecError(error, 'over_budget') && error.detail) return { reason: error.reason, detail: error.detail }
    throw error
  }
}

/** Seconds of film per part, 3 to 30: about `PART_CPU_SECONDS` of CPU time. */
export const partSeconds = (pixels: number, framesPerSecond: number) =>
  Math.min(30, Math.max(3, PART_CPU_SECONDS / (secondsPerFrame(pixels) * framesPerSecond)))

/** Returns one part if one message can encode the film, otherwise parts of about 40 CPU seconds each. */
export function cutFor(pictures: PictureTrack): Cut[] {
  const { samples, stream, timescale, rate } = pictures
  const pixels = stream.width * stream.height
  const total = samples.count * secondsPerFrame(pixels)
  const seconds = total <= WHOLE_CPU_SECONDS ? Number.MAX_SAFE_INTEGER : partSeconds(pixels, rate.num / rate.den)
  return cutByTime(samples, timescale, seconds)
}
