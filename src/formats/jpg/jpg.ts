import { type Codec, UnsupportedFeature } from '../../codec/codec.ts'
import { inHouse } from '../../raster/jpeg-errors.ts'
import { JPG } from './format.ts'
import { recompress } from './recompress.ts'
import { readHeader } from './segments.ts'
import { verifyJpeg } from './verify.ts'

/** JPEG (ITU-T T.81) with JFIF, EXIF, Adobe and multi-picture files. */
export const jpg: Codec = {
  format: JPG,
  compress: (source, sink, options) =>
    inHouse('jpg', async () => {
      const header = await readHeader(source)
      if (options.output !== 'jpg') throw new UnsupportedFeature(`jpg to ${options.output}`)
      return recompress(source, sink, header, options)
    }),
  verify: (original, result, outcome) => inHouse('jpg', () => verifyJpeg(original, result, outcome)),
}
