import { type Message, message } from '../../../../i18n/message.ts'
import type { FilmAsMp4 } from './mp4-film.ts'

/** Reason to keep pictures whose first frame needs frames that the film does not have. `undefined`: decoding may begin at the first. */
export function keptIfBegunInside({ tracks, tables }: FilmAsMp4): Message | undefined {
  const isInside = tracks.some(({ video }, i) => video && tables[i]!.key[0] === 0)
  return isInside ? message('film_begins_inside') : undefined
}
