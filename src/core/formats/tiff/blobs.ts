import { findEntry, readNumbers, TAG, type TiffDirectory, type TiffFile } from '../../containers/tiff/directory.ts'
import { unsupported } from '../../model/error.ts'

/** Locates JPEG streams that a directory gives by offset and length (tags 513 and 514): thumbnails, and JPEG pictures as in TIFF 6.0. */
export async function jpegStreamsOf(file: TiffFile, directory: TiffDirectory): Promise<{ offset: number; length: number }[]> {
  const offsets = findEntry(directory, TAG.jpegInterchangeFormat)
  const lengths = findEntry(directory, TAG.jpegInterchangeFormatLength)
  if (!offsets) return []
  if (!lengths) throw unsupported('jpeg_stream_without_length')
  const at = await readNumbers(file, offsets)
  const long = await readNumbers(file, lengths)
  return [...at].map((offset, i) => ({ offset, length: Math.max(0, Math.min(long[i] ?? 0, file.source.size - offset)) }))
}
