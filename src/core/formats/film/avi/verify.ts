import { isEngineError } from '../../../../../wasm/engine-error.ts'
import { latin1Bytes } from '../../../bytes/latin1.ts'
import { indexOfBytes } from '../../../bytes/search.ts'
import { yieldToEventLoop } from '../../../bytes/yield.ts'
import { type Movie, readMovie } from '../../../containers/isobmff/movie.ts'
import type { Track } from '../../../containers/isobmff/track.ts'
import { frameHeader } from '../../../containers/mpeg-audio/frame.ts'
import { mp3LeadSamples, samplesPerFrame } from '../../../containers/mpeg-audio/frame-cutter.ts'
import { ReadWindow } from '../../../containers/packet-window.ts'
import { type Avi, type AviStream, countStreamHeaders, readAvi } from '../../../containers/riff/avi.ts'
import { isPadding } from '../../../containers/riff/inner-chunks.ts'
import { isOpenDml } from '../../../containers/riff/write-avi.ts'
import { englishText } from '../../../i18n/message.ts'
import type { Options, Outcome, Source, Verdict } from '../../../model/codec.ts'
import { isCodecError, malformed } from '../../../model/error.ts'
import { trailingDataDifference } from '../../../model/trailing-data.ts'
import { claimedPictureLoss, comparePictures, type IndexedPictures, isComparedInFull, WHOLE_FILM } from '../compare-pictures.ts'
import { comparedSoundShare, compareSound, type IndexedSound, indexBlocks, indexPackets, indexSoundTrack } from '../compare-sound.ts'
import { reorderDepth } from '../cut.ts'
import { videoStream } from '../decoders.ts'
import { secondsOf as secondsOfFrame } from '../picture-track.ts'
import { engineFor } from '../refuse.ts'
import { COMPARED_PIXELS } from '../tuning.ts'
import { type Mp3Sound, mp3Frames } from './mp3-frames.ts'
import { pictureTrack } from './picture-track.ts'
import { decodableAudio, isMp3, pcmAudio, runsOf, samplesPerBlock } from './sounds.ts'

/** Number of stretches of a long result that are decoded, and frames per stretch. */
const MAX_STRETCHES = 300
const STRETCH = 5
/** Bytes of copied chunks that are compared at a time. */
const COMPARED_BYTES = 256 * 1024

/** Verifies an AVI result: streams, chunk counts and copied bytes. New pictures are decoded and compared with the old ones. */
export async function verifyAvi(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  try {
    const old: Side = { source: original, file: await readAvi(original) }
    const made: Side = { source: result, file: await readAvi(result) }
    const { difference, share } = await compare(old, made, outcome, options)
    return difference ? { equal: false, difference } : { equal: true, share }
  } catch (error) {
    if (isCodecError(error, 'malformed') || isEngineError(error, 'ffmpeg')) return { equal: false, difference: error.message }
    throw error
  }
}

/** The uploaded or the resulting AVI file. */
interface Side {
  readonly source: Source
  readonly file: Avi
}

/** The first difference (`undefined`: none), and the share of the file that was compared, 0 to 1. */
interface Found {
  readonly difference?: string | undefined
  readonly share: number
}

const unlike = (difference: string): Found => ({ difference, share: 0 })

/** Seconds of an uncompressed sound stream. 0 for other streams, which are copied and compared in full. */
function secondsOf({ chunks }: Avi, stream: AviStream): number {
  const audio = pcmAudio(stream)
  if (!audio) return 0
  return chunks.indexesOfStream(stream.index).reduce((sum, chunk) => sum + chunks.size[chunk]! / audio.blockAlign, 0) / audio.hertz
}

