/** Decodes HEIC originals. The core package replaces this module, because the decoder is under the LGPL. */
import { convertibleHeic } from '../formats/heic/heic.ts'
import type { UploadedPicture } from '../images/convert/reference.ts'
import type { Options, Source } from '../model/codec.ts'

/** Opens the picture of a HEIC file. @throws CodecError if it cannot be decoded */
export async function openHeic(source: Source, options: Options): Promise<UploadedPicture> {
  return await convertibleHeic(source, options)
}
