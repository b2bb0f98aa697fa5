/** Parts of pictures, row by row. */
import type { Frame } from '../../model/rendition.ts'
import type { Raster } from './raster.ts'

/** Returns the part of a picture. Reading ends with the last row of the part, so that no row below it is decoded. */
export function cropped(raster: Raster, { left, top, width, height }: Frame): Raster {
  const isWhole = left === 0 && top === 0 && width === raster.width && height === raster.height
  return isWhole ? raster : { width, height, channels: raster.channels, rows: () => partOfRows(raster, { left, top, width, height }) }
}

async function* partOfRows(raster: Raster, { left, top, width, height }: Frame): AsyncGenerator<Uint8Array> {
  const { channels } = raster
  const stride = raster.width * channels
  const bytes = width * channels
  let y = 0
  for await (const strip of raster.rows()) {
    const rows = strip.length / stride
    const first = Math.max(0, top - y)
    const end = Math.min(rows, top + height - y)
    y += rows
    if (end <= first) continue
    const part = new Uint8Array((end - first) * bytes)
    for (let row = first; row < end; row++) {
      const from = row * stride + left * channels
      part.set(strip.subarray(from, from + bytes), (row - first) * bytes)
    }
    yield part
    if (y >= top + height) return
  }
}
