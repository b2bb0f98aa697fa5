/** Figures of what was converted or reduced, against all that the upload had: results have eight bits, and rounding counts. */

import { concat } from '../../bytes/concat.ts'
import { pictureFacts } from '../../catalog/outputs.ts'
import type { Options, Outcome, Source } from '../../model/codec.ts'
import { ofPixels, type PictureLoss, worseLoss } from '../../model/loss.ts'
import { memorySource } from '../../model/source.ts'
import { similarityTo16Bits } from '../compare/compare.ts'
import { orientationOf, uprightRaster16 } from '../raster/orientation.ts'
import type { Carried, Raster } from '../raster/raster.ts'
import { onWhite16, type Raster16, reduced16, toRaster16 } from '../raster/raster16.ts'
import type { Encoded } from '../search/encode-request.ts'
import { reducedSize } from '../search/fit-to-size.ts'
import { decodedRows } from './decoders.ts'
import { claimDifference, isExact } from './verify-output.ts'

/** A picture of an upload, at its own size. */
export interface UploadedPicture {
  readonly raster: Raster
  readonly carried: Carried
  /** The same with all its bits, where a sample has more than eight. */
  readonly raster16?: Raster16
}

/**
 * What a result is measured against where the eight bits that encoders see are not all there is: more bits of the upload, or those
 * that a reduced picture had before it was rounded. As the readers of `options.output` show it.
 */
export function referenceOf({ raster, carried, raster16: deep }: UploadedPicture, options: Options): Raster16 | undefined {
  const size = reducedSize(raster, options)
  if (!size && !deep) return undefined
  const whole = deep ?? toRaster16(raster)
  const wanted = size ? reduced16(whole, size.width, size.height) : whole
  if (options.output === 'jpg') return onWhite16(wanted)
  return pictureFacts(options.output)?.turnedUpright ? uprightRaster16(wanted, orientationOf(carried.exif)) : wanted
}

/** Samples that are those that went in, to which verification holds them, in a result that lacks something else. */
const SAME_SAMPLES = ofPixels({ ssim: 1, psnrDb: Number.POSITIVE_INFINITY })

/**
 * The figures of a result that was encoded from `uploaded`; undefined: nothing was lost. `isIncomplete`: it lacks something that
 * the upload has beside its samples, and is not lossless whatever they say.
 */
export async function lossAgainst(
  uploaded: UploadedPicture,
  { chunks, loss }: Pick<Encoded, 'chunks' | 'loss'>,
  isIncomplete: boolean,
  options: Options,
): Promise<PictureLoss | undefined> {
  const known = loss ?? (isIncomplete ? SAME_SAMPLES : undefined)
  const reference = referenceOf(uploaded, options)
  if (!reference) return known
  const found = await similarityTo16Bits(reference, decodedRows(options.output, memorySource(concat([...chunks]), ''), reference))
  if (!found) throw new Error(`what the ${options.output} encoder made cannot be decoded`)
  return worseLoss(known, ofPixels(found))
}

/** undefined: the figures of `outcome` are true against all that the upload had. */
export async function differenceFromUpload(
  uploaded: UploadedPicture,
  result: Source,
  outcome: Outcome,
  options: Options,
): Promise<string | undefined> {
  const reference = referenceOf(uploaded, options)
  if (!reference) return undefined
  if (isExact(outcome)) return 'a picture with more bits than the result has, or reduced, is not exact'
  const found = await similarityTo16Bits(reference, decodedRows(options.output, result, reference))
  return found ? claimDifference(outcome, found) : 'rows are missing'
}
