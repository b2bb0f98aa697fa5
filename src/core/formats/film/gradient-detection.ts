/** Whether a part of a film shows much that is smooth: skies, walls, shadows, where steps and blocks of colour are seen first. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import type { Ffmpeg } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { yieldToOthers } from '../../bytes/yield.ts'
import { Window } from '../../containers/packet-window.ts'
import type { Options, Source } from '../../model/codec.ts'
import type { Cut } from './cut.ts'
import type { PictureTrack } from './picture-track.ts'
import { engineFor } from './refuse.ts'
import { MOST_SAMPLED_PICTURES, MOST_SLOPE_VARIANCE, MOSTLY_SHARE, SMOOTH_SHARE } from './tuning.ts'

/** Packets that a decoder may want before it gives a picture. */
const MOST_PACKETS = 20
const SQUARE = 8
/** Levels between the means of neighbouring squares: a slope that eight bits can only show in steps, but no single colour. */
const [LEAST_SLOPE, MOST_SLOPE] = [0.08, 4]

interface Stretch {
  readonly source: Source
  readonly track: PictureTrack
  readonly cut: Cut
  readonly options: Options
}

/** Partly: in one of the pictures that are looked at; mostly: in all of them together. */
export type Smooth = 'partly' | 'mostly'

/** undefined: it is not. What cannot be decoded is not smooth, and the encoder will say what is wrong with it. */
export async function smoothnessOf(part: Stretch): Promise<Smooth | undefined> {
  using engine = engineFor(part.track.stream)
  const shares: number[] = []
  try {
    engine.openVideo(part.track.stream)
    for (const sync of placesIn(part)) {
      shares.push(await shareAt(engine, part, sync))
      engine.restartVideo()
    }
  } catch (error) {
    if (isEngineError(error, 'ffmpeg') || error instanceof WebAssembly.RuntimeError) return undefined
    throw error
  }
  if (!shares.some((share) => share >= SMOOTH_SHARE)) return undefined
  const sum = shares.reduce((all, share) => all + share, 0)
  return sum >= MOSTLY_SHARE * shares.length ? 'mostly' : 'partly'
}

/** Sync samples, spread over the part. */
function placesIn({ track: { samples }, cut }: Stretch): number[] {
  const syncs: number[] = []
  for (let i = cut.from; i < cut.to; i++) if (i === cut.from || (samples.sync[i] && samples.size[i])) syncs.push(i)
  const count = Math.min(MOST_SAMPLED_PICTURES, syncs.length)
  return Array.from({ length: count }, (_, k) => syncs[Math.floor((k * syncs.length) / count)]!)
}

/** Of the first picture from a sync sample on. */
async function shareAt(engine: Ffmpeg, { source, track, cut, options }: Stretch, sync: number): Promise<number> {
  const { samples } = track
  using window = new Window(source, SMALL_WINDOW_BYTES)
  for (let i = sync; i < Math.min(cut.to, sync + MOST_PACKETS); i++) {
    if (samples.size[i] === 0) continue
    if (!engine.sendVideo(await window.read(samples.offset[i]!, samples.size[i]!), i, samples.sync[i] !== 0)) return 0
    const picture = engine.nextPicture()
    if (picture) return smoothShare(engine.luma(), picture.width, picture.height)
    await yieldToOthers(options.signal)
  }
  engine.endVideo()
  const picture = engine.nextPicture()
  return picture ? smoothShare(engine.luma(), picture.width, picture.height) : 0
}

/** A picture of a group is a fraction of this. */
const SMALL_WINDOW_BYTES = 320 * 1024

/** Share of the squares that are smooth and yet not of one colour. `luma` is freed. */
export function smoothShare(luma: Uint8Array, width: number, height: number): number {
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

/** Mean, and half the mean square of what neighbours in a row differ by: the variance of noise, whatever the slope. */
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
