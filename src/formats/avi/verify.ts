import { CodecTrouble, Ffmpeg } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { MalformedFile, type Options, type Outcome, type Source, type Verdict } from '../../codec/codec.ts'
import { reorderDepth } from '../../containers/film/cut.ts'
import { videoStream } from '../../containers/film/decoders.ts'
import { type Movie, readMovie } from '../../containers/isobmff/movie.ts'
import { type Avi, type AviChunk, readAvi } from '../../containers/riff/avi.ts'
import { pictureTrack } from './picture-track.ts'
import { isMp3, mp3Frames, runsOf } from './sounds.ts'

/** Frames that are decoded on both sides and compared. */
const DECODED = 150
/** Mean over the compared frames; single frames are measured by the encoder. */
const MIN_PSNR_DB = 29

/** Streams, chunk counts and copied bytes; new pictures are decoded and compared with the old ones. */
export async function verifyAvi(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  try {
    const difference = await compare(original, result, outcome, options)
    return difference ? { equal: false, difference } : { equal: true }
  } catch (error) {
    if (error instanceof MalformedFile || error instanceof CodecTrouble) return { equal: false, difference: error.message }
    throw error
  }
}

async function compare(original: Source, result: Source, outcome: Outcome, options: Options): Promise<string | undefined> {
  const before = await readAvi(original)
  const after = await readAvi(result)
  if (before.streams.length !== after.streams.length) return 'streams'
  if (before.chunks.length !== after.chunks.length) return `${before.chunks.length} chunks became ${after.chunks.length}`
  const lossy = outcome.kind === 'compressed' && outcome.fidelity === 'perceptual'
  const fresh = lossy ? before.streams.find(({ kind }) => kind === 'vids')?.index : undefined
  for (const [i, a] of before.chunks.entries()) {
    const b = after.chunks[i]!
    if ((i & 255) === 0) options.signal.throwIfAborted()
    if (a.stream !== b.stream) return `chunk ${i} belongs to another stream`
    if (a.stream === fresh) {
      if ((a.size === 0) !== (b.size === 0)) return `chunk ${i} lost its picture`
    } else if (!(await sameChunk(original, result, a, b))) return `chunk ${i} changed`
  }
  return fresh === undefined ? undefined : comparePictures(original, result, before, after)
}

const same = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, i) => byte === b[i])

async function sameChunk(original: Source, result: Source, a: AviChunk, b: AviChunk): Promise<boolean> {
  return a.size === b.size && same(await original.read(a.offset, a.size), await result.read(b.offset, b.size))
}

/** The same file as a movie: every frame at its place, pictures alike, MP3 frames equal. */
export async function verifyMovie(original: Source, result: Source, options: Options): Promise<Verdict> {
  try {
    const before = await readAvi(original)
    const after = await readMovie(result)
    const difference = await compareMovie(original, result, before, after, options)
    return difference ? { equal: false, difference } : { equal: true }
  } catch (error) {
    if (error instanceof MalformedFile || error instanceof CodecTrouble) return { equal: false, difference: error.message }
    throw error
  }
}

async function compareMovie(original: Source, result: Source, before: Avi, after: Movie, options: Options): Promise<string | undefined> {
  const found = pictureTrack(before)
  if ('kept' in found) return found.kept
  const sounds = before.streams.filter(({ kind }) => kind === 'auds')
  if (after.tracks.length !== sounds.length + 1) return `${after.tracks.length} tracks`
  const [video] = after.tracks
  const { samples, rate } = found.track
  if (video!.sampleCount !== samples.count) return `${samples.count} pictures became ${video!.sampleCount}`
  const seconds = (video!.samples().dts[samples.count]! / video!.timescale) * (rate.num / rate.den)
  if (seconds < samples.count - 0.5) return `pictures for ${seconds} places`
  for (const [i, stream] of sounds.entries()) {
    options.signal.throwIfAborted()
    const track = after.tracks[i + 1]!
    if (track.handler !== 'soun') return 'a track of sound is missing'
    if (!isMp3(stream)) continue
    const { sizes, bytes } = await mp3Frames(original, stream, runsOf(before, stream))
    if (track.sampleCount !== sizes.length) return `${sizes.length} frames of sound became ${track.sampleCount}`
    let at = 0
    for (let k = 0; k < track.chunks.count; k++) {
      const copied = await result.read(track.chunks.offset[k]!, track.chunks.size[k]!)
      if (!same(copied, bytes.subarray(at, at + copied.length))) return 'the sound changed'
      at += copied.length
    }
  }
  return compareDecoded(decoded(original, before), decodedMovie(result, after))
}

async function* decodedMovie(source: Source, movie: Movie): AsyncGenerator<Uint8Array> {
  const track = movie.tracks[0]!
  const stream = videoStream(movie.moov, track.descriptions[0]!)
  if (!stream) throw new MalformedFile('mp4', 0, 'no decoder for the result')
  const samples = track.samples()
  const engine = new Ffmpeg()
  engine.openVideo({ ...stream, reorder: reorderDepth(samples) })
  for (let i = 0; i < samples.count; i++) {
    engine.sendVideo(await source.read(samples.offset[i]!, samples.size[i]!), i, samples.sync[i] !== 0)
    while (engine.nextPicture()) yield engine.luma()
  }
  engine.endVideo()
  while (engine.nextPicture()) yield engine.luma()
}

async function comparePictures(original: Source, result: Source, before: Avi, after: Avi): Promise<string | undefined> {
  return compareDecoded(decoded(original, before), decoded(result, after))
}

async function compareDecoded(left: AsyncGenerator<Uint8Array>, right: AsyncGenerator<Uint8Array>): Promise<string | undefined> {
  let sum = 0
  let count = 0
  for (; count < DECODED; count++) {
    const [x, y] = [await left.next(), await right.next()]
    if (x.done || y.done) {
      if (x.done !== y.done) return `the pictures end at ${count}`
      break
    }
    if (x.value.length !== y.value.length) return 'pictures of another size'
    let error = 0
    for (let i = 0; i < x.value.length; i++) error += (x.value[i]! - y.value[i]!) ** 2
    sum += error === 0 ? 100 : 10 * Math.log10((255 * 255 * x.value.length) / error)
  }
  return count > 0 && sum / count >= MIN_PSNR_DB ? undefined : `pictures of ${(sum / count).toFixed(1)} dB`
}

async function* decoded(source: Source, file: Avi): AsyncGenerator<Uint8Array> {
  const found = pictureTrack(file)
  if ('kept' in found) throw new MalformedFile('avi', 0, found.kept)
  const { stream, samples } = found.track
  const engine = new Ffmpeg()
  engine.openVideo(stream)
  for (let i = 0; i < samples.count; i++) {
    engine.sendVideo(await source.read(samples.offset[i]!, samples.size[i]!), i, samples.sync[i] !== 0)
    while (engine.nextPicture()) yield engine.luma()
  }
  engine.endVideo()
  while (engine.nextPicture()) yield engine.luma()
}
