import { verdictOfOutput } from '../../images/convert/output-codecs.ts'
import { differenceFromUpload } from '../../images/convert/reference.ts'
import { scoreOfResult } from '../../images/convert/result-score.ts'
import type { MadeFile } from '../../images/convert/verify-output.ts'
import { optionsForStored } from '../../images/search/fit-to-size.ts'
import type { Options, Source, Verdict } from '../../model/codec.ts'
import { metadataOf } from './carried.ts'
import { decodedPicture, fullSizePicture } from './picture.ts'
import { orientationOfJpeg, readHeader } from './segments.ts'

/**
 * Verifies a JPEG that was converted to another format: decodes both files and compares them. Lossless results must match in every sample.
 */
export async function verifyConverted(original: Source, made: MadeFile, asked: Options): Promise<Verdict> {
  const { result, outcome } = made
  const header = await readHeader(original, asked)
  const options = optionsForStored(asked, orientationOfJpeg(header))
  const { raster } = decodedPicture(original, header, options)
  const carried = metadataOf(header)
  const uploaded = { raster: fullSizePicture(original, header), carried }
  const verdict = await verdictOfOutput(options.output, raster, carried, made)
  const difference = verdict.difference ?? (await differenceFromUpload(uploaded, result, outcome, options))
  if (difference !== undefined) return { equal: false, difference }
  return { equal: true, ...(await scoreOfResult(uploaded, result, outcome, options, verdict.score)) }
}
