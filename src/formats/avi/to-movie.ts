/** AVI as MP4 or QuickTime: pictures to H.264, MP3 sound as it is, uncompressed sound to AAC, notes kept. */
import { NoGain, type Options, type Outcome, OverBudget, type Sink, type Source, UnsupportedFeature } from '../../codec/codec.ts'
import { memorySink } from '../../codec/sink.ts'
import { memorySource } from '../../codec/source.ts'
import { MAX_JOB_CPU_SECONDS, secondsPerFrame } from '../../containers/film/analyse.ts'
import { cutByTime } from '../../containers/film/cut.ts'
import { newSound, newVideo } from '../../containers/film/film.ts'
import { levelOf } from '../../containers/film/levels.ts'
import { type PartFile, type PicturesHead, readPart, type SoundHead, writePart } from '../../containers/film/part-file.ts'
import { encodePart, type PictureTrack, probe } from '../../containers/film/pictures.ts'
import { type SkeletonTrack, skeleton } from '../../containers/film/skeleton.ts'
import { encodeSound } from '../../containers/film/sound.ts'
import type { Movie, Track } from '../../containers/isobmff/movie.ts'
import { layOut, type NewTrack, writeMovie } from '../../containers/isobmff/write.ts'
import type { Avi, AviStream } from '../../containers/riff/avi.ts'
import { fourCC } from '../../containers/riff/riff.ts'
import { pictureTrack } from './picture-track.ts'
import { isMp3, mp3Frames, mp3Skeleton, mp3Track, runsOf, uncompressed } from './sounds.ts'

/** A track that has been made, and how it is hung into the index. */
interface Made {
  readonly frame: SkeletonTrack
  readonly step: string
  readonly snrDb?: number
  track(movie: Movie, hook: Track): NewTrack
}

export async function toMovie(source: Source, file: Avi, sink: Sink, options: Options): Promise<Outcome> {
  if (options.lossless) throw new UnsupportedFeature('another container is not an exact result')
  const quickTime = options.output === 'mov'
  const streams = file.streams.filter(({ kind }) => kind === 'vids' || kind === 'auds')
  if (streams.length !== file.streams.length)
    throw new UnsupportedFeature('streams that are neither pictures nor sound stay in their AVI file')
  const pictures = await makePictures(source, file, options)
  const sounds = streams.filter(({ kind }) => kind === 'auds')
  if (sounds.length + 1 < streams.length) throw new UnsupportedFeature('several streams of pictures stay in their AVI file')
  const made: Made[] = [pictures]
  for (const stream of sounds) made.push(await makeSound(source, file, stream, quickTime, options))
  const starts = [file.streams[pictures.index]!, ...sounds].map(streamStart)
  starts[0]! += pictures.waits
  const movie = await skeleton(
    made.map(({ frame }) => frame),
    quickTime,
    await notesOf(source, file),
  )
  const fresh = new Map(made.map(({ track }, i) => [i, delayed(track(movie, movie.tracks[i]!), starts[i]!, movie)]))
  const plan = layOut(source, movie, fresh, movie.ftyp)
  if (plan.total >= source.size) throw new NoGain()
  await writeMovie(source, plan, sink, options)
  const { worstSsim, worstPsnrDb } = pictures.head.quality
  const noises = made.flatMap(({ snrDb }) => snrDb ?? [])
  const snr = noises.length ? { snrDb: Math.min(...noises) } : {}
  return { kind: 'compressed', fidelity: 'perceptual', ssim: worstSsim, psnrDb: worstPsnrDb, ...snr, steps: made.map(({ step }) => step) }
}

async function makePictures(
  source: Source,
  file: Avi,
  options: Options,
): Promise<Made & { head: PicturesHead; index: number; waits: number }> {
  const found = pictureTrack(file)
  if ('kept' in found) throw new UnsupportedFeature(found.kept)
  // Here frames have times, so they may be reordered.
  const counted: PictureTrack = { ...found.track, annexb: false }
  const { samples, stream, rate } = counted
  const [cut] = cutByTime(samples, counted.timescale, Number.MAX_SAFE_INTEGER)
  if (!cut || cut.frames !== samples.count) throw new OverBudget('pictures that do not fit into one job')
  if (samples.count * secondsPerFrame(stream.width * stream.height) > MAX_JOB_CPU_SECONDS)
    throw new OverBudget('a film of more CPU time than a job has')
  await probe(source, counted)
  const part = await encodePart(source, counted, cut, levelOf(options.quality), options)
  const head: PicturesHead = { kind: 'pictures', headers: [...part.headers], count: cut.frames, quality: part.quality, crf: part.crf }
  const into = memorySink(Number.POSITIVE_INFINITY, 'part')
  await writePart(head, part.pts, part.sizes, part.keys, part.packets, into)
  const read = (await readPart(await into.finish())) as PartFile<PicturesHead>
  // The nth frame that is shown has the place of the nth chunk that is not empty.
  const places = shownAt(file, found.index)
  const times = (counts: Float64Array) => counts.map((count) => places[count]! * rate.den)
  const timed: PartFile<PicturesHead> = { ...read, pts: times(read.pts) }
  const dts = Float64Array.from({ length: samples.count + 1 }, (_, i) => (places[i] ?? places.at(-1)! + 1) * rate.den)
  const pictures: PictureTrack = { ...counted, timescale: rate.num, samples: { ...samples, dts } }
  return {
    head,
    index: found.index,
    waits: (part.delay * rate.den) / rate.num,
    step: `pictures: ${stream.decoder} → H.264 crf ${part.crf}`,
    frame: { handler: 'vide', timescale: rate.num, duration: dts.at(-1)!, width: stream.width, height: stream.height },
    track: (movie, track) => newVideo(movie, { track, pictures }, [timed]),
  }
}

