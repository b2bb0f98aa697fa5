import { type Raster, stripsOf } from './raster.ts'

/** Returns the picture with its rows cached: the first complete iteration stores them for later ones. */
export function cachedRaster(raster: Raster): Raster {
  let cached: readonly Uint8Array[] | undefined
  return {
    ...raster,
    async *rows() {
      if (cached) return yield* cached
      const strips: Uint8Array[] = []
      for await (const strip of raster.rows()) {
        strips.push(strip.slice())
        yield strip
      }
      cached = strips
    },
  }
}

/** Size in bytes of a picture up to which it is cached, so that a search does not decode the original for every step. */
const CACHED_RASTER_BYTES = 4 * 1024 * 1024

/**
 * Returns the picture with its samples cached by the first complete iteration, if they are few.
 * @param spareBytes memory that the samples may take
 * @param mostBytes size up to which samples are few
 */
export function cachedIfSmall(raster: Raster, spareBytes: number = CACHED_RASTER_BYTES, mostBytes = CACHED_RASTER_BYTES): Raster {
  const { width, height, channels } = raster
  const bytes = width * height * channels
  if (bytes > Math.min(mostBytes, spareBytes)) return raster
  let whole: Uint8Array | undefined
  return {
    ...raster,
    async *rows() {
      if (whole) return yield* stripsOf(whole, raster)
      const copy = new Uint8Array(bytes)
      let at = 0
      for await (const strip of raster.rows()) {
        copy.set(strip, at)
        at += strip.length
        yield strip
      }
      if (at === bytes) whole = copy
    },
  }
}
