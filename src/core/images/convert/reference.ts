/**
 * Compares converted or reduced pictures with the full precision of the upload. Results have 8 bits a sample, so rounding counts as loss.
 */

import { concat } from '../../bytes/concat.ts'
import { pictureFacts } from '../../catalog/outputs.ts'
import type { Options, Outcome, Source } from '../../model/codec.ts'
import { type PictureLoss, pixelLoss, worseLoss } from '../../model/loss.ts'
import { memorySource } from '../../model/source.ts'
import { similarityTo16Bits } from '../compare/compare.ts'
import { orientationOf, uprightRaster16 } from '../raster/orientation.ts'
import type { PictureMetadata, Raster } from '../raster/raster.ts'
import { onWhite16, type Raster16, resizedByOpacity16, toRaster16 } from '../raster/raster16.ts'
import type { EncodedPicture } from '../search/encode-request.ts'
import { reducedSize } from '../search/fit-to-size.ts'
import { claimDifference, isExact } from './claims.ts'
import { decodedRows } from './decoders.ts'

/** Uploaded picture at its original size. */
export interface UploadedPicture {
  readonly raster: Raster
  readonly carried: PictureMetadata
  /** Picture with all its bits. `undefined`: samples have 8 bits. */
  readonly raster16?: Raster16
}

/**
 * 16-bit reference for the result, as readers of `options.output` show it. It exists if the upload has more than 8 bits, or if the picture
 * is reduced. `undefined`: compare with the 8-bit raster.
 */
export function referenceOf({ raster, carried, raster16: deep }: UploadedPicture, options: Options): Raster16 | undefined {
  const size = reducedSize(raster, options)
  if (!size && !deep) return undefined
  const whole = deep ?? toRaster16(raster)
  const resized = size ? resizedByOpacity16(whole, size.width, size.height) : whole
  if (options.output === 'jpg') return onWhite16(resized)
  return pictureFacts(options.output)?.turnedUpright ? uprightRaster16(resized, orientationOf(carried.exif)) : resized
}

/** Loss record of a result with unchanged samples that lacks something else, so that verification still compares the samples. */
const SAME_SAMPLES = pixelLoss({ ssim: 1, psnrDb: Number.POSITIVE_INFINITY })

/**
 * Quality figures of a result that was encoded from `uploaded`. `undefined`: lossless. `isIncomplete`: the result lacks metadata of the
 * upload, so it does not count as lossless.
 */
export async function lossAgainst(
  uploaded: UploadedPicture,
  { chunks, loss }: Pick<EncodedPicture, 'chunks' | 'loss'>,
  isIncomplete: boolean,
  options: Options,
): Promise<PictureLoss | undefined> {
  const known = loss ?? (isIncomplete ? SAME_SAMPLES : undefined)
  const reference = referenceOf(uploaded, options)
  if (!reference) return known
  const found = await similarityTo16Bits(reference, decodedRows(options.output, memorySource(concat([...chunks]), ''), reference))
  if (!found) throw new Error(`the result of the ${options.output} encoder cannot be decoded`)
  return worseLoss(known, pixelLoss(found))
}

/** Describes how the figures of `outcome` differ from a comparison with the upload's full precision. `undefined`: they agree. */
export async function differenceFromUpload(
  uploaded: UploadedPicture,
  result: Source,
  outcome: Outcome,
  options: Options,
): Promise<string | undefined> {
  const reference = referenceOf(uploaded, options)
  if (!reference) return undefined
  if (isExact(outcome)) return 'the outcome claims a lossless result, but the picture was reduced or has more bits than the result'
  const found = await similarityTo16Bits(reference, decodedRows(options.output, result, reference))
  return found ? claimDifference(outcome, found) : 'the result has fewer rows than the upload'
}
