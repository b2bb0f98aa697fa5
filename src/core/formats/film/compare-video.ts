/** A new track of pictures against the old one: as many frames, at the same times, that decode and look alike. */

import type { Ffmpeg } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { leastOf } from '../../bytes/min-max.ts'
import { yieldToOthers } from '../../bytes/yield.ts'
import { type Samples, usedSamples } from '../../containers/isobmff/tables.ts'
import type { Track } from '../../containers/isobmff/track.ts'
import { Window } from '../../containers/packet-window.ts'
import type { Options, Outcome } from '../../model/codec.ts'
import {
  type Compared,
  claimedOf,
  comparePictures,
  isShort,
  type LaidPictures,
  type Side,
  type Stretch,
  WHOLE,
} from './compare-pictures.ts'
import { reorderDepth } from './cut.ts'
import { videoStream } from './decoders.ts'
import { compareNatively, nativeSides } from './native/compare.ts'
import { engineFor } from './refuse.ts'
import { COMPARED_PIXELS, DECODED_PIXELS, MAX_PICTURE_STRETCHES } from './tuning.ts'

/** What is wrong with a track, or how much of it was compared, 0–1. */
export interface Found {
  readonly difference?: string | undefined
  readonly share: number
}

/** Where the shown part begins, in the track's timescale. */
export const startOf = (track: Track) => track.edits?.find(({ mediaTime }) => mediaTime >= 0)?.mediaTime ?? 0

export async function compareVideo(old: Side, made: Side, outcome: Outcome, options: Options): Promise<Found> {
  // Their chunks; what follows asks for samples.
  for (const side of [old, made]) side.track.forget()
  const used = usedSamples(old.track.samples())
  const { count } = made.track.samples()
  const counts = used === count ? undefined : `${used} frames became ${count}`
  const structure = counts ?? compareTimes(old.track, made.track)
  if (structure) return { difference: structure, share: 0 }
  const native = nativeSides(old, made, options)
  const { difference, frames } = native
    ? await compareNatively(native, claimedOf(outcome), options)
    : await compareShown(old, made, outcome, options)
  return { difference, share: frames / count }
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
  using engine = engineFor(stream)
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
  const every = Math.ceil(syncs.length / MAX_PICTURE_STRETCHES)
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

/** The seconds of a stretch: long enough to hold a whole second, wherever it begins. */
const STRETCH_SECONDS = 2.2
const [FEWEST_STRETCHES, MOST_STRETCHES] = [4, 12]

/** Short films wholly; of long ones stretches from where both can be decoded from. */
async function compareShown(old: Side, made: Side, outcome: Outcome, options: Options): Promise<Compared> {
  const [x, y] = [laidPictures(old), laidPictures(made)]
  if (!x || !y) return { frames: 0, difference: 'no decoder' }
  const { count } = y.samples
  if (isShort(count, y.stream)) return await comparePictures([x, y], [WHOLE], claimedOf(outcome), options)
  const difference = await decodeSome(made, options)
  if (difference) return { frames: 0, difference }
  const pixels = 2 * y.stream.width * y.stream.height * (STRETCH_SECONDS / y.frameSeconds)
  const most = Math.max(FEWEST_STRETCHES, Math.min(MOST_STRETCHES, Math.floor(COMPARED_PIXELS / pixels)))
  return await comparePictures([x, y], stretchesOf(x, y, most), claimedOf(outcome), options)
}

/** At most so many, spread evenly over what both films can be decoded from. */
export function stretchesOf(x: LaidPictures, y: LaidPictures, most: number): Stretch[] {
  const pairs = commonSyncs(x, y)
  const step = Math.max(1, pairs.length / most)
  const chosen = Array.from({ length: Math.min(most, pairs.length) }, (_, k) => pairs[Math.floor(k * step)]!)
  return chosen.map((at, k) => {
    const from = timeOf(y, at[1])
    const next = chosen[k + 1] ? timeOf(y, chosen[k + 1]![1]) : Number.MAX_VALUE
    return { at, from: from - TICK, to: Math.min(next, from + STRETCH_SECONDS) - TICK }
  })
}

const TICK = 1e-6

export function laidPictures({ source, moov, track }: Side): LaidPictures | undefined {
  const stream = videoStream(moov, track.descriptions[0]!)
  const samples = track.samples()
  const start = leastOf(firstTimes(samples))
  if (!stream) return undefined
  const { timescale, duration } = track
  return {
    source,
    stream: { ...stream, reorder: reorderDepth(samples) },
    samples,
    counted: false,
    secondsOf: (time) => (time - start) / timescale,
    frameSeconds: duration / timescale / Math.max(1, usedSamples(samples)),
  }
}

const timeOf = ({ samples, secondsOf }: LaidPictures, i: number) => secondsOf(samples.dts[i]! + samples.composition[i]!)

/** Sync samples of both films that show the same frame, as pairs. */
function commonSyncs({ samples: x }: LaidPictures, { samples: y }: LaidPictures): [number, number][] {
  const shift = leastOf(firstTimes(y)) - leastOf(firstTimes(x))
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
  return pairs
}

const firstTimes = (samples: Samples) => {
  const times: number[] = []
  for (let i = 0; i < samples.count && times.length < 64; i++) if (samples.size[i]) times.push(samples.dts[i]! + samples.composition[i]!)
  return times
}
