import { decodeAv1 } from '../../../../wasm/dav1d/dav1d.ts'
import { AVIF } from '../../catalog/formats/avif.ts'
import { message } from '../../i18n/message.ts'
import { type ConvertiblePicture, convertPicture } from '../../images/convert/convert.ts'
import type { RenditionSource } from '../../images/convert/rendition.ts'
import { verifyPicture } from '../../images/convert/verify-picture.ts'
import { withRenditions } from '../../images/convert/with-renditions.ts'
import { type HeifDecoder, heifForConversion, openHeif } from '../../images/heif/convertible.ts'
import type { TileDecoder } from '../../images/heif/tile-rows.ts'
import { reducedSize } from '../../images/search/fit-to-size.ts'
import type { Codec, Options, Source } from '../../model/codec.ts'
import { noGain, unsupported } from '../../model/error.ts'
import { LOSSY_RATIO } from './tuning.ts'

const decode: TileDecoder = (coded, { operatingPoint }, mostPixels) => decodeAv1(coded, { mostPixels, operatingPoint })

const DECODER: HeifDecoder = { coding: 'av01', decode, mostPixels: AVIF.mostPixels }

/** Reads the picture for conversion. @throws CodecError if the file is not compressed */
export const convertibleAvif = async (source: Source, options: Options): Promise<ConvertiblePicture> =>
  (await open(source, options)).convertible

/** Opens the picture. A file with more than a picture stays as it is, unless another format is requested. */
async function open(source: Source, options: Options) {
  const heif = await openHeif(source, options.signal)
  const { picture, file } = heif
  const keepsForm = options.output === 'avif'
  if (file.hasTracks) throw unsupported(keepsForm ? 'heif_sequence_stays' : 'animation_in_format_of_still_pictures')
  if (keepsForm && picture.others.length > 0) throw unsupported(message('heif_further_items_stay', { what: picture.others }))
  return { heif, convertible: await heifForConversion(source, heif, DECODER, options) }
}

/** Picture for a rendition, which leaves out what else the file holds. */
async function renditionOf(source: Source, options: Options): Promise<RenditionSource> {
  const heif = await openHeif(source, options.signal)
  if (heif.file.hasTracks) throw unsupported('animation_in_format_of_still_pictures')
  const picture = await heifForConversion(source, heif, DECODER, options)
  return { picture, stored: picture.raster }
}

/** AVIF codec (ISO/IEC 23000-22): still pictures. Image sequences stay unchanged. */
export const avif: Codec = withRenditions(
  {
    format: AVIF,

    async compress(source, sink, options) {
      const { heif, convertible } = await open(source, options)
      if (options.output !== 'avif' || reducedSize(heif.picture, options)) return await convertPicture(convertible, source, sink, options)
      if (options.lossless) throw noGain('avif_is_lossy')
      const request = targetBelowSize(options, source.size)
      const outcome = await convertPicture(convertible, source, sink, request)
      if (request.targetSize !== undefined || sink.written < source.size * LOSSY_RATIO) return outcome
      throw noGain(message('webp_gain_too_small', { percent: Math.round(100 * (1 - LOSSY_RATIO)) }))
    },

    async verify(original, result, outcome, options) {
      return await verifyPicture(await convertibleAvif(original, options), { original, result, outcome }, options)
    },
  },
  renditionOf,
)

/** Ignores a target size that the original already fits into. */
function targetBelowSize(options: Options, size: number): Options {
  if (options.targetSize === undefined || options.targetSize < size) return options
  const { targetSize: _, ...others } = options
  return others
}
