/** Generates a short uncompressed film from a function. */
import { concat } from '../../src/core/bytes/concat.ts'
import type { PictureTrack } from '../../src/core/formats/film/picture-track.ts'

export const [WIDTH, HEIGHT, FRAMES, RATE] = [192, 128, 40, 30]
const BYTES = WIDTH * HEIGHT * 2

/** Returns the film as uncompressed UYVY. `luma` returns the luma of a pixel in a frame. */
export function film(luma: (x: number, y: number, frame: number) => number): { bytes: Uint8Array; track: PictureTrack } {
  const frames = Array.from({ length: FRAMES }, (_, frame) => {
    const picture = new Uint8Array(BYTES).fill(128)
    for (let i = 0; i < WIDTH * HEIGHT; i++) picture[i * 2 + 1] = luma(i % WIDTH, Math.floor(i / WIDTH), frame)
    return picture
  })
  const samples = {
    count: FRAMES,
    offset: Float64Array.from({ length: FRAMES }, (_, i) => i * BYTES),
    size: new Uint32Array(FRAMES).fill(BYTES),
    dts: Float64Array.from({ length: FRAMES + 1 }, (_, i) => i),
    composition: new Int32Array(FRAMES),
    sync: new Uint8Array(FRAMES).fill(1),
  }
  const stream = { decoder: 'rawvideo', extradata: new Uint8Array(), width: WIDTH, height: HEIGHT, tag: 0x59565955, bitsPerSample: 16 }
  return {
    bytes: concat(frames),
    track: { stream, timescale: RATE, samples, rate: { num: RATE, den: 1 }, start: 0, isCounted: false, annexb: false },
  }
}

/** Returns simulated camera noise of a few levels. */
export const noise = (x: number, y: number, frame: number) => ((x * 7919 + y * 104_729 + frame * 1_299_709) % 7) - 3
