/** Compresses and converts still WebP pictures. */

import { WEBP } from '../../catalog/formats/webp.ts'
import { isLosslessGoal } from '../../catalog/score-goal.ts'
import { distinct, message } from '../../i18n/message.ts'
import { type ConvertiblePicture, convertPicture } from '../../images/convert/convert.ts'
import { verifyPicture } from '../../images/convert/verify-picture.ts'
import { shownOrientationOf } from '../../images/raster/orientation.ts'
import { optionsForStored, reducedSize } from '../../images/search/fit-to-size.ts'
import { maxPixelsOf } from '../../model/budget.ts'
import type { Options, Outcome, Sink, Source, Verdict } from '../../model/codec.ts'
import { noGain, overBudget } from '../../model/error.ts'
import { readMetadata, type WebpFile } from './file.ts'
import type { CodedPicture } from './picture.ts'
import { openRaster } from './raster.ts'
import { LOSSY_RATIO } from './tuning.ts'

/** Still file: `file.still` exists. */
export interface StillWebp {
  readonly file: WebpFile
  readonly picture: CodedPicture
}

export async function convertible(source: Source, { file, picture }: StillWebp, options: Options): Promise<ConvertiblePicture> {
  const { width, height } = picture
  const most = maxPixelsOf(WEBP.mostPixels, options)
  if (width * height > most) throw overBudget(message('more_pixels_than_job_may', { width, height, megapixels: Math.floor(most / 1e6) }))
  const carried = await readMetadata(source, file, options.output)
  return {
    raster: await openRaster(source, picture, options),
    carried,
    end: file.end,
    pristine: picture.lossless,
    // Lossy samples are no exact data.
    ...(picture.lossless ? {} : { data: undefined }),
    omitted: (output) => (output === 'webp' ? [] : distinct((carried.riffChunks ?? []).map(({ id }) => message('chunk_named', { id })))),
  }
}

export async function compressStill(source: Source, still: StillWebp, sink: Sink, options: Options): ReturnType<typeof convertPicture> {
  const { lossless } = still.picture
  const isReduced = options.fitWithin && reducedSize(still.file, await storedOptions(source, still, options)) !== undefined
  if (options.output !== 'webp' || isReduced) {
    const picture = await convertible(source, still, options)
    const isExact = options.output === 'webp' && lossless && isLosslessGoal(options)
    return await convertPicture({ ...picture, isExact }, source, sink, options)
  }
  if (options.lossless && !lossless) throw noGain('webp_is_lossy')
  const asked = targetBelowSize(options, source.size)
  const isExact = lossless && isLosslessGoal(asked)
  const request = isExact ? { ...asked, lossless: true } : asked
  const outcome = await convertPicture(await convertible(source, still, request), source, sink, request)
  if (lossless || asked.targetSize !== undefined || sink.written < source.size * LOSSY_RATIO) return outcome
  throw noGain(message('webp_gain_too_small', { percent: Math.round(100 * (1 - LOSSY_RATIO)) }))
}

const storedOptions = async (source: Source, { file }: StillWebp, options: Options): Promise<Options> =>
  optionsForStored(options, shownOrientationOf((await readMetadata(source, file, options.output)).exif))

/** Ignores a target size that the original already fits into. */
function targetBelowSize(options: Options, size: number): Options {
  if (options.targetSize === undefined || options.targetSize < size) return options
  const { targetSize: _, ...others } = options
  return others
}

export async function verifyStill(
  original: Source,
  still: StillWebp,
  made: { readonly result: Source; readonly outcome: Outcome; readonly evidence?: unknown },
  options: Options,
): Promise<Verdict> {
  return await verifyPicture(await convertible(original, still, options), { original, ...made }, options)
}
