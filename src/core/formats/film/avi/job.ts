/** Decides for each stream of an AVI file whether to encode it. Uses the file's index and one decoded picture. */

import type { AudioStream } from '../../../../../wasm/ffmpeg/ffmpeg.ts'
import { sumOf } from '../../../bytes/compact-array.ts'
import { samplesPerFrame } from '../../../containers/mpeg-audio/frame-cutter.ts'
import type { Avi, AviStream } from '../../../containers/riff/avi.ts'
import { readAvi } from '../../../containers/riff/avi.ts'
import { type Message, message } from '../../../i18n/message.ts'
import type { Options, Reason, Source } from '../../../model/codec.ts'
import { RIFF_CREDENTIALS, signedByCredentials } from '../../../model/content-credentials.ts'
import { isCodecError, malformed, unsupported } from '../../../model/error.ts'
import type { PartPlan } from '../../../model/segmented.ts'
import { partSeconds, secondsPerFrame } from '../analyse.ts'
import { checkCaptions } from '../captions.ts'
import type { Cut } from '../cut.ts'
import { type Level, levelOf } from '../levels.ts'
import { MP3_RATES } from '../mp3-sound.ts'
import type { PictureTrack } from '../picture-track.ts'
import { checkFirstPicture } from '../pictures.ts'
import type { SoundRuns } from '../sound.ts'
import { LEAN_BITS_PER_PIXEL, SOUND_CPU_PER_SECOND, SOUND_PART_SECONDS, WHOLE_CPU_SECONDS } from '../tuning.ts'
import { cutCounted } from './cuts.ts'
import { pictureTrack } from './picture-track.ts'
import { decodableAudio, isMp3, pcmAudio, runsOf } from './sounds.ts'

export interface AviSound {
  readonly stream: AviStream
  readonly audio: AudioStream
  readonly runs: SoundRuns
  /** Target codec: MP3 if the result is AVI, AAC if it is a movie. */
  readonly coding: 'mp3' | 'aac'
  /** Samples per channel; only exact if a block holds one sample. */
  readonly samples: number
}

export interface AviJob {
  readonly file: Avi
  readonly level: Level
  /**
   * Pictures to encode. For AVI, chunks keep their order and contain parameter sets (`annexb`). For a movie, frames get timestamps.
   * `undefined`: copied.
   */
  readonly pictures: { readonly track: PictureTrack; readonly index: number } | undefined
  /** Why the pictures are copied. `undefined`: they are encoded. */
  readonly copyReason: { readonly detail: Message; readonly reason?: Reason } | undefined
  /** Sound streams that are encoded again. */
  readonly sounds: readonly AviSound[]
  readonly cpuSeconds: number
}

/** Reads an AVI file and decides what to do with it. @throws CodecError (unsupported_feature) if the requested movie cannot hold a stream */
export async function readJob(source: Source, options: Options): Promise<AviJob> {
  const file = await readAvi(source)
  if (file.others.some(({ id }) => id === RIFF_CREDENTIALS)) throw signedByCredentials()
  const level = levelOf(options.quality)
  const movie = options.output !== 'avi'
  if (movie) checkMovie(file, options)
  const base = { file, level, pictures: undefined, sounds: [], cpuSeconds: 0 }
  if (options.lossless) return { ...base, copyReason: { detail: message('only_exact_result_wanted') } }
  const sounds = file.streams.filter(({ kind }) => kind === 'auds').flatMap((stream) => soundOf(file, stream, movie) ?? [])
  const soundSeconds = sounds.reduce((sum, { samples, audio }) => sum + samples / audio.hertz, 0)
  const found = await pictureTrack(source, file)
  if ('kept' in found) {
    if (movie) throw unsupported(found.kept)
    return { ...base, sounds, copyReason: { detail: found.kept, reason: found.reason }, cpuSeconds: soundSeconds * SOUND_CPU_PER_SECOND }
  }
  const track: PictureTrack = movie ? { ...found.track, annexb: false } : found.track
  const { stream, samples } = track
  const pixels = stream.width * stream.height
  const bits = (sumOf(samples.size) * 8) / (pixels * samples.count)
  const lean = !movie && bits < LEAN_BITS_PER_PIXEL[options.quality]
  const cpuSeconds = (lean ? 0 : samples.count * secondsPerFrame(pixels)) + soundSeconds * SOUND_CPU_PER_SECOND
  if (lean) return { ...base, sounds, cpuSeconds, copyReason: { detail: message('bits_a_pixel_lean_already', { bits: bits.toFixed(3) }) } }
  return { ...base, sounds, cpuSeconds, pictures: { track, index: found.index }, copyReason: undefined }
}

