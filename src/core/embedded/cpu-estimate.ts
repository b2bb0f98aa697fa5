/** CPU time of files inside other files, estimated before they are compressed (`TimeBudget`). */
import type { PictureHeader } from './image-header.ts'
import { FILE_SECONDS, FILE_SECONDS_PER_MEGABYTE, LOSSLESS_JPEG_SECONDS, PICTURE_SECONDS } from './tuning.ts'

export function estimatePictureSeconds({ kind, width, height }: PictureHeader, bytes: number): number {
  const { ofPicture, ofMegapixel, ofFirstMegabyte, ofMegabyte } = PICTURE_SECONDS[kind]
  const first = Math.min(bytes, 1e6)
  return ofPicture + (width * height * ofMegapixel + first * ofFirstMegabyte + (bytes - first) * ofMegabyte) / 1e6
}

/** CPU seconds of lossless recompression. `undefined` for all kinds except JPEG, whose lossless forms need a search. */
export const estimateLosslessSeconds = ({ kind }: PictureHeader, bytes: number): number | undefined =>
  kind === 'jpg' ? LOSSLESS_JPEG_SECONDS.ofPicture + (bytes * LOSSLESS_JPEG_SECONDS.ofMegabyte) / 1e6 : undefined

export const estimateFileSeconds = (bytes: number): number => FILE_SECONDS + (bytes * FILE_SECONDS_PER_MEGABYTE) / 1e6
