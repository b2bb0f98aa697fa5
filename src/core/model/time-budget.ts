import { type Message, message } from '../i18n/message.ts'

/** Extra CPU budget for lossless recompression, as a share of the search budget: 26 of 220 seconds. */
const EXACT_SHARE = 0.12
/** Extra CPU budget for trying gentler levels on one picture, as a share of the search budget. */
const GENTLER_SHARE = 0.08

/**
 * CPU budget of all pictures and files in one container, in estimated seconds. An isolate stops a job after 300 seconds and has no clock,
 * so estimates are added up instead. The same pictures are then compressed on every machine.
 */
export class TimeBudget {
  #secondsLeft: number
  #exactSecondsLeft: number
  #gentlerSecondsLeft: number
  #exact = 0
  readonly #refused = { picture: 0, file: 0 }

  /**
   * @param seconds budget; the default leaves time for the container itself and its verification
   * @param exactSeconds extra budget for lossless recompression of pictures whose search does not fit; default: 12 % of `seconds`
   */
  constructor(seconds = 220, exactSeconds = seconds * EXACT_SHARE) {
    this.#secondsLeft = seconds
    this.#exactSecondsLeft = exactSeconds
    this.#gentlerSecondsLeft = seconds * GENTLER_SHARE
  }

  /** Reserves `seconds`. Returns false if less is left: this picture or file then stays unchanged, and smaller ones may still fit. */
  take(seconds: number, what: 'picture' | 'file' = 'picture'): boolean {
    if (seconds > this.#secondsLeft) {
      this.#refused[what]++
      return false
    }
    this.#secondsLeft -= seconds
    return true
  }

  /** Reserves `seconds` for the lossless recompression of a picture that `take` refused. Returns false if less is left. */
  takeExact(seconds: number): boolean {
    if (seconds > this.#exactSecondsLeft) return false
    this.#exactSecondsLeft -= seconds
    this.#refused.picture--
    this.#exact++
    return true
  }

  /**
   * Reserves `seconds` for a second coding of a picture, so that a stronger level is not larger than a gentler one. Returns false if less
   * is
   * left. This budget is separate, so every level has the same time for other pictures.
   */
  takeGentler(seconds: number): boolean {
    if (seconds > this.#gentlerSecondsLeft) return false
    this.#gentlerSecondsLeft -= seconds
    return true
  }

  /** Subtracts `seconds` that were used without an estimate. Later reservations have less. */
  spend(seconds: number): void {
    this.#secondsLeft -= seconds
  }

  /**
   * Returns the receipt's steps about pictures and files that were left unchanged, or only recompressed without loss, for lack of time.
   */
  steps(): Message[] {
    const exact = this.#exact
    const { picture, file } = this.#refused
    return [
      ...(exact === 1 ? [message('exact_picture_for_want_of_time')] : []),
      ...(exact > 1 ? [message('exact_pictures_for_want_of_time', { pictures: exact })] : []),
      ...(picture === 1 ? [message('picture_left_for_want_of_time')] : []),
      ...(picture > 1 ? [message('pictures_left_for_want_of_time', { count: picture })] : []),
      ...(file === 1 ? [message('file_left_for_want_of_time')] : []),
      ...(file > 1 ? [message('files_left_for_want_of_time', { count: file })] : []),
    ]
  }
}
