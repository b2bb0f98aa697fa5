import { decodeHevc } from '../../../../wasm/hevc/hevc.ts'
import { HEIC } from '../../catalog/formats/heic.ts'
import { message } from '../../i18n/message.ts'
import { type ConvertiblePicture, convertPicture } from '../../images/convert/convert.ts'
import type { RenditionSource } from '../../images/convert/rendition.ts'
import { verifyPicture } from '../../images/convert/verify-picture.ts'
import { withRenditions } from '../../images/convert/with-renditions.ts'
import { type HeifDecoder, heifForConversion, openHeif } from '../../images/heif/convertible.ts'
import type { Codec, Options, Outcome, Source } from '../../model/codec.ts'
import { isCodecError, unsupported } from '../../model/error.ts'
import { estimatedBytes } from './estimate.ts'

const DECODER: HeifDecoder = {
  coding: 'hvc1',
  decode: (coded, { config }, mostPixels) => decodeHevc(coded, config, mostPixels),
  mostPixels: HEIC.mostPixels,
}

/** Reads the picture for conversion. @throws CodecError if the file cannot be converted */
export async function convertibleHeic(source: Source, options: Options): Promise<ConvertiblePicture> {
  const heif = await openHeif(source, options.signal)
  if (heif.file.hasTracks) throw unsupported('animation_in_format_of_still_pictures')
  return await heifForConversion(source, heif, DECODER, options)
}

async function renditionOf(source: Source, options: Options): Promise<RenditionSource> {
  const picture = await convertibleHeic(source, options)
  return { picture, stored: picture.raster }
}

/** HEIC codec (ISO/IEC 23008-12 with HEVC): still pictures become other formats. */
export const heic: Codec = withRenditions(
  {
    format: HEIC,

    async compress(source, sink, options) {
      if (options.output === 'heic') return await unchangedWithSuggestion(source, options)
      return await convertPicture(await convertibleHeic(source, options), source, sink, options)
    },

    async verify(original, result, outcome, options) {
      return await verifyPicture(await convertibleHeic(original, options), { original, result, outcome }, options)
    },
  },
  renditionOf,
)

/**
 * HEIC is not encoded. Suggests AVIF, or JPEG for a file with trailing data, which AVIF cannot store. The pipeline drops a suggestion that
 * is not smaller.
 */
async function unchangedWithSuggestion(source: Source, options: Options): Promise<Outcome> {
  const unchanged = { kind: 'unchanged', reason: 'unsupported_feature', detail: message('heic_is_not_encoded') } as const
  const { file } = await openHeif(source, options.signal)
  const output = file.end < source.size ? 'jpg' : 'avif'
  try {
    const picture = await convertibleHeic(source, { ...options, output })
    return { ...unchanged, suggestion: { output, estimatedBytes: await estimatedBytes(picture, output, options) } }
  } catch (error) {
    if (!isCodecError(error, 'unsupported_feature', 'over_budget')) throw error
    // Throws the reason if the picture cannot become a PNG either.
    await convertibleHeic(source, { ...options, output: 'png' })
    return unchanged
  }
}