async function compare(old: Side, made: Side, outcome: Outcome, options: Options): Promise<Found> {
  const [before, after] = [old.file, made.file]
  if (before.streams.length !== after.streams.length) return unlike(`${before.streams.length} streams became ${after.streams.length}`)
  const tags =
    (await compareNamed(old.source, after)) ??
    compareHeaders(before, after) ??
    (await compareOthers(old, made)) ??
    (await trailingDataDifference(old.source, before.end, made.source, after.end))
  if (tags) return unlike(tags)
  const lossy = outcome.kind === 'compressed' && outcome.loss !== undefined
  // H.264 encoded as H.264 keeps its format header. Copied pictures have no loss in the receipt.
  const repainted = lossy && outcome.loss.pictures !== undefined
  const pictures = before.streams.find(({ kind }) => kind === 'vids')
  const fresh = before.streams.filter((stream, i) => (repainted && stream === pictures) || !same(stream.strf, after.streams[i]!.strf))
  if (fresh.length > 0 && !lossy) return unlike('a stream changed its format')
  for (const stream of before.streams) {
    const difference = fresh.includes(stream) ? compareNew(before, after, stream) : compareCounts(before, after, stream)
    if (difference) return unlike(`stream ${stream.index}: ${difference}`)
  }
  const copied = await compareCopied(old, made, new Set(fresh.map(({ index }) => index)), options)
  if (copied) return unlike(copied)
  let smallestShare = 1
  for (const stream of fresh.filter(({ kind }) => kind === 'auds')) {
    const difference = await compareMp3(old, made, stream.index, outcome, options)
    if (difference) return unlike(`stream ${stream.index}: ${difference}`)
    smallestShare = Math.min(smallestShare, comparedSoundShare(secondsOf(before, stream)))
  }
  if (!fresh.some(({ kind }) => kind === 'vids')) return { share: smallestShare }
  const shown = await compareShown(await indexAviPictures(old), await indexAviPictures(made), outcome, options)
  const difference = shown.difference ?? (shown.share < 1 ? await decodeStretches(made, options) : undefined)
  return { difference, share: Math.min(smallestShare, shown.share) }
}

/** Compares chunks other than media, for example tags: same bytes, and on the same side of the media. */
async function compareOthers(old: Side, made: Side): Promise<string | undefined> {
  const [before, after] = [old.file, made.file]
  if (before.others.length !== after.others.length) return `${before.others.length} other chunks became ${after.others.length}`
  for (const [i, a] of before.others.entries()) {
    const b = after.others[i]!
    if (a.id !== b.id || a.size !== b.size || a.isBeforeMedia !== b.isBeforeMedia)
      return `chunk '${a.id}' has another type, size or position`
    for (let done = 0; done < a.size; done += COMPARED_BYTES) {
      const length = Math.min(a.size - done, COMPARED_BYTES)
      const [x, y] = [await old.source.read(a.offset + done, length), await made.source.read(b.offset + done, length)]
      if (!same(x, y)) return `the bytes of chunk '${a.id}' changed`
    }
  }
  return undefined
}

const same = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, i) => byte === b[i])

const HEADER_BYTES = 1024 * 1024

/**
 * Compares the number of streams. Counts those of the upload directly in its first bytes, because `before` uses the parser that made the
 * result.
 */
async function compareNamed(original: Source, after: Avi): Promise<string | undefined> {
  const head = await original.read(0, HEADER_BYTES)
  const movi = indexOfBytes(head, latin1Bytes('movi'))
  if (movi < 0) return undefined
  const named = countStreamHeaders(head.subarray(0, movi))
  return named === after.streams.length ? undefined : `${named} streams became ${after.streams.length}`
}

/** Header chunks that are rewritten, or that describe where media is stored. */
const WRITTEN_ANEW = ['strh', 'strf', 'indx']

/** Compares names, codec data and all other header chunks that must stay equal. */
function compareHeaders(before: Avi, after: Avi): string | undefined {
  const kept = ({ headers, streams }: Avi) => [
    ...headers.filter(({ body }) => !isOpenDml(body)),
    ...streams.flatMap(({ parts }) => parts.filter((part) => !WRITTEN_ANEW.includes(part.id) && !isPadding(part))),
  ]
  const [left, right] = [kept(before), kept(after)]
  const lost = left.find((chunk, i) => right[i]?.id !== chunk.id || !same(chunk.body, right[i].body))
  return lost ? `header chunk '${lost.id}' changed` : undefined
}

