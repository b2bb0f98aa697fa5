/** What must hold of a finished film: structure, the bytes of copied tracks, and pictures that decode and look alike. */

import { isEngineError } from '../../../wasm/engine-error.ts'
import { Ffmpeg } from '../../../wasm/ffmpeg/ffmpeg.ts'
import { discard } from '../../../wasm/memories/discard.ts'
import { yieldToOthers } from '../../bytes/yield.ts'
import type { Options, Outcome, Source, Verdict } from '../../codec/codec.ts'
import { isCodecError } from '../../codec/error.ts'
import { find } from '../../containers/isobmff/box.ts'
import { type Movie, readMovie } from '../../containers/isobmff/movie.ts'
import { type Samples, usedSamples } from '../../containers/isobmff/tables.ts'
import type { Track } from '../../containers/isobmff/track.ts'
import { trackBytes } from '../../containers/isobmff/write.ts'
import { Window } from '../../containers/window.ts'
import { comparedShare, compareSound, laidTrack } from './compare-sound.ts'
import { reorderDepth } from './cut.ts'
import { videoStream } from './decoders.ts'

/** Pictures that are decoded on both sides and compared, spread over the film. */
const COMPARED = 12
/** Of copied tracks, at a time. */
const COMPARED_BYTES = 512 * 1024
/** Pixels of the result that are decoded to see that they can be: all of a short film, the beginning of every stretch of a long one. */
const DECODED_PIXELS = 2.5e9
const MAX_STRETCHES = 400

export async function verifyFilm(original: Source, result: Source, outcome: Outcome, options: Options): Promise<Verdict> {
  try {
    using before = await readMovie(original)
    using after = await readMovie(result)
    const difference = compareBoxes(before, after) ?? (await compareTracks([original, before], [result, after], outcome, options))
    return difference ? { equal: false, difference } : { equal: true, ...shareOf(before, outcome) }
  } catch (error) {
    if (isCodecError(error, 'malformed', 'unsupported_feature') || isEngineError(error, 'ffmpeg')) {
      return { equal: false, difference: error.message }
    }
    throw error
  }
}

/** Where pictures were copied, all of them were compared, and sound by stretches; what new pictures were is not counted yet. */
function shareOf({ tracks }: Movie, outcome: Outcome): { share?: number | 'unknown' } {
  if (outcome.kind !== 'compressed' || !outcome.loss) return {}
  if (outcome.loss.pictures) return { share: 'unknown' }
  const sounds = tracks.filter(({ handler }) => handler === 'soun')
  return { share: Math.min(1, ...sounds.map((track) => comparedShare(secondsOf(track)))) }
}

function compareBoxes(before: Movie, after: Movie): string | undefined {
  if (before.tracks.length !== after.tracks.length) return `${before.tracks.length} tracks became ${after.tracks.length}`
  for (const type of ['udta', 'meta']) {
    const [a, b] = [find(before.moov, before.moovBox, type), find(after.moov, after.moovBox, type)]
    if (!a !== !b) return `'${type}' is lost`
    if (a && b && !same(before.moov.subarray(a.start, a.end), after.moov.subarray(b.start, b.end))) return `'${type}' changed`
  }
  return undefined
}

const same = (a: Uint8Array, b: Uint8Array) => a.length === b.length && a.every((byte, i) => byte === b[i])

/** A track of one of the two films. */
interface Side {
  readonly source: Source
  readonly moov: Uint8Array
  readonly track: Track
}

type Film = readonly [source: Source, movie: Movie]

async function compareTracks(
  [original, before]: Film,
  [result, after]: Film,
  outcome: Outcome,
  options: Options,
): Promise<string | undefined> {
  for (const [index, track] of before.tracks.entries()) {
    const old: Side = { source: original, moov: before.moov, track }
    const made: Side = { source: result, moov: after.moov, track: after.tracks[index]! }
    const difference = await compareTrack(old, made, outcome, options)
    for (const side of [old, made]) side.track.forget()
    if (difference) return `track ${track.id}: ${difference}`
  }
  return undefined
}

async function compareTrack(old: Side, made: Side, outcome: Outcome, options: Options): Promise<string | undefined> {
  const [a, b] = [old.track, made.track]
  if (a.handler !== b.handler || a.id !== b.id) return 'became another'
  const [x, y] = [a.descriptions[0], b.descriptions[0]]
  const exact = outcome.kind === 'compressed' && !outcome.loss
  const copied = x && y && same(old.moov.subarray(x.start, x.end), made.moov.subarray(y.start, y.end))
  // A film that was made here before has the description it would get again.
  if (exact || !x || (copied && !isNew(a, b, outcome))) {
    if (a.sampleCount !== b.sampleCount) return `${a.sampleCount} samples became ${b.sampleCount}`
    const where = await compareBytes(old, made, options)
    return where === undefined ? undefined : `other bytes at ${where}`
  }
  if (a.handler === 'vide') return compareVideo(old, made, options)
  return a.handler === 'soun' ? compareNewSound(old, made, outcome, options) : undefined
}

