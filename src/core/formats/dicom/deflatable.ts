/** Checks that toolkits decode a deflated data set (PS3.5, A.5) to the original bytes. GDCM decodes it as an image, not as bytes. */

import { type Message, message } from '../../i18n/message.ts'
import type { Source } from '../../model/codec.ts'
import type { DicomFile } from './file.ts'
import { littleEndianPixels } from './frames.ts'
import { PIXEL_READ_BYTES } from './tuning.ts'

/** Reason why a toolkit would decode the deflated file differently. `undefined`: none. */
export async function deflateObstacle(dicom: DicomFile, source: Source): Promise<Message | undefined> {
  const [rows, columns, bits] = [0x0028_0010, 0x0028_0011, 0x0028_0100].map((tag) => dicom.number(tag))
  if (!dicom.pixels || !rows || !columns || !bits) return undefined
  // GDCM 3.0 converts these subsampled colours to 4:4:4.
  if (/_42[02]/.test(dicom.text(0x0028_0004) ?? '')) return message('colours_at_half_resolution')
  // GDCM 3.0, as built by Debian, aborts on 8-bit samples with fewer stored bits.
  if (bits === 8 && (dicom.number(0x0028_0101) ?? 8) < 8) return message('samples_of_fewer_than_8_bits')
  const frames = dicom.text(0x0028_0008) || '1'
  const pixels = rows * columns * (dicom.number(0x0028_0002) ?? 1) * Number(/^\d+$/.test(frames) ? frames : 1)
  const wanted = Math.ceil((Math.max(pixels, rows * columns) * bits) / 8)
  // GDCM 3.0 drops bytes after the last frame.
  if (wanted > dicom.pixels.bytes || (await isZero(dicom, source, wanted))) return undefined
  return message('more_pixels_than_rows_columns_and_frames')
}

/** True if Pixel Data holds only zeros from `at` on. */
async function isZero(dicom: DicomFile, source: Source, at: number): Promise<boolean> {
  const read = littleEndianPixels(dicom, source)
  const { bytes } = dicom.pixels!
  for (; at < bytes; at += PIXEL_READ_BYTES)
    if ((await read(at, Math.min(PIXEL_READ_BYTES, bytes - at))).some((byte) => byte !== 0)) return false
  return true
}