/** For each chunk of the stream that is not empty, how many frames were due before it. */
function shownAt(file: Avi, stream: number): number[] {
  return file.chunks.filter((chunk) => chunk.stream === stream).flatMap(({ size }, place) => (size > 0 ? place : []))
}

async function makeSound(source: Source, file: Avi, stream: AviStream, quickTime: boolean, options: Options): Promise<Made> {
  const runs = runsOf(file, stream)
  if (runs.count === 0) throw new UnsupportedFeature('a stream of sound without sound')
  if (isMp3(stream)) {
    const frames = await mp3Frames(source, stream, runs)
    const from = memorySource(frames.bytes, 'sound')
    return { frame: mp3Skeleton(frames), step: 'sound: MP3 frames copied', track: () => mp3Track(frames, from, quickTime) }
  }
  const audio = uncompressed(stream)
  const bitsPerSecond = Math.min(levelOf(options.quality).aacPerChannel, audio.hertz * 3) * audio.channels
  const { head, packets } = await encodeSound(source, audio, runs, bitsPerSecond, options)
  const into = memorySink(Number.POSITIVE_INFINITY, 'part')
  const sizes = Uint32Array.from(packets, (packet) => packet.length)
  await writePart(head, new Float64Array(head.count), sizes, new Uint8Array(head.count), packets, into)
  const read = (await readPart(await into.finish())) as PartFile<SoundHead>
  return {
    frame: { handler: 'soun', timescale: audio.hertz, duration: head.samples, width: 0, height: 0 },
    step: `sound: ${audio.decoder} → AAC ${Math.round(bitsPerSecond / 1000)} kbit/s`,
    snrDb: head.snrDb,
    track: (movie, track) => newSound(movie, { track, bitsPerSecond }, read, quickTime),
  }
}

/** AVISTREAMHEADER.dwStart: when the stream begins, in seconds. */
function streamStart({ strh, rate, scale }: AviStream): number {
  const start = new DataView(strh.buffer, strh.byteOffset, strh.length).getUint32(28, true)
  return (start * scale) / rate
}

/** A track that begins later gets an empty edit in front. */
function delayed(track: NewTrack, seconds: number, { timescale }: Movie): NewTrack {
  const empty = Math.round(seconds * timescale)
  if (!(empty > 0)) return track
  const media = track.durations.reduce((sum, value) => sum + value, 0)
  const edits = track.edits ?? [{ duration: Math.round((media * timescale) / track.timescale), mediaTime: 0, rate: 0x10000 }]
  return { ...track, edits: [{ duration: empty, mediaTime: -1, rate: 0x10000 }, ...edits] }
}

/** What `LIST INFO` (Multimedia Programming Interface 1.0, chapter 2) calls things, and iTunes does. */
const NOTES: { readonly [id: string]: string } = {
  INAM: '©nam',
  IART: '©ART',
  ICMT: '©cmt',
  ICRD: '©day',
  IGNR: '©gen',
  ICOP: 'cprt',
  ISFT: '©too',
  IPRD: '©alb',
}
const MAX_NOTES_BYTES = 64 * 1024

async function notesOf(source: Source, file: Avi): Promise<[string, string][]> {
  const inFront = file.headers.filter(({ id }) => id === 'LIST').map(({ body }) => body)
  const behind: Uint8Array[] = []
  for (const { id, offset, size } of file.others) {
    if (id === 'LIST' && size <= MAX_NOTES_BYTES) behind.push((await source.read(offset + 8, size - 8)).slice())
  }
  const notes = new Map<string, string>()
  for (const list of [...inFront, ...behind]) {
    if (fourCC(list, 0) !== 'INFO') continue
    const view = new DataView(list.buffer, list.byteOffset, list.length)
    for (let at = 4; at + 8 <= list.length; ) {
      const size = view.getUint32(at + 4, true)
      const type = NOTES[fourCC(list, at)]
      const [value] = new TextDecoder().decode(list.subarray(at + 8, Math.min(list.length, at + 8 + size))).split('\0')
      if (type && value) notes.set(type, value)
      at += 8 + size + (size & 1)
    }
  }
  return [...notes]
}