function compareCounts(before: Avi, after: Avi, { index }: AviStream): string | undefined {
  const [old, made] = [before.chunks.indexesOfStream(index).length, after.chunks.indexesOfStream(index).length]
  return old === made ? undefined : `${old} chunks became ${made}`
}

/** Compares a new stream with the old one: pictures keep their positions, and sound keeps its duration within 0.2 s. */
function compareNew(before: Avi, after: Avi, stream: AviStream): string | undefined {
  const [old, made] = [before.chunks.indexesOfStream(stream.index), after.chunks.indexesOfStream(stream.index)]
  if (stream.kind === 'vids') {
    if (old.length !== made.length) return `${old.length} chunks became ${made.length}`
    const lost = old.findIndex((chunk, i) => (before.chunks.size[chunk] === 0) !== (after.chunks.size[made[i]!] === 0))
    return lost < 0 ? undefined : `chunk ${lost} lost its picture`
  }
  const audio = pcmAudio(stream)
  if (!audio) return 'the sound is not PCM'
  const { scale, rate } = after.streams[stream.index]!
  const samples = old.reduce((sum, chunk) => sum + before.chunks.size[chunk]! / audio.blockAlign, 0)
  const [seconds, wanted] = [(made.length * scale) / rate, samples / audio.hertz]
  return Math.abs(seconds - wanted) < 0.2 ? undefined : `${wanted.toFixed(3)} s of sound became ${seconds.toFixed(3)} s`
}

const claimedSnrOf = (outcome: Outcome) => (outcome.kind === 'compressed' ? (outcome.loss?.sound?.snrDb ?? 0) : 0)

/** Compares new MP3 sound, one frame per chunk, with the samples it was encoded from. */
async function compareMp3(old: Side, made: Side, index: number, outcome: Outcome, options: Options): Promise<string | undefined> {
  const [stream, fresh] = [old.file.streams[index]!, made.file.streams[index]!]
  const audio = pcmAudio(stream)!
  const { hertz, channels } = audio
  const samples = indexBlocks(old.source, audio, runsOf(old.file, stream))
  const mp3 = { decoder: 'mp3float', extradata: new Uint8Array(), hertz, channels, bitsPerSample: 16, blockAlign: 0, tag: 0 }
  const frames = indexPackets(made.source, mp3, runsOf(made.file, fresh), samplesPerFrame(hertz))
  const faded = { ...frames, unrestorable: 2 * samplesPerFrame(hertz) }
  return compareSound(samples, faded, -mp3LeadSamples(hertz), claimedSnrOf(outcome), options)
}

/** Compares the chunks of all copied streams in file order. Checks that each chunk of new sound is one MP3 frame. */
async function compareCopied(old: Side, result: Side, fresh: ReadonlySet<number>, options: Options): Promise<string | undefined> {
  const [before, after] = [old.file, result.file]
  using left = new ReadWindow(old.source)
  using right = new ReadWindow(result.source)
  const made = after.streams.map(({ index }) => after.chunks.indexesOfStream(index))
  const next = after.streams.map(() => 0)
  for (let i = 0; i < before.chunks.count; i++) {
    if ((i & 1023) === 0) {
      await yieldToEventLoop(options.signal)
    }
    const stream = before.chunks.stream[i]!
    if (fresh.has(stream)) continue
    const size = before.chunks.size[i]!
    const j = made[stream]![next[stream]!++]!
    if (size !== after.chunks.size[j]) return `chunk ${i} has another size`
    if (size === 0) continue
    if (!same(await left.read(before.chunks.offset[i]!, size), await right.read(after.chunks.offset[j]!, size))) return `chunk ${i} changed`
  }
  for (const stream of fresh) {
    if (after.streams[stream]!.kind !== 'auds') continue
    for (const chunk of made[stream]!) {
      const size = after.chunks.size[chunk]!
      if (frameHeader(await right.read(after.chunks.offset[chunk]!, size), 0)?.bytes !== size) return `chunk ${chunk} is not one MP3 frame`
    }
  }
  return undefined
}

