/**
 * JPEG of four inks that stays such, as its receipts measure it: each plane that is coded like luma, of which SSIM is the worst; errors
 * of cyan, magenta and yellow weigh as those of red, green and blue do, and black as much as all of them.
 */

import { isSegment, type JpegHeader } from '../formats/jpg/segments.ts'
import { jpegRaster } from '../images/jpeg/decode.ts'
import { meanSquaredError, psnrDb, type Similarity, SimilarityMeter } from '../metrics/ssim-psnr.ts'
import type { Source } from '../model/codec.ts'
import { unsupported } from '../model/error.ts'

/** Of cyan, magenta and yellow. */
const WEIGHTS = [0.299, 0.587, 0.114] as const
/** Content of Adobe's segment begins behind marker and length; its last byte says how inks are coded, 2 is YCCK. */
const TRANSFORM_AT = 4 + 11
const YCCK = 2

/** What is coded like luma: an ink, or the sum of three of them. */
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

export async function cmykSimilarity(before: readonly [Source, JpegHeader], after: readonly [Source, JpegHeader]): Promise<Similarity> {
  const adobe = before[1].segments.find((segment) => isSegment(segment, 0xee, 'Adobe'))
  let [ssim, error, isSame] = [1, 0, true]
  for (const plane of PLANES[adobe?.bytes[TRANSFORM_AT] === YCCK ? 'ycck' : 'cmyk']) {
    const found = await planeSimilarity(planeOf(before, plane), planeOf(after, plane), before[1])
    ssim = Math.min(ssim, found.ssim)
    error += plane.weight * meanSquaredError(found.psnrDb)
    isSame &&= found.psnrDb === Number.POSITIVE_INFINITY
  }
  return { ssim, psnrDb: psnrDb(error), psnrRgbDb: isSame ? Number.POSITIVE_INFINITY : psnrDb(error) }
}

async function planeSimilarity(before: AsyncGenerator<Uint8Array>, after: AsyncGenerator<Uint8Array>, size: JpegHeader) {
  using meter = new SimilarityMeter(size.width, size.height, 1)
  // Both are of one size, and come in strips of as many rows.
  for await (const strip of before) {
    const other = await after.next()
    if (other.done || other.value.length !== strip.length) throw unsupported('a result whose rows end early')
    meter.push(strip, other.value)
  }
  return meter.finish()
}

async function* planeOf([source, header]: readonly [Source, JpegHeader], plane: Plane): AsyncGenerator<Uint8Array> {
  for await (const strip of jpegRaster(source, header).rows())
    yield Uint8Array.from({ length: strip.length / 4 }, (_, pixel) => plane.value(strip, pixel * 4))
}
