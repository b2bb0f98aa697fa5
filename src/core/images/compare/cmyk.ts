/**
 * Compares CMYK pictures in the way that receipts of JPEG use. SSIM is the worst of all planes that are coded like luma. Errors of cyan,
 * magenta and yellow have the weights of red, green and blue; errors of black count as all three together.
 */
import { meanSquaredError, psnrDb, type Similarity } from '../../metrics/ssim-psnr.ts'
import type { Raster } from '../raster/raster.ts'
import { similarityOfRows } from './compare.ts'

/** Weights of cyan, magenta and yellow: the luma weights of red, green and blue (ITU-R BT.601). */
const WEIGHTS = [0.299, 0.587, 0.114] as const

/** Plane that is coded like luma: one ink, or the weighted sum of three inks. */
interface Plane {
  readonly weight: number
  value(strip: Uint8Array, at: number): number
}

const inkAt = (ink: number, weight: number): Plane => ({ weight, value: (strip, at) => strip[at + ink]! })
const BLACK = inkAt(3, 1)
const LUMA: Plane = {
  weight: 1,
  value: (strip, at) => Math.round(WEIGHTS.reduce((sum, weight, ink) => sum + weight * strip[at + ink]!, 0)),
}
const PLANES = { cmyk: [...WEIGHTS.map((weight, ink) => inkAt(ink, weight)), BLACK], ycck: [LUMA, BLACK] }

/**
 * Compares two CMYK pictures. `undefined`: `candidate` has too few rows. @param coding how the JPEG stores colours: each ink, or luma and
 * chroma of three inks
 */
export async function similarityOfCmyk(reference: Raster, candidate: Raster, coding: 'cmyk' | 'ycck'): Promise<Similarity | undefined> {
  let [ssim, error, isSame] = [1, 0, true]
  for (const plane of PLANES[coding]) {
    const found = await similarityOfRows(planeOf(reference, plane), planeOf(candidate, plane).rows())
    if (!found) return undefined
    ssim = Math.min(ssim, found.ssim)
    error += plane.weight * meanSquaredError(found.psnrDb)
    isSame &&= found.psnrDb === Number.POSITIVE_INFINITY
  }
  return { ssim, psnrDb: psnrDb(error), psnrRgbDb: isSame ? Number.POSITIVE_INFINITY : psnrDb(error) }
}

const planeOf = ({ width, height, rows }: Raster, plane: Plane): Raster => ({
  width,
  height,
  channels: 1,
  async *rows() {
    for await (const strip of rows()) yield Uint8Array.from({ length: strip.length / 4 }, (_, pixel) => plane.value(strip, pixel * 4))
  },
})
