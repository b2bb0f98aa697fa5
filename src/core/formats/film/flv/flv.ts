/** Codec for Flash video, which becomes MP4 if the caller asks for it. */
import { FLV } from '../../../catalog/formats/streams.ts'
import { message } from '../../../i18n/message.ts'
import type { SegmentedCodec } from '../../../model/segmented.ts'
import { keptIfBegunInside } from '../mkv/to-mp4/begun-inside.ts'
import { mp4Conversion } from '../mkv/to-mp4/convert.ts'
import { orPacked } from '../mkv/to-mp4/or-packed.ts'
import { type FlvFilm, readFlvFilm } from './flv-film.ts'
import { flvDifference } from './verify.ts'

export const flv: SegmentedCodec = {
  format: FLV,
  ...orPacked(
    mp4Conversion<FlvFilm>({
      read: readFlvFilm,
      stepsOf: ({ brokenBytes: bytes }) => [message('flv_repacked_as_mp4'), ...(bytes > 0 ? [message('ts_broken_bytes', { bytes })] : [])],
      keptBecause: keptIfBegunInside,
      locate: (parts) => [...parts],
      compressLocated: async () => undefined,
      difference: flvDifference,
    }),
  ),
}
