/** Compares the pictures of two films. Decodes both in one engine, in full or in stretches, and measures SSIM and PSNR again. */

import { EngineError } from '../../../../wasm/engine-error.ts'
import type { Ffmpeg, VideoStream } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { YieldBudget } from '../../bytes/yield.ts'
import type { SampleTables } from '../../containers/isobmff/tables.ts'
import type { Track } from '../../containers/isobmff/track.ts'
import { LARGE_WINDOW_BYTES, ReadWindow } from '../../containers/packet-window.ts'
import type { Options, Outcome, Source } from '../../model/codec.ts'
import type { LumaFigures, PictureLoss } from '../../model/loss.ts'
import { engineFor } from './refuse.ts'
import { type FilmFigures, psnrOf, QualityBySecond, SsimSampling } from './seconds.ts'
import { COMPARED_PIXELS, COMPARED_PIXELS_PER_YIELD, MIN_PSNR_DB } from './tuning.ts'

/** A track of the uploaded or the resulting film. */
export interface ComparedTrack {
  readonly source: Source
  readonly moov: Uint8Array
  readonly track: Track
}

/** The picture samples of the uploaded or the resulting film, with their decoder. */
export interface IndexedPictures {
  readonly source: Source
  readonly stream: VideoStream
  readonly samples: SampleTables
  /** True if frames have no timestamps (AVI): `secondsOf` then gets frame numbers. */
  readonly isCounted: boolean
  /** Seconds since the film's first frame. */
  secondsOf(time: number): number
  /** Display duration of a frame in seconds. */
  readonly frameSeconds: number
}

/** A span of both films that is decoded and compared, in seconds of display time. */
export interface ComparedSpan {
  /** Sync samples of the old and the new film at which decoding starts. Frames before `from` are decoded but not compared. */
  readonly syncSamples: readonly [number, number]
  readonly from: number
  readonly to: number
}

/** Number of frames compared, and the first difference. `undefined`: no difference. */
export interface PictureComparison {
  readonly frames: number
  readonly difference?: string | undefined
}

/** Stretch that covers both films from beginning to end. */
export const WHOLE_FILM: ComparedSpan = { syncSamples: [0, 0], from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }

/** Allowed deficit when the same frames are measured again: rounding differs, and SSIM samples other frames at the start of a part. */
const TOLERANCE: LumaFigures = { ssim: 0.005, psnrDb: 0.05 }

/** Quality figures of the pictures in the receipt. `undefined`: the receipt has none. */
export const claimedPictureLoss = (outcome: Outcome): PictureLoss | undefined =>
  outcome.kind === 'compressed' ? outcome.loss?.pictures : undefined

/** True if a film with `frames` frames is short enough to be compared in full. */
export const isComparedInFull = (frames: number, { width, height }: { width: number; height: number }): boolean =>
  2 * frames * width * height <= COMPARED_PIXELS

/** Compares stretches of two films. @param claim figures of the receipt; no second that is compared in full may be worse */
export async function comparePictures(
  films: readonly [IndexedPictures, IndexedPictures],
  stretches: readonly ComparedSpan[],
  claim: PictureLoss | undefined,
  options: Options,
): Promise<PictureComparison> {
  using engine = engineFor(films[0].stream)
  engine.openVideo(films[0].stream, 0)
  engine.openVideo(films[1].stream, 1)
  let frames = 0
  for (const [i, stretch] of stretches.entries()) {
    if (i > 0) for (const which of [0, 1] as const) engine.restartVideo(which)
    const found = await compareStretch(engine, films, stretch, options)
    if (typeof found === 'string') return { frames, difference: found }
    frames += found.frames
    const difference = found.frames > 0 ? deficitOf(found, stretch, films[1].frameSeconds, claim) : undefined
    if (difference) return { frames, difference }
  }
  return { frames }
}

/** Measures a whole film of any length. Returns a description of the difference if its frames are not those of the upload. */
export async function measurePictures(films: readonly [IndexedPictures, IndexedPictures], options: Options): Promise<FilmFigures | string> {
  using engine = engineFor(films[0].stream)
  engine.openVideo(films[0].stream, 0)
  engine.openVideo(films[1].stream, 1)
  const found = await compareStretch(engine, films, WHOLE_FILM, options)
  if (typeof found === 'string') return found
  return found.seconds.figures(films[1].frameSeconds) ?? 'no frame was measured'
}

