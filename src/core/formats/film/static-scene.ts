/** Detects static scenes in a part of a film, for example a speaker, a slide, or a camera on a tripod. */

import { isEngineError } from '../../../../wasm/engine-error.ts'
import type { Ffmpeg } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { discard } from '../../../../wasm/memories/discard.ts'
import { yieldToEventLoop } from '../../bytes/yield.ts'
import { ReadWindow } from '../../containers/packet-window.ts'
import type { Options, Source } from '../../model/codec.ts'
import type { Cut } from './cut.ts'
import type { PictureTrack } from './picture-track.ts'
import { engineFor } from './refuse.ts'
import { SAME_LEVELS, STATIC_GAP_SECONDS, STATIC_SQUARES_SHARE } from './tuning.ts'

const [LEAST_FRAMES, MOST_FRAMES] = [12, 48]
/** Side of the squares whose means are compared, in pixels. Noise hardly changes a mean. */
const SQUARE = 8

/** A part of a film, with its source and track. */
interface Stretch {
  readonly source: Source
  readonly track: PictureTrack
  readonly cut: Cut
  readonly options: Options
}

/** True if the beginning of a part hardly changes. False if it cannot be decoded; the encoder then reports the error. */
export async function isStaticScene(part: Stretch): Promise<boolean> {
  const { num, den } = part.track.rate
  const apart = Math.min(MOST_FRAMES, Math.max(LEAST_FRAMES, Math.round((STATIC_GAP_SECONDS * num) / den)))
  using engine = engineFor(part.track.stream)
  try {
    const [a, b] = await twoPictures(engine, part, apart)
    return a !== undefined && b !== undefined && shareOfSame(a, b) >= STATIC_SQUARES_SHARE
  } catch (error) {
    if (isEngineError(error, 'ffmpeg') || error instanceof WebAssembly.RuntimeError) return false
    throw error
  }
}

/** Square means of the first picture and of the picture `apart` pictures later. */
async function twoPictures(engine: Ffmpeg, { source, track, cut, options }: Stretch, apart: number): Promise<(Float32Array | undefined)[]> {
  const { stream, samples } = track
  using window = new ReadWindow(source)
  const found: Float32Array[] = []
  let shown = 0
  engine.openVideo(stream)
  for (let i = cut.from; i < cut.to && found.length < 2; i++) {
    if (samples.size[i] === 0) continue
    if (!engine.sendVideo(await window.read(samples.offset[i]!, samples.size[i]!), i, samples.sync[i] !== 0)) return []
    for (let picture = engine.nextPicture(); picture; picture = engine.nextPicture()) {
      if (shown % apart === 0 && found.length < 2) found.push(squareMeans(engine.luma(), picture.width, picture.height))
      shown++
    }
    if ((i & 7) === 0) {
      await yieldToEventLoop(options.signal)
    }
  }
  return found
}

function squareMeans(luma: Uint8Array, width: number, height: number): Float32Array {
  const [across, down] = [Math.floor(width / SQUARE), Math.floor(height / SQUARE)]
  const means = new Float32Array(across * down)
  for (let y = 0; y < down * SQUARE; y++) {
    const row = Math.floor(y / SQUARE) * across
    for (let x = 0; x < across * SQUARE; x++) {
      means[row + Math.floor(x / SQUARE)]! += luma[y * width + x]! / (SQUARE * SQUARE)
    }
  }
  discard(luma)
  return means
}

function shareOfSame(a: Float32Array, b: Float32Array): number {
  let same = 0
  for (let i = 0; i < a.length; i++) if (Math.abs(a[i]! - b[i]!) < SAME_LEVELS) same++
  return same / a.length
}
