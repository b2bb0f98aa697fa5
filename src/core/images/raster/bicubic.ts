/** Pictures scaled row by row, as programs do when they show a small picture large, or a large one small: bicubic (a = −0.5). */

import { type RowSample, Scaler, type Taps } from '../../../../wasm/scale/scale.ts'

/** Weights of the input samples for each output sample; normalised, cut at the edges, as wide as a smaller size needs. */
function tapsFor(input: number, output: number): Taps[] {
  const scale = input / output
  const reach = Math.max(1, scale)
  return Array.from({ length: output }, (_, index) => {
    const centre = (index + 0.5) * scale
    const first = Math.max(0, Math.floor(centre - 2 * reach + 0.5))
    const end = Math.min(input, Math.floor(centre + 2 * reach + 0.5))
    const weights = Float32Array.from({ length: end - first }, (_, tap) => cubic((first + tap - centre + 0.5) / reach))
    const sum = weights.reduce((total, weight) => total + weight, 0)
    return { first, weights: weights.map((weight) => weight / sum) }
  })
}

function cubic(distance: number): number {
  const x = Math.abs(distance)
  if (x < 1) return (1.5 * x - 2.5) * x * x + 1
  return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
}

/**
 * @param rows packed rows of `width` × `channels` samples, any number at a time
 * @param channels 3 (RGB) or 4 (RGBA, not premultiplied; colour counts as much as it is opaque)
 * @param sample the rows that are wanted: all, unless told otherwise
 * @yields whole rows of `toWidth` samples, as views that hold until the next ones are asked for
 */
export async function* scaledBicubic(
  rows: AsyncIterable<Uint8Array>,
  channels: 3 | 4,
  { width, height }: { width: number; height: number },
  { width: toWidth, height: toHeight }: { width: number; height: number },
  sample?: RowSample,
): AsyncGenerator<Uint8Array> {
  using scaler = new Scaler({
    width,
    height,
    channels,
    across: tapsFor(width, toWidth),
    down: tapsFor(height, toHeight),
    alpha: channels === 4,
    ...(sample ? { sample } : {}),
  })
  for await (const batch of rows) yield* scaler.push(batch)
}