/** Quality figures of one compared stretch of a film. */
interface Measured {
  readonly frames: number
  readonly mse: number
  readonly seconds: QualityBySecond
  /** Display time of the last frame, in seconds. */
  readonly last: number
}

const SAME_TIME = 1e-5

async function compareStretch(
  engine: Ffmpeg,
  [first, second]: readonly [IndexedPictures, IndexedPictures],
  stretch: ComparedSpan,
  options: Options,
): Promise<Measured | string> {
  await using old = shown(engine, 0, first, stretch)
  await using made = shown(engine, 1, second, stretch)
  const [seconds, sampling] = [new QualityBySecond(), new SsimSampling()]
  const breath = new YieldBudget(COMPARED_PIXELS_PER_YIELD, options.signal)
  let [mse, last] = [0, 0]
  for (let frames = 0; ; frames++) {
    const [x, y] = [await old.next(), await made.next()]
    if (y.done && !x.done && x.value < stretch.to) return `the result ends at frame ${frames}`
    if (y.done || y.value >= stretch.to) return { frames, mse: mse / Math.max(1, frames), seconds, last }
    if (x.done) return `the result has more than ${frames} frames`
    last = y.value
    if (!first.isCounted && Math.abs(x.value - last) > SAME_TIME)
      return `the frame of ${x.value.toFixed(3)} s is shown at ${last.toFixed(3)} s`
    const sampled = sampling.includes(last)
    const found = engine.comparePictures(sampled)
    seconds.add(last, found.mse, sampled ? found.ssim : undefined)
    mse += found.mse
    await breath.after(first.stream.width * first.stream.height)
  }
}

/** Yields the display times of the decoded frames from the stretch's start on. The engine keeps a frame until the next one is requested. */
async function* shown(
  engine: Ffmpeg,
  which: 0 | 1,
  film: IndexedPictures,
  { syncSamples: at, from }: ComparedSpan,
): AsyncGenerator<number, undefined> {
  const { source, samples, isCounted: counted } = film
  using window = new ReadWindow(source, LARGE_WINDOW_BYTES)
  let count = 0
  const ready = function* () {
    for (let picture = engine.nextPicture(which); picture; picture = engine.nextPicture(which), count++) {
      if (picture.damaged && which === 1) throw new EngineError('ffmpeg', 'damaged', `frame ${count} is damaged`)
      const time = film.secondsOf(counted ? count : (picture.pts ?? Number.NaN))
      if (time >= from) yield time
    }
  }
  for (let i = at[which]; i < samples.count; i++) {
    if (samples.size[i] === 0) continue
    const bytes = await window.read(samples.offset[i]!, samples.size[i]!)
    const taken = engine.sendVideo(bytes, samples.dts[i]! + samples.composition[i]!, samples.sync[i] !== 0, which)
    if (!taken && which === 1) throw new EngineError('ffmpeg', 'damaged', `packet ${i} cannot be decoded`)
    yield* ready()
  }
  engine.endVideo(which)
  yield* ready()
  return undefined
}

/** Describes by how much a stretch is worse than the receipt. `undefined`: it is not worse. */
function deficitOf(
  { mse, seconds, last }: Measured,
  { from, to }: ComparedSpan,
  frameSeconds: number,
  claim?: PictureLoss,
): string | undefined {
  const psnrDb = psnrOf(mse)
  if (psnrDb < MIN_PSNR_DB) return `pictures of ${psnrDb.toFixed(1)} dB at ${Math.max(0, from).toFixed(1)} s`
  const whole = to === Number.POSITIVE_INFINITY
  const found = whole ? seconds.figures(frameSeconds) : seconds.within(from, last).figures(1)
  if (!found || !claim) return undefined
  const worse = isLess(found.worst, claim) ?? (whole && claim.mean ? isLess(found.mean, claim.mean) : undefined)
  return worse && `${worse} at ${Math.max(0, from).toFixed(1)} s`
}

function isLess(found: LumaFigures, claim: LumaFigures): string | undefined {
  if (found.ssim >= claim.ssim - TOLERANCE.ssim && found.psnrDb >= claim.psnrDb - TOLERANCE.psnrDb) return undefined
  const text = ({ ssim, psnrDb }: LumaFigures) => `SSIM ${ssim.toFixed(4)} and ${psnrDb.toFixed(2)} dB`
  return `${text(found)} instead of ${text(claim)}`
}
