/** Compares two animations with the same frames: the canvases that viewers show, or every sample. */
import { equalBytes } from '../../bytes/equal.ts'
import { similarityOfRows } from '../../images/compare/compare.ts'
import { wholeRgba } from '../../images/raster/raster.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import type { Options, Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { Canvas } from './canvas.ts'
import type { WebpFile } from './file.ts'
import { openRaster } from './raster.ts'

type Animation = readonly [source: Source, file: WebpFile]

/** Figures of the canvas with the lowest ones, in SSIM and in PSNR. */
export async function worstSimilarity(original: Animation, result: Animation, options: Options): Promise<Similarity> {
  const canvases = [new Canvas(original[1]), new Canvas(result[1])] as const
  const worst = { ssim: 1, psnrDb: Number.POSITIVE_INFINITY, psnrRgbDb: Number.POSITIVE_INFINITY }
  for (const number of original[1].frames.keys()) {
    options.signal.throwIfAborted()
    for (const [i, [source, { frames }]] of [original, result].entries()) {
      const frame = frames[number]
      if (frame) await canvases[i]!.draw(frame, await openRaster(source, frame.picture, options))
    }
    const found = await similarityOfRows({ ...canvases[0].raster, channels: 4 }, canvases[1].raster.rows())
    if (!found) throw unsupported('webp_pixels_damaged')
    worst.ssim = Math.min(worst.ssim, found.ssim)
    worst.psnrDb = Math.min(worst.psnrDb, found.psnrDb)
    worst.psnrRgbDb = Math.min(worst.psnrRgbDb, found.psnrRgbDb)
  }
  return worst
}

/** Number of the first frame with other samples. `undefined`: none. */
export async function differentFrame(original: Animation, result: Animation, options: Options): Promise<number | undefined> {
  for (const [number, frame] of original[1].frames.entries()) {
    const other = result[1].frames[number]
    if (!other) return number
    options.signal.throwIfAborted()
    const before = await wholeRgba(await openRaster(original[0], frame.picture, options))
    const after = await wholeRgba(await openRaster(result[0], other.picture, options))
    if (!equalBytes(new Uint8Array(before.buffer), new Uint8Array(after.buffer))) return number
  }
  return undefined
}