/** Whether a track may have been encoded again: the receipt has figures for such tracks, and they are smaller. */
function isNew(a: Track, b: Track, outcome: Outcome): boolean {
  if (outcome.kind !== 'compressed' || !outcome.loss || trackBytes(a) === trackBytes(b)) return false
  return a.handler === 'vide' ? outcome.loss.pictures !== undefined : a.handler === 'soun' && outcome.loss.sound !== undefined
}

/** New sound may be longer by the encoder's run-up and the rest of its last packet. */
const MAX_SOUND_DRIFT = 0.5

async function compareNewSound(old: Side, made: Side, outcome: Outcome, options: Options): Promise<string | undefined> {
  const [a, b] = [old.track, made.track]
  const [was, is] = [a, b].map(secondsOf) as [number, number]
  if (!(Math.abs(is - was) < MAX_SOUND_DRIFT)) return `${was.toFixed(3)} s of sound became ${is.toFixed(3)} s`
  const edits = compareEdits(a, b)
  if (edits) return edits
  const [x, y] = [laidTrack(old.source, old.moov, a), laidTrack(made.source, made.moov, b)]
  if (!x || !y) return 'sound that cannot be decoded'
  const shift = startOf(b) - Math.round((startOf(a) * y.stream.hertz) / a.timescale)
  const claimed = outcome.kind === 'compressed' ? (outcome.loss?.sound?.snrDb ?? 0) : 0
  return compareSound(x, y, shift, claimed, options)
}

/** New sound is shown as the old was; one edit may have come that leaves the encoder's run-up out. */
function compareEdits(a: Track, b: Track): string | undefined {
  if (!a.edits?.length) return b.edits?.length === 1 ? undefined : 'the edit list changed'
  const sameEdits =
    a.edits.length === b.edits?.length &&
    a.edits.every(({ duration, mediaTime }, i) => {
      const edit = b.edits![i]!
      return (duration || edit.duration) === edit.duration && mediaTime < 0 === edit.mediaTime < 0
    })
  return sameEdits ? undefined : 'the edit list changed'
}

/** Where the shown part begins, in the track's timescale. */
const startOf = (track: Track) => track.edits?.find(({ mediaTime }) => mediaTime >= 0)?.mediaTime ?? 0

const secondsOf = ({ duration, timescale }: Track) => duration / timescale

/** Media bytes of both tracks, run against run. */
async function compareBytes(old: Side, made: Side, options: Options): Promise<number | undefined> {
  const [a, b] = [old.track, made.track]
  if (a.chunks.count !== b.chunks.count) return 0
  using left = new Window(old.source)
  using right = new Window(made.source)
  for (let i = 0; i < a.chunks.count; i++) {
    options.signal.throwIfAborted()
    const size = a.chunks.size[i]!
    if (size !== b.chunks.size[i]) return a.chunks.offset[i]
    for (let at = 0; at < size; at += COMPARED_BYTES) {
      const count = Math.min(COMPARED_BYTES, size - at)
      const [x, y] = [await left.read(a.chunks.offset[i]! + at, count), await right.read(b.chunks.offset[i]! + at, count)]
      if (!same(x, y)) return a.chunks.offset[i]! + at
    }
  }
  return undefined
}

async function compareVideo(old: Side, made: Side, options: Options): Promise<string | undefined> {
  // Their chunks; what follows asks for samples.
  for (const side of [old, made]) side.track.forget()
  const used = usedSamples(old.track.samples())
  const { count } = made.track.samples()
  if (used !== count) return `${used} frames became ${count}`
  return compareTimes(old.track, made.track) ?? (await decodeSome(made, options)) ?? (await comparePictures(old, made))
}

/** Display times, but for a constant that the edit lists answer for. */
function compareTimes(a: Track, b: Track): string | undefined {
  const [p, q] = [shownTimes(a.samples()), shownTimes(b.samples())]
  if (a.timescale !== b.timescale) return 'another timescale'
  const shift = q[0]! - p[0]!
  const other = p.findIndex((time, i) => q[i]! - time !== shift)
  discard(p)
  discard(q)
  if (other >= 0) return `frame ${other} is shown at another time`
  const moved = startOf(b) - startOf(a)
  return moved === shift ? undefined : `the edit list moved by ${moved}, the frames by ${shift}`
}

/** Of all frames, in the order they are shown. */
function shownTimes({ count, size, dts, composition }: Samples): Float64Array {
  const times = new Float64Array(usedSamples({ count, size }))
  for (let i = 0, frame = 0; i < count; i++) if (size[i]! > 0) times[frame++] = dts[i]! + composition[i]!
  return times.sort()
}

