/**
 * Verifies pictures that the machine's FFmpeg encoded: it decodes both films, measures them again, and compares the figures with the
 * receipt.
 */

import { countNonEmptySamples } from '../../../containers/isobmff/tables.ts'
import type { Options } from '../../../model/codec.ts'
import type { ExternalFilmCodec } from '../../../model/external-encoder.ts'
import type { PictureLoss } from '../../../model/loss.ts'
import type { ComparedTrack, PictureComparison } from '../compare-pictures.ts'
import { type FilmFigures, QualityBySecond, SsimSampling } from '../seconds.ts'
import { COMPARED_PIXELS, MIN_PSNR_DB } from '../tuning.ts'
import { ssimOfFrames } from './measure.ts'
import { singleTrackFilm, type TrackSamples } from './one-track.ts'
import { type NativeStream, nativeStream } from './stream.ts'

interface NativeSide extends TrackSamples {
  readonly stream: NativeStream['stream']
  readonly bits: 8 | 10
}

export interface NativeSides {
  readonly program: ExternalFilmCodec
  readonly old: NativeSide
  readonly made: NativeSide
  /** Display duration of a frame in seconds. */
  readonly frameSeconds: number
}

/** Both films as input for the machine's FFmpeg. `undefined`: the WebAssembly engine can decode both. */
export function nativeSides(old: ComparedTrack, made: ComparedTrack, options: Options): NativeSides | undefined {
  const { native: program } = options
  if (!program) return undefined
  // If the WebAssembly engine can decode the old film, it also encoded the new one. It then compares both, and `x` is `undefined`.
  const [x, y] = [sideOf(old, options, false), sideOf(made, options, true)]
  if (!x || !y || x.bits !== y.bits) return undefined
  const { duration, timescale } = made.track
  return { program, old: x, made: y, frameSeconds: duration / timescale / Math.max(1, y.samples.count) }
}

function sideOf({ source, moov, track }: ComparedTrack, options: Options, small: boolean): NativeSide | undefined {
  const [entry] = track.descriptions
  const native = entry && nativeStream(moov, entry, options, small)
  if (!native) return undefined
  return { source, samples: track.samples(), timescale: track.timescale, entry: native.entry, stream: native.stream, bits: native.bits }
}

/** Most bytes of both films that are compared together; a film is compared in full up to a quarter of this. */
const MOST_BYTES = 64 * 1024 * 1024
/** Allowed deficit when a film is measured again: SSIM samples other frames of a second at the start of a stretch. */
const TOLERANCE = { ssim: 0.005, psnrDb: 0.05 }

/** Compares both films from sync samples of the result on. Long films are compared in stretches that contain a whole second. */
export async function compareNatively(sides: NativeSides, claim: PictureLoss | undefined, options: Options): Promise<PictureComparison> {
  const stretches = stretchesOf(sides)
  let frames = 0
  for (const stretch of stretches) {
    const found = await compareStretch(sides, stretch, options)
    if (typeof found === 'string') return { frames, difference: found }
    frames += found.frames
    const { worst } = found.seconds.within(stretch.from, stretch.to).figures(sides.frameSeconds) ?? {}
    if (!worst) continue
    const text = `SSIM ${worst.ssim.toFixed(4)} and ${worst.psnrDb.toFixed(2)} dB at ${Math.max(0, stretch.from).toFixed(1)} s`
    if (worst.psnrDb < MIN_PSNR_DB) return { frames, difference: text }
    if (claim && (worst.ssim < claim.ssim - TOLERANCE.ssim || worst.psnrDb < claim.psnrDb - TOLERANCE.psnrDb))
      return { frames, difference: `${text} instead of SSIM ${claim.ssim.toFixed(4)} and ${claim.psnrDb.toFixed(2)} dB` }
  }
  return { frames }
}

/** Measures a whole film of any length. Returns a description of the difference if its frames are not those of the upload. */
export async function measureNatively(sides: NativeSides, options: Options): Promise<FilmFigures | string> {
  const times = shownTimes(sides.made)
  const end = (times.at(-1)! - times[0]!) / sides.made.timescale + sides.frameSeconds
  const all = new QualityBySecond()
  for (let from = 0; from < end; from += PIECE_SECONDS) {
    const found = await compareStretch(sides, { from: from - TICK, to: from + PIECE_SECONDS - TICK }, options)
    if (typeof found === 'string') return found
    all.addTable(found.seconds.table())
  }
  return all.figures(sides.frameSeconds) ?? 'no frame was measured'
}

