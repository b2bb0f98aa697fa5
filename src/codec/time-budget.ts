/**
 * Processor time that pictures and files inside a file may take together. Isolates end a job after 300 seconds and have no clock to see them
 * coming, so what work of a kind has taken is counted instead: the same pictures are done on every machine.
 */
export class TimeBudget {
  #secondsLeft: number
  readonly #refused = { picture: 0, file: 0 }

  /** @param seconds by default what leaves time for the package around the pictures, and for its verification */
  constructor(seconds = 220) {
    this.#secondsLeft = seconds
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

  /** Takes what was needed and nobody could estimate: what is estimated next has less. */
  spend(seconds: number): void {
    this.#secondsLeft -= seconds
  }

  /** For the receipt: what stays as it is for want of time. */
  steps(): string[] {
    return (['picture', 'file'] as const).flatMap((what) => {
      const count = this.#refused[what]
      if (count === 0) return []
      return [`${count === 1 ? `1 ${what} left as it is` : `${count} ${what}s left as they are`}, for want of processor time`]
    })
  }
}
