import { type Codec, UnsupportedFeature } from '../../codec/codec.ts'
import { inHouse } from '../../raster/jpeg-errors.ts'
import { downsample } from './downsample.ts'
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
      return (await downsample(source, sink, header, options)) ?? recompress(source, sink, header, options)
    }),
  verify: (original, result, outcome, options) => inHouse('jpg', () => verifyJpeg(original, result, outcome, options)),
}