function checkMovie({ streams }: Avi, options: Options): void {
  if (options.lossless) throw unsupported('another_container_not_exact_result')
  const known = streams.filter(({ kind }) => kind === 'vids' || kind === 'auds')
  if (known.length !== streams.length) throw unsupported('streams_neither_pictures_nor_sound_stay')
  if (streams.filter(({ kind }) => kind === 'vids').length > 1) throw unsupported('several_picture_streams_stay_in_avi')
}

/** Decides how to encode a sound stream. `undefined`: it is copied. A movie copies MP3 and encodes all other sound as AAC. */
function soundOf(file: Avi, stream: AviStream, movie: boolean): AviSound | undefined {
  const runs = runsOf(file, stream)
  if (movie && runs.count === 0) throw unsupported('stream_of_sound_without_sound')
  if (movie && isMp3(stream)) return undefined
  const audio = movie ? decodableAudio(stream) : pcmAudio(stream)
  if (!audio || runs.count === 0) return undefined
  let samples = 0
  for (const size of runs.size) samples += Math.floor(size / audio.blockAlign)
  if (movie) return { stream, audio, runs, coding: 'aac', samples }
  // Players count uncompressed sound by bytes. A chunk that ends inside a sample would be counted wrong.
  if (!MP3_RATES.includes(audio.hertz) || runs.size.some((size) => size % audio.blockAlign !== 0)) return undefined
  return { stream, audio, runs, coding: 'mp3', samples }
}

/** Decodes one picture. If that fails, an AVI result copies the pictures and reports the reason; for a movie the error is thrown. */
export async function probeJob(source: Source, job: AviJob, options: Options): Promise<AviJob> {
  if (!job.pictures) return job
  try {
    await checkCaptions(source, job.pictures.track)
    await checkFirstPicture(source, job.pictures.track, options)
    return job
  } catch (error) {
    if (options.output !== 'avi') throw error
    if (!isCodecError(error, 'unsupported_feature', 'over_budget', 'malformed') || !error.detail) throw error
    return { ...job, pictures: undefined, copyReason: { detail: error.detail, reason: error.reason }, cpuSeconds: 0 }
  }
}

/** Plans the parts of the pictures, then the parts of each sound stream. */
export async function partsOf(source: Source, job: AviJob, frames = framesOf(job)): Promise<PartPlan[]> {
  const cuts = job.pictures ? await cutCounted(source, job.pictures.track, frames) : []
  const count = job.pictures?.track.samples.count ?? 0
  const parts: Omit<PartPlan, 'index'>[] = cuts.map((cut) => ({
    label: `pictures from frame ${cut.start}`,
    weight: (0.95 * cut.frames) / count,
    facts: { kind: 'pictures', ...cut },
  }))
  const share = (cuts.length ? 0.05 : 1) / Math.max(1, job.sounds.length)
  for (const sound of job.sounds) {
    const ranges = rangesOf(sound)
    for (const { from, to } of ranges)
      parts.push({
        label: `sound of stream ${sound.stream.index}`,
        weight: share / ranges.length,
        facts: { kind: 'sound', stream: sound.stream.index, from, to },
      })
  }
  return parts.map((part, index) => ({ ...part, index }))
}

/** Frames per part. One part holds all frames if one message can encode them. */
function framesOf({ pictures, cpuSeconds }: AviJob): number {
  if (!pictures || cpuSeconds <= WHOLE_CPU_SECONDS) return Number.MAX_SAFE_INTEGER
  const { stream, rate } = pictures.track
  return Math.ceil((partSeconds(stream.width * stream.height, rate.num / rate.den) * rate.num) / rate.den)
}

/** Frame ranges of a sound stream, one per message. AAC is encoded in one message. */
function rangesOf({ coding, samples, audio }: AviSound): { from: number; to: number | null }[] {
  const perPart = Math.round((SOUND_PART_SECONDS * audio.hertz) / samplesPerFrame(audio.hertz))
  const total = Math.ceil(samples / samplesPerFrame(audio.hertz))
  if (coding === 'aac') return [{ from: 0, to: null }]
  const ranges: { from: number; to: number | null }[] = []
  for (let from = 0; from === 0 || total - from > perPart * 0.2; from += perPart) ranges.push({ from, to: from + perPart })
  ranges.at(-1)!.to = null
  return ranges
}

/**
 * Reads a part's cut from its plan, which came with the queue message. @throws CodecError (malformed) if a number is missing or out of
 * range
 */
export function cutFromPlan({ facts }: PartPlan, count: number): Cut {
  const number = (name: string) => {
    const value = facts[name]
    if (typeof value !== 'number' || !(value >= 0 && value <= count)) throw malformed('avi', 0, 'part_does_not_belong_to_this_film')
    return value
  }
  const names = ['from', 'to', 'first', 'start', 'end', 'frames'] as const
  const [from, to, first, start, end, frames] = names.map(number) as [number, number, number, number, number, number]
  return { from, to, first, start, end, frames }
}
