/** Time that a film plays, by the times at which its pictures appear. Pictures come in the order of decoding. */
export class PlayedTime {
  /** The first time and the last two. */
  #times: readonly number[] = []

  add(time: number): void {
    if (this.#times.includes(time)) return
    const [first = time, ...last] = [...this.#times, time].sort((a, b) => a - b)
    this.#times = [first, ...last.slice(-2)]
  }

  /** Ticks until the end of the last picture, which is shown as long as the one before. 0: fewer than two pictures. */
  get ticks(): number {
    const [first = 0, before = first, last = before] = this.#times.length === 2 ? [this.#times[0]!, ...this.#times] : this.#times
    return 2 * last - before - first
  }
}
