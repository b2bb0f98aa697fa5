/** Compares a new picture track with the old one: frame count, display times, and decoded pictures. */

import type { Ffmpeg } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { minOf } from '../../bytes/min-max.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { countNonEmptySamples, type SampleTables } from '../../containers/isobmff/tables.ts'
import type { Track } from '../../containers/isobmff/track.ts'
import { ReadWindow } from '../../containers/packet-window.ts'
import type { Options, Outcome } from '../../model/codec.ts'
import {
  type ComparedSpan,
  type ComparedTrack,
  claimedPictureLoss,
  comparePictures,
  type IndexedPictures,
  isComparedInFull,
  type PictureComparison,
  WHOLE_FILM,
} from './compare-pictures.ts'
import { reorderDepth } from './cut.ts'
import { videoStream } from './decoders.ts'
import { compareNatively, nativeSides } from './native/compare.ts'
import { engineFor } from './refuse.ts'
import { COMPARED_PIXELS, DECODED_PIXELS, MAX_PICTURE_STRETCHES } from './tuning.ts'

/** The first difference of a track (`undefined`: none), and the share of it that was compared, 0 to 1. */
export interface TrackComparison {
  readonly difference?: string | undefined
  readonly share: number
}

/** Media time at which the shown part of a track begins, in the track's timescale. */
export const mediaStartOf = (track: Track) => track.edits?.find(({ mediaTime }) => mediaTime >= 0)?.mediaTime ?? 0

export async function compareVideo(old: ComparedTrack, made: ComparedTrack, outcome: Outcome, options: Options): Promise<TrackComparison> {
  // Frees the chunk tables of both tracks. The comparison below needs only their sample tables.
  for (const side of [old, made]) side.track.freeTables()
  const used = countNonEmptySamples(old.track.samples())
  const { count } = made.track.samples()
  const counts = used === count ? undefined : `${used} frames became ${count}`
  const structure = counts ?? compareTimes(old.track, made.track)
  if (structure) return { difference: structure, share: 0 }
  const native = nativeSides(old, made, options)
  const { difference, frames } = native
    ? await compareNatively(native, claimedPictureLoss(outcome), options)
    : await compareShown(old, made, outcome, options)
  return { difference, share: frames / count }
}

/** Compares the display times of two tracks. A constant shift is allowed if the edit lists account for it. */
function compareTimes(a: Track, b: Track): string | undefined {
  const [p, q] = [shownTimes(a.samples()), shownTimes(b.samples())]
  if (a.timescale !== b.timescale) return `the timescale changed from ${a.timescale} to ${b.timescale}`
  const shift = q[0]! - p[0]!
  const other = p.findIndex((time, i) => q[i]! - time !== shift)
  discard(p)
  discard(q)
  if (other >= 0) return `frame ${other} is shown at another time`
  const moved = mediaStartOf(b) - mediaStartOf(a)
  return moved === shift ? undefined : `the edit list moved by ${moved}, the frames by ${shift}`
}

/** Display times of all frames, sorted. */
function shownTimes({ count, size, dts, composition }: SampleTables): Float64Array {
  const times = new Float64Array(countNonEmptySamples({ count, size }))
  for (let i = 0, frame = 0; i < count; i++) if (size[i]! > 0) times[frame++] = dts[i]! + composition[i]!
  return times.sort()
}

/**
 * Decodes the result from each sync sample on, because each part of a film begins with one. Frames per sync sample are limited by
 * `DECODED_PIXELS`.
 */
async function decodeFromSyncs({ source, moov, track }: ComparedTrack, options: Options): Promise<string | undefined> {
  const samples = track.samples()
  const stream = videoStream(moov, track.descriptions[0]!)
  if (!stream) return 'no decoder supports the pictures of the result'
  using engine = engineFor(stream)
  using window = new ReadWindow(source)
  engine.openVideo({ ...stream, reorder: reorderDepth(samples) })
  return await decodeStretches(engine, window, samples, stream.width * stream.height, options)
}

async function decodeStretches(
  engine: Ffmpeg,
  window: ReadWindow,
  samples: SampleTables,
  pixels: number,
  options: Options,
): Promise<string | undefined> {
  const syncs: number[] = []
  for (let i = 0; i < samples.count; i++) if (samples.sync[i]) syncs.push(i)
  if (syncs[0] !== 0) return 'the first frame is not a sync sample'
  const every = Math.ceil(syncs.length / MAX_PICTURE_STRETCHES)
  const chosen = Math.ceil(syncs.length / every)
  const frames = Math.max(4, Math.floor(DECODED_PIXELS / (pixels * chosen)))
  for (let k = 0; k < syncs.length; k += every) {
    const from = syncs[k]!
    const to = Math.min(syncs[k + 1] ?? samples.count, from + frames)
    const problem = await decodeStretch(engine, window, samples, { from, to }, options)
    if (problem) return problem
    engine.restartVideo()
  }
  return undefined
}

