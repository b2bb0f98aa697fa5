/** Detects smooth gradients in a part of a film, for example sky, walls and shadows. Banding and blocking are most visible there. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import type { Ffmpeg } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { ReadWindow } from '../../containers/packet-window.ts'
import type { Options, Source } from '../../model/codec.ts'
import type { Cut } from './cut.ts'
import type { PictureTrack } from './picture-track.ts'
import { engineFor } from './refuse.ts'
import { MOST_SAMPLED_PICTURES, MOST_SLOPE_VARIANCE, MOSTLY_SMOOTH_SHARE, SMOOTH_SHARE } from './tuning.ts'

/** Packets sent to the decoder before giving up on a picture. */
const MOST_PACKETS = 20
const SQUARE = 8
/**
 * Range of the difference between the means of neighbouring squares, in levels of 255: steeper than flat colour, shallow enough for 8-bit
 * steps to show.
 */
const [LEAST_SLOPE, MOST_SLOPE] = [0.08, 4]

interface Stretch {
  readonly source: Source
  readonly track: PictureTrack
  readonly cut: Cut
  readonly options: Options
}

/** `partly`: at least one sampled picture is smooth. `mostly`: the sampled pictures together are. */
export type Smoothness = 'partly' | 'mostly'

/** Detects smooth gradients in a part. `undefined`: no gradients, or the part cannot be decoded (the encoder then reports the error). */
export async function smoothnessOf(part: Stretch): Promise<Smoothness | undefined> {
  using engine = engineFor(part.track.stream)
  const shares: number[] = []
  try {
    engine.openVideo(part.track.stream)
    for (const sync of sampledSyncs(part)) {
      shares.push(await smoothShareAt(engine, part, sync))
      engine.restartVideo()
    }
  } catch (error) {
    if (isEngineError(error, 'ffmpeg') || error instanceof WebAssembly.RuntimeError) return undefined
    throw error
  }
  if (!shares.some((share) => share >= SMOOTH_SHARE)) return undefined
  const sum = shares.reduce((all, share) => all + share, 0)
  return sum >= MOSTLY_SMOOTH_SHARE * shares.length ? 'mostly' : 'partly'
}

/** Chooses sync samples, spread evenly over a part of a film. */
function sampledSyncs({ track: { samples }, cut }: Stretch): number[] {
  const syncs: number[] = []
  for (let i = cut.from; i < cut.to; i++) if (i === cut.from || (samples.sync[i] && samples.size[i])) syncs.push(i)
  const count = Math.min(MOST_SAMPLED_PICTURES, syncs.length)
  return Array.from({ length: count }, (_, k) => syncs[Math.floor((k * syncs.length) / count)]!)
}

/** Share of smooth squares in the first picture that is decoded from a sync sample on. */
async function smoothShareAt(engine: Ffmpeg, { source, track, cut, options }: Stretch, sync: number): Promise<number> {
  const { samples } = track
  using window = new ReadWindow(source, SMALL_WINDOW_BYTES)
  for (let i = sync; i < Math.min(cut.to, sync + MOST_PACKETS); i++) {
    if (samples.size[i] === 0) continue
    if (!engine.sendVideo(await window.read(samples.offset[i]!, samples.size[i]!), i, samples.sync[i] !== 0)) return 0
    const picture = engine.nextPicture()
    if (picture) return smoothShare(engine.luma(), picture.width, picture.height)
    await yieldToEventLoop(options.signal)
  }
  engine.endVideo()
  const picture = engine.nextPicture()
  return picture ? smoothShare(engine.luma(), picture.width, picture.height) : 0
}

/** Read window in bytes; the picture of one key frame is much smaller. */
const SMALL_WINDOW_BYTES = 320 * 1024

/** Share of squares that are smooth but not of one colour, 0 to 1. Frees `luma`. */
function smoothShare(luma: Uint8Array, width: number, height: number): number {
  const [across, down] = [Math.floor(width / SQUARE), Math.floor(height / SQUARE)]
  const means = new Float32Array(across * down)
  const quiet = new Uint8Array(across * down)
  for (let row = 0; row < down; row++) {
    for (let column = 0; column < across; column++) {
      const { mean, noise } = squareAt(luma, width, column * SQUARE, row * SQUARE)
      means[row * across + column] = mean
      quiet[row * across + column] = noise <= MOST_SLOPE_VARIANCE ? 1 : 0
    }
  }
  discard(luma)
  let smooth = 0
  for (let row = 1; row < down; row++) {
    for (let column = 1; column < across; column++) {
      const at = row * across + column
      if (!quiet[at]) continue
      const slope = Math.max(Math.abs(means[at]! - means[at - 1]!), Math.abs(means[at]! - means[at - across]!))
      if (slope >= LEAST_SLOPE && slope <= MOST_SLOPE) smooth++
    }
  }
  return smooth / Math.max(1, across * down)
}

/**
 * Mean of a square, and half the mean squared difference of horizontal neighbours. The latter is the noise variance, whatever the
 * gradient.
 */
function squareAt(luma: Uint8Array, width: number, left: number, top: number): { mean: number; noise: number } {
  let [sum, squares] = [0, 0]
  for (let y = top; y < top + SQUARE; y++) {
    const at = y * width + left
    for (let x = 0; x < SQUARE; x++) {
      sum += luma[at + x]!
      if (x > 0) squares += (luma[at + x]! - luma[at + x - 1]!) ** 2
    }
  }
  return { mean: sum / SQUARE ** 2, noise: squares / 2 / (SQUARE * (SQUARE - 1)) }
}