/** Decodes a few pictures after some of the key frames. Every part of a film begins with a key frame. */
async function decodeStretches({ source, file }: Side, options: Options): Promise<string | undefined> {
  const found = await pictureTrack(source, file)
  if ('kept' in found) return englishText(found.kept)
  const { stream, samples } = found.track
  using engine = engineFor(stream)
  engine.openVideo(stream)
  using window = new ReadWindow(source)
  const keys: number[] = []
  for (let i = 0; i < samples.count; i++) if (samples.sync[i]) keys.push(i)
  const every = Math.max(1, Math.ceil(keys.length / MAX_STRETCHES))
  for (let k = 0; k < keys.length; k += every) {
    await yieldToEventLoop(options.signal)
    const [from, to] = [keys[k]!, Math.min(keys[k + 1] ?? samples.count, keys[k]! + STRETCH)]
    let pictures = 0
    for (let i = from; i < to; i++) {
      engine.sendVideo(await window.read(samples.offset[i]!, samples.size[i]!), i, i === from)
      for (let picture = engine.nextPicture(); picture; picture = engine.nextPicture(), pictures++)
        if (picture.damaged) return `frame ${i} is damaged`
    }
    engine.endVideo()
    for (let picture = engine.nextPicture(); picture; picture = engine.nextPicture()) pictures++
    if (pictures !== to - from) return `${to - from} frames decoded to ${pictures} pictures`
    engine.restartVideo()
  }
  return undefined
}

/** Verifies a movie made from an AVI file: each frame at its position, similar pictures, equal MP3 frames. */
export async function verifyMovie(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  try {
    const old: Side = { source: original, file: await readAvi(original) }
    using movie = await readMovie(result)
    const { difference, share } = await compareMovie(old, { source: result, movie }, outcome, options)
    return difference ? { equal: false, difference } : { equal: true, share }
  } catch (error) {
    if (isCodecError(error, 'malformed') || isEngineError(error, 'ffmpeg')) return { equal: false, difference: error.message }
    throw error
  }
}

interface MadeMovie {
  readonly source: Source
  readonly movie: Movie
}

async function compareMovie(old: Side, made: MadeMovie, outcome: Outcome, options: Options): Promise<Found> {
  const { source: original, file: before } = old
  const { movie: after } = made
  const found = await pictureTrack(original, before)
  if ('kept' in found) return unlike(englishText(found.kept))
  const sounds = before.streams.filter(({ kind }) => kind === 'auds')
  if (after.tracks.length !== sounds.length + 1)
    return unlike(`the result has ${after.tracks.length} tracks instead of ${sounds.length + 1}`)
  const [video] = after.tracks
  const { samples, rate } = found.track
  if (video!.sampleCount !== samples.count) return unlike(`${samples.count} pictures became ${video!.sampleCount}`)
  const seconds = (video!.samples().dts[samples.count]! / video!.timescale) * (rate.num / rate.den)
  if (seconds < samples.count - 0.5) return unlike(`the pictures last ${seconds} frame durations instead of ${samples.count}`)
  let smallestShare = 1
  for (const [i, stream] of sounds.entries()) {
    options.signal.throwIfAborted()
    const { difference, share } = await compareMovieSound(old, made, [stream, after.tracks[i + 1]!], outcome, options)
    if (difference) return unlike(difference)
    smallestShare = Math.min(smallestShare, share)
  }
  const shown = await compareShown(await indexAviPictures(old), indexMoviePictures(made), outcome, options)
  return { difference: shown.difference, share: Math.min(smallestShare, shown.share) }
}

