import type { Raster } from './raster.ts'

/**
 * Number of colours up to which a lossless form is tried, as a share of the pixels and as a least number. Photographs have more; their
 * lossless form is several times as large as the lossy one. `anyBelowPixels`: small pictures are always tried, because their smooth
 * gradients pack well.
 */
const FEW_COLOURS = { share: 0.04, least: 1024, anyBelowPixels: 128 * 128 }

/** True if the picture has so few colours that a lossless result may be the smallest. */
export async function hasFewColours(raster: Raster): Promise<boolean> {
  const { width, height, channels } = raster
  if (width * height <= FEW_COLOURS.anyBelowPixels) return true
  const most = Math.max(FEW_COLOURS.least, width * height * FEW_COLOURS.share)
  const colours = new Set<number>()
  for await (const strip of raster.rows()) {
    for (let at = 0; at < strip.length; at += channels) {
      let colour = 0
      for (let c = 0; c < channels; c++) colour = colour * 256 + (strip[at + c] ?? 0)
      colours.add(colour)
    }
    if (colours.size > most) return false
  }
  return true
}
