/** Reads a JPEG for a rendition. The decoder reduces a picture that the rendition shows much smaller. */
import { planRendition, type RenditionSource } from '../../images/convert/rendition.ts'
import { cmykAsRgb, type DctScale, jpegRaster } from '../../images/jpeg/decode.ts'
import { LEAST_RENDITION_RATIO } from '../../images/jpeg/tuning.ts'
import { shownOrientationOf } from '../../images/raster/orientation.ts'
import type { Options, Source } from '../../model/codec.ts'
import { metadataForRendition } from './carried.ts'
import { isInverted } from './picture.ts'
import { readHeader } from './segments.ts'

/** @throws CodecError if the colours cannot be shown without an ICC profile for CMYK */
export async function jpegForRendition(source: Source, options: Options): Promise<RenditionSource> {
  const header = await readHeader(source, options)
  const { rendition = { fit: 'contain' } } = options
  const carried = metadataForRendition(header)
  const { frame, size = frame } = planRendition(header, rendition, shownOrientationOf(carried.exif))
  const decoded = jpegRaster(source, header, scaleFor(size.width / frame.width))
  return {
    picture: { raster: header.components === 4 ? cmykAsRgb(decoded, isInverted(header)) : decoded, carried, pristine: false },
    stored: header,
  }
}

/** The coarsest DCT scale that leaves enough of the reduction to the resampling filter. */
function scaleFor(ratio: number): DctScale {
  for (const scale of [1, 2, 3, 4, 5, 6, 7] as const) if (scale / 8 >= ratio * LEAST_RENDITION_RATIO) return scale
  return 8
}
