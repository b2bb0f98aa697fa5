/** Measures the difference of two pictures by an implementation that shares no code with Whittle. */
import type { Picture } from './pictures.ts'

export interface Difference {
  /** SSIM of luma (11 × 11 Gaussian window, σ 1.5), the lower of black and white backgrounds. */
  readonly ssim: number
  /** PSNR of luma in dB; `Infinity` if equal. */
  readonly psnrDb: number
  /** Largest difference of any channel on black or on white, of 255. */
  readonly largest: number
}

/** Luma weights of ITU-R BT.601. */
const LUMA = [0.299, 0.587, 0.114] as const
const SIDE = 11
const WINDOW = (() => {
  const weights = Array.from({ length: SIDE * SIDE }, (_, i) => {
    const [x, y] = [(i % SIDE) - 5, Math.floor(i / SIDE) - 5]
    return Math.exp(-(x * x + y * y) / (2 * 1.5 * 1.5))
  })
  const sum = weights.reduce((all, weight) => all + weight, 0)
  return Float64Array.from(weights, (weight) => weight / sum)
})()
/** Approximate number of SSIM windows in a large picture; they are evenly spaced. */
const WINDOWS = 30_000

/**
 * Returns the difference of two pictures.
 * @throws Error if their sizes differ
 */
export function differenceOf(a: Picture, b: Picture): Difference {
  if (a.width !== b.width || a.height !== b.height) throw new Error(`${a.width}×${a.height} and ${b.width}×${b.height} cannot be compared`)
  if (same(a, b)) return { ssim: 1, psnrDb: Number.POSITIVE_INFINITY, largest: 0 }
  const grounds = (isOpaque(a) && isOpaque(b) ? [0] : [0, 255]).map((ground) => on(ground, a, b))
  return {
    ssim: Math.min(...grounds.map(({ ssim }) => ssim)),
    psnrDb: Math.min(...grounds.map(({ psnrDb }) => psnrDb)),
    largest: Math.max(...grounds.map(({ largest }) => largest)),
  }
}

const bytesOf = ({ rgba }: Picture) => Buffer.from(rgba.buffer, rgba.byteOffset, rgba.byteLength)
const same = (a: Picture, b: Picture) => bytesOf(a).equals(bytesOf(b))

function isOpaque({ rgba }: Picture): boolean {
  for (let i = 3; i < rgba.length; i += 4) if (rgba[i] !== 65_535) return false
  return true
}

function on(ground: number, a: Picture, b: Picture): Difference {
  const [x, y] = [new Float64Array(a.width * a.height), new Float64Array(a.width * a.height)]
  let [squares, largest] = [0, 0]
  for (let i = 0; i < x.length; i++) {
    const [alphaA, alphaB] = [a.rgba[4 * i + 3]! / 65_535, b.rgba[4 * i + 3]! / 65_535]
    for (let channel = 0; channel < 3; channel++) {
      const left = (a.rgba[4 * i + channel]! / 257) * alphaA + ground * (1 - alphaA)
      const right = (b.rgba[4 * i + channel]! / 257) * alphaB + ground * (1 - alphaB)
      largest = Math.max(largest, Math.abs(left - right))
      x[i]! += LUMA[channel]! * left
      y[i]! += LUMA[channel]! * right
    }
    squares += (x[i]! - y[i]!) ** 2
  }
  const psnrDb = squares === 0 ? Number.POSITIVE_INFINITY : 10 * Math.log10((255 * 255 * x.length) / squares)
  return { ssim: squares === 0 ? 1 : ssimOf(x, y, a.width), psnrDb, largest }
}

/** Returns the mean SSIM over the windows that lie completely inside. */
function ssimOf(x: Float64Array, y: Float64Array, width: number): number {
  const height = x.length / width
  if (width < SIDE || height < SIDE) return 1
  const step = Math.max(1, Math.round(Math.sqrt((width * height) / WINDOWS)))
  let [sum, count] = [0, 0]
  for (let top = 0; top + SIDE <= height; top += step) {
    for (let left = 0; left + SIDE <= width; left += step) {
      sum += windowOf(x, y, width, top * width + left)
      count++
    }
  }
  return sum / count
}

function windowOf(x: Float64Array, y: Float64Array, width: number, at: number): number {
  let [mx, my, xx, yy, xy] = [0, 0, 0, 0, 0]
  for (let i = 0; i < WINDOW.length; i++) {
    const place = at + Math.floor(i / SIDE) * width + (i % SIDE)
    const [weight, a, b] = [WINDOW[i]!, x[place]!, y[place]!]
    mx += weight * a
    my += weight * b
    xx += weight * a * a
    yy += weight * b * b
    xy += weight * a * b
  }
  const [c1, c2] = [(0.01 * 255) ** 2, (0.03 * 255) ** 2]
  return ((2 * mx * my + c1) * (2 * (xy - mx * my) + c2)) / ((mx * mx + my * my + c1) * (xx - mx * mx + (yy - my * my) + c2))
}
