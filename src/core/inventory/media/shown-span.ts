/** Display times of pictures, of which the first, the last and the one before it count. */
export class ShownSpan {
  #first = Number.POSITIVE_INFINITY
  #last = Number.NEGATIVE_INFINITY
  #beforeLast = Number.NEGATIVE_INFINITY

  add(time: number): void {
    this.#first = Math.min(this.#first, time)
    if (time > this.#last) {
      this.#beforeLast = this.#last
      this.#last = time
    } else if (time > this.#beforeLast && time < this.#last) this.#beforeLast = time
  }

  /** Time from the first picture to the end of the last, which is shown as long as the one before. `undefined`: fewer than two pictures. */
  get length(): number | undefined {
    return Number.isFinite(this.#beforeLast) ? this.#last - this.#first + (this.#last - this.#beforeLast) : undefined
  }
}
