/**
 * Compresses GIFs whose canvas exceeds memory, or that viewers show differently. Every frame keeps its pixels and is encoded again row by
 * row, lossless.
 */

import { BYTES_PER_PIXEL, BYTES_PER_RESTORED, GifEngine, scoringBytes } from '../../../../wasm/gif/gif.ts'
import { ByteReader } from '../../bytes/reader.ts'
import { GIF } from '../../catalog/formats/gif.ts'
import { message } from '../../i18n/message.ts'
import { fitsMemoryBudget, maxPixelsOf } from '../../model/budget.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { malformed, overBudget } from '../../model/error.ts'
import { FIXED_BYTES, MOST_ENCODER_BYTES, MOST_FRAME_PIXELS } from './tuning.ts'

type Frames = (source: Source, engine: GifEngine, options: Options) => AsyncGenerator<boolean>

/** Reads the size of the canvas from the logical screen descriptor (GIF89a, 18). */
export async function readCanvasSize(source: Source): Promise<{ readonly width: number; readonly height: number }> {
  const head = await source.read(0, 10)
  if (head.length < 10) throw malformed('gif', head.length, 'no_logical_screen')
  const reader = new ByteReader(head, true)
  return { width: reader.u16(6), height: reader.u16(8) }
}

/** True if the canvas does not fit the memory budget. */
export async function isCanvasTooLarge(source: Source, options: Options): Promise<boolean> {
  const { width, height } = await readCanvasSize(source)
  if (width * height > maxPixelsOf(GIF.mostPixels, options)) throw overBudget(message('canvas_of', { width, height }))
  return !canvasFits({ width, height }, options)
}

/**
 * True if the canvas fits the memory budget. `restored` and `frames` come from the scan. Restored pixels count twice, for both verifying
 * engines.
 */
export function canvasFits(
  { width, height, restored = 0, frames = 1 }: { width: number; height: number; restored?: number; frames?: number },
  options: Options,
): boolean {
  const canvases = width * height * BYTES_PER_PIXEL[frames > 1 ? 'encode' : 'still'] + 2 * restored * BYTES_PER_RESTORED
  const bytes = canvases + scoringBytes({ width, height }) + FIXED_BYTES
  return fitsMemoryBudget(options, bytes, options.output === 'gif' ? MOST_ENCODER_BYTES : undefined)
}

const openEngine = () => new GifEngine(() => undefined)

export async function recodeFrames(source: Source, sink: Sink, framesOf: Frames, options: Options): Promise<Outcome> {
  if (options.output !== 'gif') throw overBudget('canvas_too_large_to_be_drawn')
  using engine = openEngine()
  let frames = 0
  for (const mode of ['countFrames', 'writeFrames'] as const) {
    engine.begin(mode)
    for await (const frame of framesOf(source, engine, options)) {
      if (frame) frames = engine.facts().frames
      if (engine.framePixels > MOST_FRAME_PIXELS) throw overBudget('more_frames_than_job_has_time')
      for (const piece of engine.drain()) await sink.write(piece)
    }
    engine.finish()
    options.progress(mode === 'countFrames' ? 0.5 : 0.9)
  }
  for (const piece of engine.drain(true)) await sink.write(piece)
  return { kind: 'compressed', steps: [frames === 1 ? message('frame_coded_anew') : message('frames_coded_anew', { frames })] }
}

/** Decodes both files frame by frame and compares indices, colour tables, positions, times and extensions. */
export async function verifyRecodedFrames(original: Source, result: Source, framesOf: Frames, options: Options): Promise<Verdict> {
  using first = openEngine()
  using second = openEngine()
  const engines = [first, second] as const
  for (const engine of engines) engine.begin('lookAtFrames')
  const [before, after] = [framesOf(original, engines[0], options), framesOf(result, engines[1], options)]
  for (let number = 0; ; number++) {
    const [left, right] = [await before.next(), await after.next()]
    if (left.value !== right.value) return { equal: false, difference: `one of both ends after ${number} frames` }
    if (engines[0].currentFrame().digest !== engines[1].currentFrame().digest)
      return { equal: false, difference: `frame ${number} differs` }
    if (!left.value) break
  }
  for (const engine of engines) engine.finish()
  return { equal: true }
}