/** Compares one sound track of the movie. Copied MP3 frames must be equal; other sound is compared by its samples. */
async function compareMovieSound(
  { source: original, file: before }: Side,
  { source: result, movie }: MadeMovie,
  [stream, track]: readonly [AviStream, Track],
  outcome: Outcome,
  options: Options,
): Promise<Found> {
  if (track.handler !== 'soun') return unlike('a track of sound is missing')
  if (isMp3(stream)) {
    const frames = await mp3Frames(original, stream, runsOf(before, stream))
    if (track.sampleCount !== frames.sizes.length) return unlike(`${frames.sizes.length} frames of sound became ${track.sampleCount}`)
    return (await sameFrames(frames, result, track)) ? { share: 1 } : unlike('the sound changed')
  }
  const fresh = indexSoundTrack(result, movie.moov, track)
  if (!fresh) return unlike('the sound of the result cannot be decoded')
  const was = laidStream(original, before, stream)
  const delay = track.edits?.find(({ mediaTime }) => mediaTime >= 0)?.mediaTime ?? 0
  const difference = await compareSound(was, fresh, delay, claimedSnrOf(outcome), options)
  return { difference, share: comparedSoundShare(was.samples / was.stream.hertz) }
}

/** True if the chunks of a track hold exactly these MP3 frames. */
async function sameFrames({ rows, chunks }: Mp3Sound, result: Source, { chunks: made }: Track): Promise<boolean> {
  using left = new ReadWindow(chunks)
  using right = new ReadWindow(result)
  let [row, within] = [0, 0]
  for (let k = 0; k < made.count; k++) {
    for (let done = 0; done < made.size[k]!; ) {
      const { offset, size } = rows[row] ?? { offset: 0, size: 0 }
      const length = Math.min(size - within, made.size[k]! - done, COMPARED_BYTES)
      if (length === 0) return false
      const [x, y] = [await left.read(offset + within, length), await right.read(made.offset[k]! + done, length)]
      if (!same(x, y)) return false
      done += length
      within += length
      if (within < size) continue
      row++
      within = 0
    }
  }
  return row === rows.length
}

function laidStream(source: Source, file: Avi, stream: AviStream): IndexedSound {
  const audio = decodableAudio(stream)
  return indexBlocks(source, audio, runsOf(file, stream), samplesPerBlock(audio))
}

/** Compares pictures from the beginning, because frames are numbered. Short films are compared in full. */
async function compareShown(old: IndexedPictures, made: IndexedPictures, outcome: Outcome, options: Options): Promise<Found> {
  const { count } = made.samples
  const pixels = 2 * made.stream.width * made.stream.height
  const to = isComparedInFull(count, made.stream) ? Number.POSITIVE_INFINITY : (COMPARED_PIXELS / pixels) * made.frameSeconds
  const { difference, frames } = await comparePictures([old, made], [{ ...WHOLE_FILM, to }], claimedPictureLoss(outcome), options)
  return { difference, share: frames / count }
}

export async function indexAviPictures({ source, file }: Side): Promise<IndexedPictures> {
  const found = await pictureTrack(source, file)
  if ('kept' in found) throw malformed('avi', 0, found.kept)
  const { track } = found
  const { stream, samples, rate } = track
  return { source, stream, samples, isCounted: true, secondsOf: (count) => secondsOfFrame(track, count), frameSeconds: rate.den / rate.num }
}

export function indexMoviePictures({ source, movie }: MadeMovie): IndexedPictures {
  const track = movie.tracks[0]!
  const stream = videoStream(movie.moov, track.descriptions[0]!)
  if (!stream) throw malformed('mp4', 0, 'no_decoder_for_result')
  const samples = track.samples()
  const start = samples.dts[0]! + samples.composition[0]!
  return {
    source,
    stream: { ...stream, reorder: reorderDepth(samples) },
    samples,
    isCounted: false,
    secondsOf: (time) => (time - start) / track.timescale,
    frameSeconds: track.duration / track.timescale / samples.count,
  }
}
