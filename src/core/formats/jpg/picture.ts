/** Decodes the picture of a JPEG for conversions and comparisons. */
import { type Message, message } from '../../i18n/message.ts'
import { cmykAsRgb, dctScaleFor, type JpegEnd, jpegRaster } from '../../images/jpeg/decode.ts'
import type { Raster } from '../../images/raster/raster.ts'
import { resized } from '../../images/raster/resize.ts'
import { downsampledStep, reducedSize } from '../../images/search/fit-to-size.ts'
import type { Options, Source } from '../../model/codec.ts'
import { isSegment, type JpegHeader } from './segments.ts'

/** Decodes the picture as grey or RGB, at the requested size. */
export function decodedPicture(
  source: Source,
  header: JpegHeader,
  options: Options,
  onEnd?: (end: JpegEnd) => void,
): { raster: Raster; steps: Message[] } {
  const size = reducedSize(header, options)
  const mayScale = size && !options.fitWithin?.isRequired
  const decoded = jpegRaster(source, header, mayScale ? dctScaleFor(header.width, size.width) : 8, 'natural', onEnd)
  const flat = header.components === 4 ? cmykAsRgb(decoded, isInverted(header)) : decoded
  const inks = header.components === 4 ? [message('cmyk_converted_to_rgb')] : []
  if (!size) return { raster: flat, steps: inks }
  return { raster: resized(flat, size.width, size.height), steps: [...inks, downsampledStep(header, size)] }
}

/** Decodes the picture as grey or RGB, at its full size. */
export function fullSizePicture(source: Source, header: JpegHeader): Raster {
  const decoded = jpegRaster(source, header)
  return header.components === 4 ? cmykAsRgb(decoded, isInverted(header)) : decoded
}

/** True if the file stores inverted CMYK, as Adobe programs do: 255 is no ink. */
export const isInverted = ({ segments }: JpegHeader) => segments.some((segment) => isSegment(segment, 0xee, 'Adobe'))
