/** Verifies JPEG XL results: decodes them and compares pixels and metadata with the picture. */
import { withEngines } from '../../../../wasm/loading/engine-files.ts'
import { equalBytes } from '../../bytes/equal.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import type { Outcome, Source } from '../../model/codec.ts'
import { similarityOfRows } from '../compare/compare.ts'
import { lossDifference } from '../convert/claims.ts'
import { orientationOf, uprightRaster, withUprightOrientation } from '../raster/orientation.ts'
import { asRgba, type PictureMetadata, type Raster } from '../raster/raster.ts'

/**
 * Describes how a JPEG XL result differs from the picture and its metadata. The picture is rotated upright first, as its pixels are stored.
 * `undefined`: no difference.
 */
export async function differenceOfJxl(
  stored: Raster,
  carried: PictureMetadata,
  result: Source,
  outcome: Outcome,
): Promise<string | undefined> {
  const raster = uprightRaster(stored, orientationOf(carried.exif))
  const { metadataOfJxl, withJxl } = await withEngines(import('./decode.ts'))
  const { exif, xmp } = await metadataOfJxl(result)
  if (carried.exif && !isSame(withUprightOrientation(carried.exif), exif)) return 'EXIF was lost'
  if (carried.xmp && !isSame(carried.xmp, xmp)) return 'XMP was lost'
  let found: Similarity | undefined
  const difference = await withJxl(result, raster.width * raster.height, async (picture, icc) => {
    if (picture.width !== raster.width || picture.height !== raster.height)
      return `the result has ${picture.width}×${picture.height} pixels, expected ${raster.width}×${raster.height}`
    if (carried.icc && !isSame(carried.icc, icc)) return 'the ICC profile was lost'
    found = await similarityOfRows(asRgba(raster), asRgba(picture).rows())
    return found ? undefined : 'the result has fewer rows than the upload'
  })
  return difference ?? (found ? lossDifference(outcome, found) : 'the result cannot be decoded')
}

const isSame = (bytes: Uint8Array, kept: Uint8Array | undefined) =>
  kept !== undefined && bytes.length === kept.length && equalBytes(bytes, kept)