/** From every sync sample on (every part of a film begins with one), as many frames as the time allows. */
async function decodeSome({ source, moov, track }: Side, options: Options): Promise<string | undefined> {
  const samples = track.samples()
  const stream = videoStream(moov, track.descriptions[0]!)
  if (!stream) return 'no decoder for the result'
  using engine = new Ffmpeg()
  using window = new Window(source)
  engine.openVideo({ ...stream, reorder: reorderDepth(samples) })
  return await decodeStretches(engine, window, samples, stream.width * stream.height, options)
}

async function decodeStretches(
  engine: Ffmpeg,
  window: Window,
  samples: Samples,
  pixels: number,
  options: Options,
): Promise<string | undefined> {
  const syncs: number[] = []
  for (let i = 0; i < samples.count; i++) if (samples.sync[i]) syncs.push(i)
  if (syncs[0] !== 0) return 'the first frame is no sync sample'
  const every = Math.ceil(syncs.length / MAX_STRETCHES)
  const chosen = Math.ceil(syncs.length / every)
  const frames = Math.max(4, Math.floor(DECODED_PIXELS / (pixels * chosen)))
  for (let k = 0; k < syncs.length; k += every) {
    const from = syncs[k]!
    const to = Math.min(syncs[k + 1] ?? samples.count, from + frames)
    const trouble = await decodeStretch(engine, window, samples, { from, to }, options)
    if (trouble) return trouble
    engine.restartVideo()
  }
  return undefined
}

async function decodeStretch(
  engine: Ffmpeg,
  window: Window,
  samples: Samples,
  { from, to }: { readonly from: number; readonly to: number },
  options: Options,
): Promise<string | undefined> {
  let pictures = 0
  const drain = () => {
    for (let picture = engine.nextPicture(); picture; picture = engine.nextPicture()) {
      if (picture.damaged) return `frame ${from + pictures} is damaged`
      pictures++
    }
    return undefined
  }
  for (let i = from; i < to; i++) {
    if ((i & 15) === 0) {
      await yieldToOthers(options.signal)
    }
    if (!engine.sendVideo(await window.read(samples.offset[i]!, samples.size[i]!), i, samples.sync[i] !== 0))
      return `frame ${i} cannot be decoded`
    const damage = drain()
    if (damage) return damage
  }
  engine.endVideo()
  const damage = drain()
  if (damage) return damage
  return pictures === to - from ? undefined : `${pictures} pictures from ${to - from} frames`
}

async function comparePictures(old: Side, made: Side): Promise<string | undefined> {
  const [x, y] = [old.track.samples(), made.track.samples()]
  const shift = y.dts[0]! + y.composition[0]! - Math.min(...firstTimes(x))
  // Of the result, which has few: all pictures of the original may be sync samples.
  const syncs = new Map<number, number>()
  for (let i = 0; i < y.count; i++) if (y.sync[i]) syncs.set(y.dts[i]! + y.composition[i]! - shift, i)
  // Phones give some pictures the time of the one before: which of the two is which, times do not tell.
  const shown = shownTimes(x)
  for (let i = 1; i < shown.length; i++) if (shown[i] === shown[i - 1]) syncs.delete(shown[i]!)
  discard(shown)
  const pairs: [number, number][] = []
  for (let i = 0; i < x.count; i++) {
    const at = x.sync[i] && x.size[i] ? syncs.get(x.dts[i]! + x.composition[i]!) : undefined
    if (at !== undefined) pairs.push([i, at])
  }
  const step = Math.max(1, Math.floor(pairs.length / COMPARED))
  for (let k = 0; k < pairs.length; k += step) {
    const [i, j] = pairs[k]!
    const [p, q] = [await onePicture(old, i), await onePicture(made, j)]
    if (!p || !q) continue
    if (p.length !== q.length) return 'pictures of another size'
    const psnrDb = luma(p, q)
    discard(p)
    discard(q)
    if (psnrDb < 28) return `a picture of ${psnrDb.toFixed(1)} dB at frame ${j}`
  }
  return undefined
}

const firstTimes = (samples: Samples) => {
  const times: number[] = []
  for (let i = 0; i < samples.count && times.length < 64; i++) if (samples.size[i]) times.push(samples.dts[i]! + samples.composition[i]!)
  return times
}

/** A sync sample alone, decoded to luma. */
async function onePicture({ source, moov, track }: Side, index: number): Promise<Uint8Array | undefined> {
  const stream = videoStream(moov, track.descriptions[0]!)
  if (!stream) return undefined
  const { offset, size } = track.samples()
  using engine = new Ffmpeg()
  using window = new Window(source, 0)
  engine.openVideo(stream)
  engine.sendVideo(await window.read(offset[index]!, size[index]!), 0, true)
  engine.endVideo()
  return engine.nextPicture() ? engine.luma() : undefined
}

function luma(a: Uint8Array, b: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += (a[i]! - b[i]!) ** 2
  return sum === 0 ? 100 : 10 * Math.log10((255 * 255 * a.length) / sum)
}
