/** Reads and compares WebP files for the audit of receipts. */
import type { ConvertiblePicture } from '../../images/convert/convert.ts'
import type { Similarity } from '../../metrics/ssim-psnr.ts'
import type { Options, Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { differentFrame, worstSimilarity } from './compare-frames.ts'
import { readWebpFile } from './file.ts'
import { convertible } from './still.ts'

/** True if the file has frames instead of one picture. */
export const isAnimation = async (source: Source, { signal }: Options): Promise<boolean> =>
  (await readWebpFile(source, signal)).still === undefined

/** Reads a still WebP as a picture that can be converted. @throws CodecError `unsupported_feature` for an animation */
export async function convertibleWebpOf(source: Source, options: Options): Promise<ConvertiblePicture> {
  const file = await readWebpFile(source, options.signal)
  if (!file.still) throw unsupported('animation_in_format_of_still_pictures')
  return await convertible(source, { file, picture: file.still }, options)
}

/** Similarity of the worst canvas of two animations. */
export async function animationSimilarity(original: Source, result: Source, options: Options): Promise<Similarity> {
  const [before, after] = [await readWebpFile(original, options.signal), await readWebpFile(result, options.signal)]
  if (before.frames.length !== after.frames.length) throw unsupported('animation_ends_early')
  if ((await differentFrame([original, before], [result, after], options)) === undefined)
    return { ssim: 1, psnrDb: Number.POSITIVE_INFINITY, psnrRgbDb: Number.POSITIVE_INFINITY }
  return await worstSimilarity([original, before], [result, after], options)
}
