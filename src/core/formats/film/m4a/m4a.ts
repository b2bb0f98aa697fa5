/** Codec for MP4 files with sound alone. On request their sound becomes MP3, FLAC or Opus. */
import { M4A } from '../../../catalog/formats/film.ts'
import type { MetadataCodec, Options } from '../../../model/codec.ts'
import type { SegmentedCodec } from '../../../model/segmented.ts'
import { filmCodec } from '../film.ts'
import { convertM4a, verifyM4a } from './convert.ts'

const film = filmCodec(M4A)
const isFilm = ({ output }: Options) => output === 'm4a' || output === 'mp4'

export const m4a: SegmentedCodec & MetadataCodec = {
  ...film,
  compress: async (source, sink, options) => await (isFilm(options) ? film.compress : convertM4a)(source, sink, options),
  plan: async (source, options) => (isFilm(options) ? await film.plan(source, options) : { kind: 'whole' }),
  verify: async (original, result, outcome, options) =>
    await (isFilm(options) ? film.verify : verifyM4a)(original, result, outcome, options),
}
