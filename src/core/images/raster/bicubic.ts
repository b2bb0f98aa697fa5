/** Scales pictures row by row with the bicubic filter (a = −0.5) that viewers use to enlarge or reduce pictures. */

import { type FilterWindow, type RowSample, Scaler } from '../../../../wasm/scale/scale.ts'

/** Weights of the input samples for each output sample: normalised, clipped at the edges, widened for reduction. */
function tapsFor(input: number, output: number): FilterWindow[] {
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
 * Scales rows to another size. @param rows packed rows of `width` × `channels` samples, any number at a time @param channels 3 (RGB) or 4
 * (RGBA, not premultiplied; colours are weighted by opacity) @param sample output rows to compute; default: all @yields whole rows of
 * `toWidth` samples, as views that are valid until the next ones are requested
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