async function decodeStretch(
  engine: Ffmpeg,
  window: ReadWindow,
  samples: SampleTables,
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
      await yieldToEventLoop(options.signal)
    }
    if (!engine.sendVideo(await window.read(samples.offset[i]!, samples.size[i]!), i, samples.sync[i] !== 0))
      return `frame ${i} cannot be decoded`
    const damage = drain()
    if (damage) return damage
  }
  engine.endVideo()
  const damage = drain()
  if (damage) return damage
  return pictures === to - from ? undefined : `${to - from} frames decoded to ${pictures} pictures`
}

/** Length of a compared stretch in seconds: it contains a whole second wherever it starts. */
const STRETCH_SECONDS = 2.2
const [FEWEST_STRETCHES, MOST_STRETCHES] = [4, 12]

/** Compares short films in full. Compares long films in stretches that start where both films have a sync sample. */
async function compareShown(old: ComparedTrack, made: ComparedTrack, outcome: Outcome, options: Options): Promise<PictureComparison> {
  const [x, y] = [indexPictures(old), indexPictures(made)]
  if (!x || !y) return { frames: 0, difference: 'no decoder supports the pictures' }
  const { count } = y.samples
  if (isComparedInFull(count, y.stream)) return await comparePictures([x, y], [WHOLE_FILM], claimedPictureLoss(outcome), options)
  const difference = await decodeFromSyncs(made, options)
  if (difference) return { frames: 0, difference }
  const pixels = 2 * y.stream.width * y.stream.height * (STRETCH_SECONDS / y.frameSeconds)
  const most = Math.max(FEWEST_STRETCHES, Math.min(MOST_STRETCHES, Math.floor(COMPARED_PIXELS / pixels)))
  return await comparePictures([x, y], comparedSpansOf(x, y, most), claimedPictureLoss(outcome), options)
}

/** Returns at most `most` stretches, spread evenly over the sync samples that both films share. */
export function comparedSpansOf(x: IndexedPictures, y: IndexedPictures, most: number): ComparedSpan[] {
  const pairs = commonSyncs(x, y)
  const step = Math.max(1, pairs.length / most)
  const chosen = Array.from({ length: Math.min(most, pairs.length) }, (_, k) => pairs[Math.floor(k * step)]!)
  return chosen.map((syncSamples, k) => {
    const from = timeOf(y, syncSamples[1])
    const next = chosen[k + 1] ? timeOf(y, chosen[k + 1]![1]) : Number.MAX_VALUE
    return { syncSamples, from: from - TICK, to: Math.min(next, from + STRETCH_SECONDS) - TICK }
  })
}

const TICK = 1e-6

export function indexPictures({ source, moov, track }: ComparedTrack): IndexedPictures | undefined {
  const stream = videoStream(moov, track.descriptions[0]!)
  const samples = track.samples()
  const start = minOf(firstTimes(samples))
  if (!stream) return undefined
  const { timescale, duration } = track
  return {
    source,
    stream: { ...stream, reorder: reorderDepth(samples) },
    samples,
    isCounted: false,
    secondsOf: (time) => (time - start) / timescale,
    frameSeconds: duration / timescale / Math.max(1, countNonEmptySamples(samples)),
  }
}

const timeOf = ({ samples, secondsOf }: IndexedPictures, i: number) => secondsOf(samples.dts[i]! + samples.composition[i]!)

/** Pairs of sync samples, one of each film, that show the same frame. */
function commonSyncs({ samples: x }: IndexedPictures, { samples: y }: IndexedPictures): [number, number][] {
  const shift = minOf(firstTimes(y)) - minOf(firstTimes(x))
  // The map holds the sync samples of the result, which has few. In the original, every picture may be a sync sample.
  const syncs = new Map<number, number>()
  for (let i = 0; i < y.count; i++) if (y.sync[i]) syncs.set(y.dts[i]! + y.composition[i]! - shift, i)
  // Some phones give two pictures the same time. Such a time does not identify a frame, so it is skipped.
  const shown = shownTimes(x)
  for (let i = 1; i < shown.length; i++) if (shown[i] === shown[i - 1]) syncs.delete(shown[i]!)
  discard(shown)
  const pairs: [number, number][] = []
  for (let i = 0; i < x.count; i++) {
    const at = x.sync[i] && x.size[i] ? syncs.get(x.dts[i]! + x.composition[i]!) : undefined
    if (at !== undefined) pairs.push([i, at])
  }
  return pairs
}

const firstTimes = (samples: SampleTables) => {
  const times: number[] = []
  for (let i = 0; i < samples.count && times.length < 64; i++) if (samples.size[i]) times.push(samples.dts[i]! + samples.composition[i]!)
  return times
}
