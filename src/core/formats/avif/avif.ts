import { decodeAv1 } from '../../../../wasm/dav1d/dav1d.ts'
import { AVIF } from '../../catalog/formats/avif.ts'
import type { HeifPicture } from '../../containers/heif/picture.ts'
import { message } from '../../i18n/message.ts'
import { type ConvertiblePicture, convertPicture } from '../../images/convert/convert.ts'
import type { RenditionSource } from '../../images/convert/rendition.ts'
import { verifyPicture } from '../../images/convert/verify-picture.ts'
import { withRenditions } from '../../images/convert/with-renditions.ts'
import { type HeifDecoder, heifForConversion, openHeif } from '../../images/heif/convertible.ts'
import type { TileDecoder } from '../../images/heif/tile-rows.ts'
import { optionsForStored, reducedSize } from '../../images/search/fit-to-size.ts'
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
  const coded = keepsForm ? codedOptions(picture, options) : undefined
  const convertible = await heifForConversion(source, heif, DECODER, coded ?? options, coded ? 'coded' : 'shown')
  return { convertible, request: coded ?? options, isReduced: reducedSize(picture, options) !== undefined }
}

/** Options for the picture as it is coded. `undefined`: a cropped picture is reduced, so that its crop no longer fits. */
function codedOptions({ colour, view }: HeifPicture, options: Options): Options | undefined {
  const coded = optionsForStored(options, view.orientation)
  const isCropped = view.width !== colour.width || view.height !== colour.height
  return isCropped && (reducedSize(colour, coded) ?? reducedSize(view, coded)) ? undefined : coded
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
      const { convertible, request, isReduced } = await open(source, options)
      if (options.output !== 'avif' || isReduced) return await convertPicture(convertible, source, sink, request)
      if (options.lossless) throw noGain('avif_is_lossy')
      const below = targetBelowSize(request, source.size)
      const outcome = await convertPicture(convertible, source, sink, below)
      if (below.targetSize !== undefined || sink.written < source.size * LOSSY_RATIO) return outcome
      throw noGain(message('webp_gain_too_small', { percent: Math.round(100 * (1 - LOSSY_RATIO)) }))
    },

    async verify(original, result, outcome, options) {
      const { convertible, request } = await open(original, options)
      return await verifyPicture(convertible, { original, result, outcome }, request)
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
