/** Downsampling row by row with Lanczos windows (a = 3): sharp, no aliasing; a few rows in memory. */
import { type Raster, stripRows } from './raster.ts'

/** Which input samples make an output sample, and how much of each. */
interface Window {
  readonly first: number
  readonly weights: Float32Array
}

const LOBES = 3

function lanczos(x: number): number {
  if (x === 0) return 1
  if (Math.abs(x) >= LOBES) return 0
  const p = Math.PI * x
  return (LOBES * Math.sin(p) * Math.sin(p / LOBES)) / (p * p)
}

function windows(from: number, to: number): Window[] {
  const scale = Math.max(1, from / to)
  return Array.from({ length: to }, (_, index) => {
    const centre = ((index + 0.5) * from) / to - 0.5
    const first = Math.max(0, Math.ceil(centre - LOBES * scale))
    const last = Math.min(from - 1, Math.floor(centre + LOBES * scale))
    const weights = Float32Array.from({ length: last - first + 1 }, (_, i) => lanczos((first + i - centre) / scale))
    const sum = weights.reduce((total, weight) => total + weight, 0)
    return { first, weights: weights.map((weight) => weight / sum) }
  })
}

/** The largest size within a box that keeps the proportions; undefined when the picture already fits. */
export function fittedSize(
  width: number,
  height: number,
  box: { width: number; height: number },
): { width: number; height: number } | undefined {
  const scale = Math.min(box.width / width, box.height / height)
  if (!(scale < 1)) return undefined
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** The picture at a smaller size. Alpha is averaged like colour, which is right for opaque pictures only. */
export function resized(raster: Raster, width: number, height: number): Raster {
  const { channels } = raster
  return {
    width,
    height,
    channels,
    async *rows() {
      const across = windows(raster.width, width)
      const down = windows(raster.height, height)
      const stride = width * channels
      const narrow = new Map<number, Float32Array>() // input rows, already as narrow as the output
      const strip = new Uint8Array(stripRows(width, channels) * stride)
      let filled = 0
      let next = 0
      let row = 0
      for await (const input of raster.rows()) {
        const inputStride = raster.width * channels
        for (let at = 0; at < input.length; at += inputStride, row++) {
          narrow.set(row, narrowed(input, at, across, channels))
          for (let window = down[next]; window && window.first + window.weights.length - 1 <= row; window = down[++next]) {
            blend(narrow, window, strip, filled)
            filled += stride
            for (const old of narrow.keys()) if (old < (down[next + 1]?.first ?? row)) narrow.delete(old)
            if (filled < strip.length) continue
            yield strip.slice()
            filled = 0
          }
        }
      }
      if (filled > 0) yield strip.slice(0, filled)
    },
  }
}

function narrowed(input: Uint8Array, at: number, across: readonly Window[], channels: number): Float32Array {
  const out = new Float32Array(across.length * channels)
  across.forEach(({ first, weights }, x) => {
    for (let c = 0; c < channels; c++) {
      let sum = 0
      let from = at + first * channels + c
      for (let i = 0; i < weights.length; i++, from += channels) sum += (weights[i] as number) * (input[from] as number)
      out[x * channels + c] = sum
    }
  })
  return out
}

function blend(rows: Map<number, Float32Array>, window: Window, out: Uint8Array, at: number): void {
  const length = rows.values().next().value?.length ?? 0
  const sums = new Float32Array(length)
  window.weights.forEach((weight, i) => {
    const row = rows.get(window.first + i)
    if (row) for (let x = 0; x < length; x++) sums[x] = (sums[x] as number) + weight * (row[x] as number)
  })
  for (let x = 0; x < length; x++) out[at + x] = Math.max(0, Math.min(255, Math.round(sums[x] as number)))
}
