/** Frames of an animation as viewers show them: a frame that shows nothing new belongs to the one before. */
import type { FileView } from './file-view.ts'
import { type GifCanvas, ShownCanvas } from './gif-canvas.ts'
import type { GifFrame } from './gif-frame.ts'
import type { InventoryBuilder } from './inventory.ts'
import { addFrame, addLoop } from './picture-items.ts'

/**
 * Largest canvas that is drawn, in pixels: five bytes each, or nine if a frame restores what was below it. The decision must not depend on
 * the frames, which differ between an original and its result.
 */
const MOST_CANVAS_PIXELS = 3_000_000
/** Most pixels of all frames together that are drawn. */
const MOST_PIXELS = 256 * 1024 * 1024

interface Animation {
  readonly frames: readonly GifFrame[]
  /** `undefined`: the file does not say, so it plays once. */
  readonly plays: number | undefined
}

/**
 * Adds frames, delays, the play time and the number of plays. A file that shows one picture is no animation. If the canvas is too large to be drawn, every frame counts, and its items say so: the codec may
 * then join equal frames, which this reader cannot see.
 */
export async function addShownFrames(
  builder: InventoryBuilder,
  view: FileView,
  canvas: GifCanvas,
  { frames, plays }: Animation,
): Promise<void> {
  const pixels = frames.reduce((sum, { width, height }) => sum + width * height, 0)
  const isDrawn = canvas.width * canvas.height <= MOST_CANVAS_PIXELS && pixels <= MOST_PIXELS
  const delays = isDrawn ? await shownDelays(view, canvas, frames) : frames.map(({ delay }) => delay)
  if (delays.length < 2) return
  if (plays !== undefined) addLoop(builder, plays)
  for (const [number, delay] of delays.entries()) {
    if (isDrawn) addFrame(builder, number, delay * 10)
    else {
      builder.add('frames', 'frame of a large canvas')
      builder.add('delays', `${number} = ${delay * 10} ms, large canvas`)
    }
  }
  builder.add('play_time', `whole = ${frames.reduce((sum, { delay }) => sum + delay, 0) * 10} ms`)
}

/** Delays in 1/100 s of the pictures that viewers show. */
async function shownDelays(view: FileView, canvas: GifCanvas, frames: readonly GifFrame[]): Promise<number[]> {
  const shown = new ShownCanvas(view, canvas)
  const delays: number[] = []
  for (const frame of frames) {
    const isNew = await shown.draw(frame)
    if (isNew || delays.length === 0) delays.push(frame.delay)
    else delays[delays.length - 1]! += frame.delay
  }
  return delays
}
