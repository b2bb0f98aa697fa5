import type { Raster } from './raster.ts'

/** The same picture, whose rows are made once and kept for whoever asks again. */
export function cachedRaster(raster: Raster): Raster {
  let kept: readonly Uint8Array[] | undefined
  return {
    ...raster,
    async *rows() {
      if (kept) return yield* kept
      const strips: Uint8Array[] = []
      for await (const strip of raster.rows()) {
        strips.push(strip.slice())
        yield strip
      }
      kept = strips
    },
  }
}
