/** Encodes pictures as AVIF: those that fit into memory as one AV1 key frame, others as a grid of tiles. */

import { unsupported } from '../../model/error.ts'
import { orientationOf, uprightRaster, withUprightOrientation } from '../raster/orientation.ts'
import type { PictureMetadata, Raster } from '../raster/raster.ts'
import type { EncodedPicture, EncodeRequest } from '../search/encode-request.ts'
import { encodeFrame, planFrame } from './frame.ts'
import { encodeGrid } from './grid.ts'
import { isEncoderExhausted } from './libaom.ts'

/** Encodes `stored` as AVIF. Pixels are rotated upright first, because AVIF readers ignore the EXIF orientation. */
export async function encodeAvif(stored: Raster, original: PictureMetadata, request: EncodeRequest): Promise<EncodedPicture> {
  const raster = uprightRaster(stored, orientationOf(original.exif))
  const carried = { ...original, exif: original.exif && withUprightOrientation(original.exif) }
  if (request.lossless) throw unsupported('exact_avif')
  if (Math.min(raster.width, raster.height) < 11) throw unsupported('too_small_to_be_measured')
  const frame = planFrame(raster, carried, request)
  // Drawings with repeated parts take up to four times the memory of photographs: if it does not suffice, tiles are tried.
  const framed = frame && (await unlessExhausted(() => encodeFrame(raster, carried, request, frame)))
  return framed ?? (await encodeGrid(raster, carried, request))
}

/** `undefined`: the encoder had less memory than it needed. */
async function unlessExhausted(encode: () => Promise<EncodedPicture>): Promise<EncodedPicture | undefined> {
  try {
    return await encode()
  } catch (error) {
    if (isEncoderExhausted(error)) return undefined
    throw error
  }
}
