/** Matroska and WebM as MP4. */
import { message } from '../../../../i18n/message.ts'
import { mp4Conversion, type Origin } from './convert.ts'
import { type MkvFilm, readMkvFilm } from './mkv-film.ts'
import { compressLocatedPart, locatedParts } from './picture-part.ts'
import { framesDifference } from './verify-frames.ts'

const MATROSKA: Origin<MkvFilm> = {
  read: readMkvFilm,
  stepsOf: () => [message('mkv_repacked_as_mp4')],
  keptBecause: () => undefined,
  locate: locatedParts,
  compressLocated: compressLocatedPart,
  difference: framesDifference,
}

export const matroskaAsMp4 = mp4Conversion(MATROSKA)
