/**
 * Processor time that pictures inside a file may take together. Isolates end a job after 300 seconds and have no clock to see them
 * coming, so what work of a kind has taken is counted instead: the same pictures are done on every machine.
 */
export class TimeBudget {
  #secondsLeft: number
  #refused = 0

  /** @param seconds by default what leaves time for the package around the pictures, and for its verification */
  constructor(seconds = 220) {
    this.#secondsLeft = seconds
  }

  /** Takes what a picture needs; false where there is less left: it stays as it is, and others may still fit. */
  take(seconds: number): boolean {
    if (seconds > this.#secondsLeft) {
      this.#refused++
      return false
    }
    this.#secondsLeft -= seconds
    return true
  }

  /** For the receipt: what stays as it is for want of time. */
  steps(): string[] {
    if (this.#refused === 0) return []
    const left = this.#refused === 1 ? '1 picture left as it is' : `${this.#refused} pictures left as they are`
    return [`${left}, for want of processor time`]
  }
}
