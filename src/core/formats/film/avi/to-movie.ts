/** Joins the finished parts as MP4 or QuickTime: pictures as H.264, MP3 sound copied, other sound as AAC, metadata kept. */

import { sumOf } from '../../../bytes/compact-array.ts'
import { minOf } from '../../../bytes/min-max.ts'
import type { Movie } from '../../../containers/isobmff/movie.ts'
import type { Track } from '../../../containers/isobmff/track.ts'
import type { NewTrack } from '../../../containers/isobmff/track-interleaving.ts'
import { layOutMovie, writeMovie } from '../../../containers/isobmff/write.ts'
import type { Avi, AviStream } from '../../../containers/riff/avi.ts'
import { type Message, message } from '../../../i18n/message.ts'
import type { Options, Outcome, Sink, Source } from '../../../model/codec.ts'
import { noGain, unsupported } from '../../../model/error.ts'
import { lossOf } from '../../../model/loss.ts'
import type { FinishedPart } from '../../../model/segmented.ts'
import { copiedKinds } from '../copied.ts'
import { newSound, newVideo } from '../new-tracks.ts'
import type { PartFile, PicturesHead, SoundHead } from '../part-file.ts'
import { lossOfParts, snrOf } from '../part-loss.ts'
import type { PictureTrack } from '../picture-track.ts'
import { type EmptyTrack, emptyMovie } from '../sample-table.ts'
import type { AviJob, AviSound } from './job.ts'
import { mp3EmptyTrack, mp3Frames, mp3Track } from './mp3-frames.ts'
import { notesOf, pixelShapeOf, titleOf } from './notes.ts'
import { aacRate, describePictures, frameDelayOf, pictureFiles, soundFiles } from './parts.ts'
import { runsOf, streamStart } from './sounds.ts'

/** A finished track and its entry in the new movie's index. */
interface Made {
  readonly frame: EmptyTrack
  readonly step: Message
  readonly snrDb?: number
  track(movie: Movie, hook: Track): NewTrack
}

/** @throws CodecError (unsupported_feature) for sound that a movie cannot hold */
export async function joinMovie(
  source: Source,
  job: AviJob,
  parts: readonly FinishedPart[],
  sink: Sink,
  options: Options,
): Promise<Outcome> {
  const { file } = job
  const quickTime = options.output === 'mov'
  const films = await pictureFiles(job, parts)
  if (!films) throw unsupported('pictures_stay_in_their_avi_file')
  const made: Made[] = [makePictures(job, films)]
  const streams = file.streams.filter(({ kind }) => kind === 'auds')
  for (const stream of streams) {
    const sound = job.sounds.find((one) => one.stream.index === stream.index)
    made.push(sound ? await makeSound(job, sound, parts, quickTime) : await copyMp3(source, file, stream, quickTime))
  }
  const originals = [file.streams[job.pictures!.index]!, ...streams]
  const starts = originals.map(streamStart)
  const { rate } = job.pictures!.track
  starts[0]! += (frameDelayOf(films) * rate.den) / rate.num
  const movie = await emptyMovie(
    made.map(({ frame }, i) => ({
      ...frame,
      title: titleOf(originals[i]!),
      pixelShape: i === 0 ? pixelShapeOf(originals[i]!) : undefined,
    })),
    quickTime,
    await notesOf(source, file),
  )
  const fresh = new Map(made.map(({ track }, i) => [i, delayed(track(movie, movie.tracks[i]!), starts[i]!, movie)]))
  const plan = layOutMovie(source, movie, fresh, movie.ftyp)
  if (plan.total >= source.size) throw noGain()
  await writeMovie(source, plan, sink, options)
  const left = source.size > file.end ? [message('bytes_after_end_not_kept', { bytes: source.size - file.end })] : []
  const noises = made.flatMap(({ snrDb }) => snrDb ?? [])
  const sound = noises.length ? { snrDb: minOf(noises) } : undefined
  const copied = made.map(({ frame, snrDb }) => (frame.handler === 'soun' && snrDb === undefined ? 'sound' : undefined))
  return {
    kind: 'compressed',
    ...lossOf(lossOfParts(films, rate), sound),
    ...copiedKinds(copied),
    steps: [...made.map(({ step }) => step), ...left],
  }
}

/** Gives timestamps to numbered frames: the nth frame in display order gets the position of the nth non-empty chunk. */
function makePictures(job: AviJob, films: readonly PartFile<PicturesHead>[]): Made {
  const { track: counted, index } = job.pictures!
  const { samples, stream, rate } = counted
  const places = shownAt(job.file, index)
  const timed = films.map((film) => ({ ...film, pts: film.pts.map((count) => places[count]! * rate.den) }))
  const dts = Float64Array.from({ length: samples.count + 1 }, (_, i) => (places[i] ?? places.at(-1)! + 1) * rate.den)
  const pictures: PictureTrack = { ...counted, timescale: rate.num, samples: { ...samples, dts } }
  return {
    step: describePictures(job, films),
    frame: { handler: 'vide', timescale: rate.num, duration: dts.at(-1)!, width: stream.width, height: stream.height },
    track: (movie, track) => newVideo(movie, { track, pictures }, timed),
  }
}

/** For each non-empty chunk of the stream, the number of chunks before it. */
function shownAt({ chunks }: Avi, stream: number): number[] {
  const places: number[] = []
  chunks.indexesOfStream(stream).forEach((chunk, place) => {
    if (chunks.size[chunk]! > 0) places.push(place)
  })
  return places
}

async function copyMp3(source: Source, file: Avi, stream: AviStream, quickTime: boolean): Promise<Made> {
  const frames = await mp3Frames(source, stream, runsOf(file, stream))
  return { frame: mp3EmptyTrack(frames), step: message('sound_mp3_frames_copied'), track: () => mp3Track(frames, quickTime) }
}

async function makeSound(job: AviJob, sound: AviSound, parts: readonly FinishedPart[], quickTime: boolean): Promise<Made> {
  const [read] = await soundFiles<SoundHead>(sound, parts)
  if (!read) throw unsupported('stream_of_sound_without_sound')
  const bitsPerSecond = aacRate(job.level, sound)
  return {
    frame: { handler: 'soun', timescale: sound.audio.hertz, duration: read.head.samples, width: 0, height: 0 },
    step: message('sound_to_aac', { decoder: sound.audio.decoder, kilobits: Math.round(bitsPerSecond / 1000) }),
    snrDb: snrOf([read.head]),
    track: (movie, track) => newSound(movie, { track, bitsPerSecond }, read, quickTime),
  }
}

/** Adds an empty edit before a track that starts later than the movie. */
function delayed(track: NewTrack, seconds: number, { timescale }: Movie): NewTrack {
  const empty = Math.round(seconds * timescale)
  if (!(empty > 0)) return track
  const media = sumOf(track.durations)
  const edits = track.edits ?? [{ duration: Math.round((media * timescale) / track.timescale), mediaTime: 0, rate: 0x10000 }]
  return { ...track, edits: [{ duration: empty, mediaTime: -1, rate: 0x10000 }, ...edits] }
}
