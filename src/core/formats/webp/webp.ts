import { WEBP } from '../../catalog/formats/webp.ts'
import type { RenditionSource } from '../../images/convert/rendition.ts'
import { withRenditions } from '../../images/convert/with-renditions.ts'
import { reducedSize } from '../../images/search/fit-to-size.ts'
import type { MetadataCodec, Options, Source } from '../../model/codec.ts'
import { unsupported } from '../../model/error.ts'
import { compressAnimation } from './animation.ts'
import { readWebpFile } from './file.ts'
import { compressStill, convertible, verifyStill } from './still.ts'
import { verifyAnimation } from './verify-animation.ts'
import { withoutWebpMetadata } from './without-metadata.ts'

/** WebP codec (RFC 9649): still pictures and animations, lossy and lossless. */
export const webp: MetadataCodec = withRenditions(
  {
    withoutMetadata: withoutWebpMetadata,
    format: WEBP,

    async compress(source, sink, options) {
      const file = await readWebpFile(source, options.signal)
      if (file.still) return await compressStill(source, { file, picture: file.still }, sink, options)
      if (options.output !== 'webp') throw unsupported('animation_in_format_of_still_pictures')
      if (options.fitWithin?.isRequired && reducedSize(file, options)) throw unsupported('animation_is_not_reduced')
      return await compressAnimation(source, file, sink, options)
    },

    async verify(original, result, outcome, options, evidence) {
      const file = await readWebpFile(original, options.signal)
      if (file.still) return await verifyStill(original, { file, picture: file.still }, { result, outcome, evidence }, options)
      return await verifyAnimation(original, file, { result, outcome }, options)
    },
  },
  renditionOf,
)

async function renditionOf(source: Source, options: Options): Promise<RenditionSource> {
  const file = await readWebpFile(source, options.signal)
  if (!file.still) throw unsupported('animation_in_format_of_still_pictures')
  const picture = await convertible(source, { file, picture: file.still }, options)
  return { picture, stored: picture.raster }
}
