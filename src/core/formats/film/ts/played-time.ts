/** Time that a film plays, by the times at which its pictures appear. Pictures come in the order of decoding. */
export class PlayedTime {
  #first = Number.POSITIVE_INFINITY
  /** The two latest times. */
  #before = Number.NEGATIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY

  add(time: number): void {
    this.#first = Math.min(this.#first, time)
    if (time === this.#last) return
    this.#before = Math.max(this.#before, Math.min(time, this.#last))
    this.#last = Math.max(this.#last, time)
  }

  /** Ticks until the end of the last picture, which is shown as long as the one before. 0: fewer than two pictures. */
  get ticks(): number {
    return Number.isFinite(this.#before) ? this.#last - this.#first + (this.#last - this.#before) : 0
  }
}
