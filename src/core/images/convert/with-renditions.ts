/** Adds renditions to the codec of a picture format. */
import { withEngines } from '../../../../wasm/loading/engine-files.ts'
import type { Codec, Options, Source } from '../../model/codec.ts'
import type { RenditionSource } from './rendition.ts'

/** Opens the picture of a file for a rendition. @throws CodecError for files without a still picture */
type OpenRendition = (source: Source, options: Options) => Promise<RenditionSource>

const renditions = () => withEngines(import('./rendition.ts'))

/** Returns the codec, which makes the rendition from the picture of `open` if the options request one. */
export function withRenditions<C extends Codec>(codec: C, open: OpenRendition): C {
  return {
    ...codec,
    async compress(source, sink, options) {
      if (!options.rendition) return await codec.compress(source, sink, options)
      const { compressRendition } = await renditions()
      return await compressRendition(await open(source, options), source, sink, options)
    },
    async verify(original, result, outcome, options, evidence) {
      if (!options.rendition) return await codec.verify(original, result, outcome, options, evidence)
      const { verifyRendition } = await renditions()
      return await verifyRendition(() => open(original, options), { original, result, outcome }, options, evidence)
    },
  }
}
