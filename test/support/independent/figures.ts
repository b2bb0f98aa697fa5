/** How far two pictures differ, written down from the definitions: slow, and nothing of it is the service's. */
import type { Picture } from './pictures.ts'

export interface Difference {
  /** Luma, 11×11 Gaussian window with σ 1.5; the worse of the two on black and on white. */
  readonly ssim: number
  /** Luma, in dB; Infinity where none differs. */
  readonly psnrDb: number
  /** Of a channel of a pixel on black or on white, of 255. */
  readonly largest: number
}

/** ITU-R BT.601. */
const LUMA = [0.299, 0.587, 0.114] as const
const SIGMA = 1.5
const RADIUS = 5
const WINDOW = (() => {
  const weights = Array.from({ length: 2 * RADIUS + 1 }, (_, i) => Math.exp(-((i - RADIUS) ** 2) / (2 * SIGMA * SIGMA)))
  const sum = weights.reduce((all, weight) => all + weight, 0)
  return weights.map((weight) => weight / sum)
})()

export function differenceOf(a: Picture, b: Picture): Difference {
  if (a.width !== b.width || a.height !== b.height) throw new Error(`${a.width}×${a.height} and ${b.width}×${b.height} cannot be compared`)
  const grounds = [0, 255].map((ground) => on(ground, a, b))
  return {
    ssim: Math.min(...grounds.map(({ ssim }) => ssim)),
    psnrDb: Math.min(...grounds.map(({ psnrDb }) => psnrDb)),
    largest: Math.max(...grounds.map(({ largest }) => largest)),
  }
}

function on(ground: number, a: Picture, b: Picture): Difference {
  const [x, y] = [new Float64Array(a.width * a.height), new Float64Array(a.width * a.height)]
  let [squares, largest] = [0, 0]
  for (let i = 0; i < x.length; i++) {
    for (let channel = 0; channel < 3; channel++) {
      const [left, right] = [shown(a, i, channel, ground), shown(b, i, channel, ground)]
      largest = Math.max(largest, Math.abs(left - right))
      x[i]! += LUMA[channel]! * left
      y[i]! += LUMA[channel]! * right
    }
    squares += (x[i]! - y[i]!) ** 2
  }
  const psnrDb = squares === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10((255 * 255 * x.length) / squares)
  return { ssim: squares === 0 ? 1 : ssimOf(x, y, a.width), psnrDb, largest }
}

/** A channel of a pixel over a grey ground, of 255. */
function shown({ rgba }: Picture, pixel: number, channel: number, ground: number): number {
  const alpha = rgba[pixel * 4 + 3]! / 65_535
  return (rgba[pixel * 4 + channel]! / 257) * alpha + ground * (1 - alpha)
}

/** Mean over all windows that lie inside. */
function ssimOf(x: Float64Array, y: Float64Array, width: number): number {
  const height = x.length / width
  if (width <= 2 * RADIUS || height <= 2 * RADIUS) return 1
  const blurred = (value: (i: number) => number) =>
    blur(
      Float64Array.from(x, (_, i) => value(i)),
      width,
    )
  const [mx, my] = [blurred((i) => x[i]!), blurred((i) => y[i]!)]
  const [xx, yy, xy] = [blurred((i) => x[i]! ** 2), blurred((i) => y[i]! ** 2), blurred((i) => x[i]! * y[i]!)]
  const [c1, c2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2]
  let sum = 0
  for (let i = 0; i < mx.length; i++) {
    const [a, b] = [mx[i]!, my[i]!]
    const [vx, vy, cov] = [xx[i]! - a * a, yy[i]! - b * b, xy[i]! - a * b]
    sum += ((2 * a * b + c1) * (2 * cov + c2)) / ((a * a + b * b + c1) * (vx + vy + c2))
  }
  return sum / mx.length
}

/** Rows, then columns; only where the window lies inside. */
function blur(values: Float64Array, width: number): Float64Array {
  const height = values.length / width
  const inner = width - 2 * RADIUS
  const rows = new Float64Array(inner * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < inner; x++) {
      let sum = 0
      for (let k = 0; k < WINDOW.length; k++) sum += WINDOW[k]! * values[y * width + x + k]!
      rows[y * inner + x] = sum
    }
  const out = new Float64Array(inner * (height - 2 * RADIUS))
  for (let i = 0; i < out.length; i++) {
    let sum = 0
    for (let k = 0; k < WINDOW.length; k++) sum += WINDOW[k]! * rows[i + k * inner]!
    out[i] = sum
  }
  return out
}
