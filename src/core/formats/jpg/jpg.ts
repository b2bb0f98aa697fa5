import { withEngines } from '../../../../wasm/loading/engine-files.ts'
import { JPG } from '../../catalog/formats/jpg.ts'
import { withRenditions } from '../../images/convert/with-renditions.ts'
import { optionsForStored } from '../../images/search/fit-to-size.ts'
import type { MetadataCodec } from '../../model/codec.ts'
import { downsample } from './downsample.ts'
import { recompress } from './recompress.ts'
import { ScoredResult } from './scored-result.ts'
import { orientationOfJpeg, readHeader } from './segments.ts'
import { verifyJpeg } from './verify.ts'
import { withoutJpegMetadata } from './without-metadata.ts'

/** JPEG codec (ITU-T T.81) for files with JFIF, EXIF, Adobe and multi-picture segments. */
export const jpg: MetadataCodec = withRenditions(
  {
    withoutMetadata: withoutJpegMetadata,
    format: JPG,
    async compress(source, sink, asked) {
      const header = await readHeader(source, asked)
      const options = optionsForStored(asked, orientationOfJpeg(header))
      if (options.output === 'jxl') return (await withEngines(import('./jxl.ts'))).storeAsJxl(source, sink, header, options)
      if (options.output !== 'jpg') return (await withEngines(import('./convert.ts'))).convert(source, sink, header, options)
      return (await downsample(source, sink, header, options)) ?? recompress(source, sink, header, options)
    },
    async verify(original, result, outcome, options, evidence) {
      if (options.output === 'jxl') return (await withEngines(import('./jxl.ts'))).verifyJxl(original, result, options, evidence)
      if (options.output !== 'jpg')
        return (await withEngines(import('./verify-converted.ts'))).verifyConverted(original, { result, outcome, evidence }, options)
      return verifyJpeg(original, result, outcome, options, evidence instanceof ScoredResult ? evidence : undefined)
    },
  },
  async (source, options) => (await withEngines(import('./rendition.ts'))).jpegForRendition(source, options),
)