/** Seconds of film that are measured in one call. */
const PIECE_SECONDS = 4

/** A span of display time in seconds, counted from the first frame. */
interface Stretch {
  readonly from: number
  readonly to: number
}

const STRETCH_SECONDS = 2.2
const MOST_STRETCHES = 12
const TICK = 1e-6

function stretchesOf({ made, frameSeconds }: NativeSides): Stretch[] {
  const { samples, timescale, stream } = made
  const times = shownTimes(made)
  const end = (times.at(-1)! - times[0]!) / timescale + frameSeconds
  const pixels = 2 * stream.width * stream.height * countNonEmptySamples(samples)
  const bytes = samples.size.reduce((sum, size) => sum + size, 0)
  if (pixels <= COMPARED_PIXELS && bytes <= MOST_BYTES / 4) return [{ from: -TICK, to: Number.POSITIVE_INFINITY }]
  const most = Math.max(4, Math.min(MOST_STRETCHES, Math.floor((COMPARED_PIXELS / pixels) * (end / STRETCH_SECONDS))))
  const count = Math.min(most, Math.max(1, Math.floor(end / STRETCH_SECONDS)))
  return Array.from({ length: count }, (_, k) => {
    const from = Math.floor((k * Math.max(0, end - STRETCH_SECONDS)) / Math.max(1, count - 1 || 1))
    const to = from + STRETCH_SECONDS
    // The receipt merges a short rest at the end into the second before it, so the last stretch includes the rest.
    return { from: from - TICK, to: end - to < 1 ? Number.POSITIVE_INFINITY : to - TICK }
  })
}

function shownTimes({ samples }: TrackSamples): number[] {
  const times: number[] = []
  for (let i = 0; i < samples.count; i++) if (samples.size[i]! > 0) times.push(samples.dts[i]! + samples.composition[i]!)
  return times.sort((a, b) => a - b)
}

async function compareStretch(
  { program, old, made }: NativeSides,
  { from, to }: Stretch,
  options: Options,
): Promise<{ frames: number; seconds: QualityBySecond } | string> {
  const cut = async (side: NativeSide) => {
    const times = shownTimes(side)
    const [base, scale] = [times[0]!, side.timescale]
    const inside = times.filter((time) => (time - base) / scale >= from && (time - base) / scale < to)
    if (inside.length === 0) return undefined
    const [first, last] = needed(side, inside[0]!, inside.at(-1)!)
    const { film, timeShift: earlier } = await singleTrackFilm(side, first, last, options)
    const span = { from: inside[0]! - earlier, to: inside.at(-1)! + 1 - earlier }
    return { film, span, seconds: inside.map((time) => (time - base) / scale) }
  }
  const [a, b] = [await cut(old), await cut(made)]
  if (!a && !b) return { frames: 0, seconds: new QualityBySecond() }
  if (a?.seconds.length !== b?.seconds.length || !a || !b) return `${a?.seconds.length ?? 0} frames became ${b?.seconds.length ?? 0}`
  const sampling = new SsimSampling()
  const sampled = [...b.seconds.keys()].filter((i) => sampling.includes(b.seconds[i]!))
  const figures = await program.measure(a.film, b.film, { bits: made.bits, original: a.span, result: b.span, sampled })
  options.signal.throwIfAborted()
  if (figures.mse.length !== b.seconds.length)
    return `${figures.mse.length} frames instead of ${b.seconds.length} at ${Math.max(0, from).toFixed(1)} s`
  const ssim = ssimOfFrames(figures, sampled.length, { ...made.stream, bits: made.bits })
  const seconds = new QualityBySecond()
  for (const [i, mse] of figures.mse.entries()) seconds.add(b.seconds[i]!, mse, ssim[sampled.indexOf(i)])
  return { frames: figures.mse.length, seconds }
}

/** Samples to decode for display times `start` to `end`. Begins at a sync sample that is shown no later than `start`. */
function needed({ samples }: TrackSamples, start: number, end: number): [number, number] {
  const time = (i: number) => samples.dts[i]! + samples.composition[i]!
  let [first, last] = [samples.count, 0]
  for (let i = 0; i < samples.count; i++) {
    if (samples.size[i] === 0 || time(i) < start || time(i) > end) continue
    first = Math.min(first, i)
    last = i + 1
  }
  while (first > 0 && !(samples.sync[first] === 1 && samples.size[first]! > 0 && time(first) <= start)) first--
  return [first, last]
}
