/** Checks that reject pictures which must be copied unchanged. */

import { Ffmpeg, type Picture, type VideoStream } from '../../../../wasm/ffmpeg/ffmpeg.ts'
import { MOST_PIXELS } from '../../catalog/formats/film.ts'
import { message } from '../../i18n/message.ts'
import { maxPixelsOf } from '../../model/budget.ts'
import type { Options } from '../../model/codec.ts'
import { overBudget, unsupported } from '../../model/error.ts'

type Size = { readonly width: number; readonly height: number }

/** @throws CodecError (over_budget) if the pictures have more pixels than the memory budget allows */
export function checkPixelBudget({ width, height }: Size, options: Options): void {
  if (width * height > maxPixelsOf(MOST_PIXELS, options)) throw overBudget(message('pictures_of', { width, height }))
}

/** Returns an engine for pictures of this size. Pictures above an isolate's limit get an engine with a larger heap. */
export const engineFor = ({ width, height }: Size): Ffmpeg => new Ffmpeg(width * height > MOST_PIXELS.isolate)

/** @throws CodecError (unsupported_feature) for pictures that 8-bit 4:2:0 H.264 cannot represent */
export function checkPicture(picture: Picture, stream: VideoStream, options: Options): void {
  // Transfer characteristics (Rec. ITU-T H.273): 16 is PQ, 18 is HLG.
  if (picture.transfer === 16 || picture.transfer === 18) throw unsupported('hdr_pictures_kept')
  if (picture.depth > 8 && ['h264', 'hevc', 'vp9'].includes(stream.decoder)) throw unsupported('pictures_of_more_than_8_bits_kept')
  if (picture.alpha) throw unsupported('pictures_with_transparency_kept')
  if (picture.width % 2 || picture.height % 2) throw unsupported('pictures_of_odd_size_kept')
  if (picture.width !== stream.width || picture.height !== stream.height) throw unsupported('pictures_of_another_size_than_track_says')
  checkPixelBudget(picture, options)
}
