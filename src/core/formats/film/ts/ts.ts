/** Codec for MPEG transport streams, which become MP4 if the caller asks for it. */
import { TS } from '../../../catalog/formats/streams.ts'
import { type Message, message } from '../../../i18n/message.ts'
import type { SegmentedCodec } from '../../../model/segmented.ts'
import { keptIfBegunInside } from '../mkv/to-mp4/begun-inside.ts'
import { mp4Conversion } from '../mkv/to-mp4/convert.ts'
import { orPacked } from '../mkv/to-mp4/or-packed.ts'
import { readTsFilm, type TsFilm } from './ts-film.ts'
import { tsDifference } from './verify.ts'

function stepsOf({ brokenBytes, gaps }: TsFilm): Message[] {
  return [
    message('ts_repacked_as_mp4'),
    ...(brokenBytes > 0 ? [message('ts_broken_bytes', { bytes: brokenBytes })] : []),
    ...(gaps > 0 ? [message('ts_gaps', { gaps })] : []),
  ]
}

export const ts: SegmentedCodec = {
  format: TS,
  ...orPacked(
    mp4Conversion<TsFilm>({
      read: readTsFilm,
      stepsOf,
      // Decoders guess the content of damaged frames, each in its own way.
      keptBecause: (film) => keptIfBegunInside(film) ?? (film.gaps > 0 ? message('ts_damaged_pictures_kept') : undefined),
      locate: (parts) => [...parts],
      compressLocated: async () => undefined,
      difference: tsDifference,
    }),
  ),
}
