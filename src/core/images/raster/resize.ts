/** Reduces pictures row by row with Lanczos windows (a = 3): sharp, without aliasing, with a few rows in memory. */

import { type FilterWindow, Scaler } from '../../../../wasm/scale/scale.ts'
import { sin } from '../../bytes/same-math.ts'
import { asRgba, type Raster } from './raster.ts'

const LOBES = 3

function lanczos(x: number): number {
  if (x === 0) return 1
  if (Math.abs(x) >= LOBES) return 0
  const p = Math.PI * x
  return (LOBES * sin(p) * sin(p / LOBES)) / (p * p)
}

/** Window of source samples and their weights for each sample of the smaller side. */
export function lanczosWindows(from: number, to: number): FilterWindow[] {
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

/** Largest size within a box that keeps the aspect ratio. `undefined`: the picture already fits. */
export function sizeWithin(
  width: number,
  height: number,
  box: { width: number; height: number },
): { width: number; height: number } | undefined {
  const scale = Math.min(box.width / width, box.height / height)
  if (!(scale < 1)) return undefined
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

/** Returns the picture at a smaller size. Alpha is averaged like colour, which is correct for opaque pictures only. */
export const resized = (raster: Raster, width: number, height: number): Raster => scaled(raster, width, height, false)

/** Returns the picture at a smaller size, with colours weighted by opacity. */
export function resizedByOpacity(raster: Raster, width: number, height: number): Raster {
  const colours = raster.channels === 2 ? asRgba(raster) : raster
  return scaled(colours, width, height, colours.channels === 4)
}

function scaled(raster: Raster, width: number, height: number, alpha: boolean): Raster {
  const { channels } = raster
  return {
    width,
    height,
    channels,
    async *rows() {
      using scaler = new Scaler({
        width: raster.width,
        height: raster.height,
        channels,
        alpha,
        across: lanczosWindows(raster.width, width),
        down: lanczosWindows(raster.height, height),
      })
      for await (const strip of raster.rows()) yield* scaler.push(strip)
    },
  }
}
