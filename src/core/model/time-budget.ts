import { type Message, message } from '../i18n/message.ts'

/** Of the time for searches, beside it: 26 of 220 seconds. */
const EXACT_SHARE = 0.12
/** Of the time for searches, beside it: what a gentler level would make of a picture is tried as well while this lasts. */
const GENTLER_SHARE = 0.08

/**
 * Processor time that pictures and files inside a file may take together. Isolates end a job after 300 seconds and have no clock to see them
 * coming, so what work of a kind has taken is counted instead: the same pictures are done on every machine.
 */
export class TimeBudget {
  #secondsLeft: number
  #exactSecondsLeft: number
  #gentlerSecondsLeft: number
  #exact = 0
  readonly #refused = { picture: 0, file: 0 }

  /**
   * @param seconds by default what leaves time for the package around the pictures, and for its verification
   * @param exactSeconds beside them, for what is coded again without a search where there is no time for one
   */
  constructor(seconds = 220, exactSeconds = seconds * EXACT_SHARE) {
    this.#secondsLeft = seconds
    this.#exactSecondsLeft = exactSeconds
    this.#gentlerSecondsLeft = seconds * GENTLER_SHARE
  }

  /** Takes what one needs; false where there is less left: it stays as it is, and others may still fit. */
  take(seconds: number, what: 'picture' | 'file' = 'picture'): boolean {
    if (seconds > this.#secondsLeft) {
      this.#refused[what]++
      return false
    }
    this.#secondsLeft -= seconds
    return true
  }

  /** Takes what a picture that was refused needs to be coded again without loss, which takes no search; false where there is less left. */
  takeExact(seconds: number): boolean {
    if (seconds > this.#exactSecondsLeft) return false
    this.#exactSecondsLeft -= seconds
    this.#refused.picture--
    this.#exact++
    return true
  }

  /**
   * Takes what another coding of a picture needs that already has one, so that a stronger level is not larger than a gentler one; false
   * where there is less left. It never comes out of the time for other pictures: every level finds the same time for those.
   */
  takeGentler(seconds: number): boolean {
    if (seconds > this.#gentlerSecondsLeft) return false
    this.#gentlerSecondsLeft -= seconds
    return true
  }

  /** Takes what was needed and nobody could estimate: what is estimated next has less. */
  spend(seconds: number): void {
    this.#secondsLeft -= seconds
  }

  /** For the receipt: what stays as it is, or as it looks, for want of time. */
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
