/** SSIMULACRA 2 score of results: decoded as viewers show them and compared with the upload, reduced to the result's size. */
import { JpegRows } from '../../../../wasm/jpeg/jpeg.ts'
import { pictureFacts } from '../../catalog/outputs.ts'
import type { Options, Outcome, Source } from '../../model/codec.ts'
import { freedChunks } from '../../model/source.ts'
import { scoreOfRows } from '../compare/compare.ts'
import { orientationOf, uprightRaster } from '../raster/orientation.ts'
import { asRgba, onWhite, type Raster } from '../raster/raster.ts'
import { toRaster8 } from '../raster/raster16.ts'
import { resizedByOpacity } from '../raster/resize.ts'
import { reducedSize } from '../search/fit-to-size.ts'
import { isExact } from './claims.ts'
import { decodedRows } from './decoders.ts'
import { referenceOf, type UploadedPicture } from './reference.ts'

/**
 * Score of a file of format `options.output`, for the verdict. Empty for lossless results. @param known score compared with the picture that
 * was encoded, which counts if that is the upload with all its pixels and bits
 */
export async function scoreOfResult(
  uploaded: UploadedPicture,
  result: Source,
  outcome: Outcome,
  options: Options,
  known?: number,
): Promise<{ readonly ssimulacra2?: number | undefined }> {
  if (isExact(outcome)) return {}
  if (known !== undefined && !referenceOf(uploaded, options)) return { ssimulacra2: known }
  const reference = displayedReference(uploaded, options)
  const decoded = reference.channels === 4 ? decodedRows(options.output, result, reference) : opaqueRows(result, reference)
  return { ssimulacra2: await scoreOfRows(reference, decoded) }
}

/** 8-bit reference of the score: RGBA, or opaque on white for JPEG output. */
function displayedReference(uploaded: UploadedPicture, options: Options): Raster {
  const deep = uploaded.raster16 && referenceOf(uploaded, options)
  if (deep) return toRaster8(deep)
  const { carried } = uploaded
  const size = reducedSize(uploaded.raster, options)
  const raster = size ? resizedByOpacity(uploaded.raster, size.width, size.height) : uploaded.raster
  if (options.output === 'jpg') return onWhite(raster)
  return asRgba(pictureFacts(options.output)?.turnedUpright ? uprightRaster(raster, orientationOf(carried.exif)) : raster)
}

async function* opaqueRows(result: Source, { width, height, channels }: Raster): AsyncGenerator<Uint8Array> {
  using jpeg = await JpegRows.open(freedChunks(result), { colour: channels === 1 ? 'gray' : 'rgb' })
  if (jpeg.width === width && jpeg.height === height) yield* jpeg.strips(64)
}
