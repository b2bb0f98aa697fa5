import type { Raster } from './raster.ts'

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
