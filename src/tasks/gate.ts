/**
 * How much memory the jobs of one isolate may want at the same time. A hungry job runs alone; small ones run side by side.
 * First come, first served, so that a hungry job is not starved by small ones.
 */
export class Gate {
  readonly #capacity: number
  #taken = 0
  readonly #queue: Waiting[] = []

  /** `capacity` in bytes. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /**
   * Waits until `weight` bytes (capped at the capacity) are free, at most `waitMs`.
   * @returns what gives them back, once; undefined: it would have taken longer
   */
  async enter(weight: number, waitMs = Number.POSITIVE_INFINITY): Promise<Disposable | undefined> {
    const share = Math.min(weight, this.#capacity)
    const entered = await new Promise<boolean>((answer) => {
      const waiting: Waiting = { share, answer }
      this.#queue.push(waiting)
      this.#admit()
      if (Number.isFinite(waitMs) && this.#queue.includes(waiting)) setTimeout(() => this.#refuse(waiting), waitMs)
    })
    return entered ? this.#place(share) : undefined
  }

  #place(share: number): Disposable {
    let taken = share
    return {
      [Symbol.dispose]: () => {
        this.#taken -= taken
        taken = 0
        this.#admit()
      },
    }
  }

  #admit() {
    for (let next = this.#queue[0]; next && this.#taken + next.share <= this.#capacity; next = this.#queue[0]) {
      this.#queue.shift()
      this.#taken += next.share
      next.answer(true)
    }
  }

  #refuse(waiting: Waiting) {
    const place = this.#queue.indexOf(waiting)
    if (place === -1) return
    this.#queue.splice(place, 1)
    waiting.answer(false)
    this.#admit()
  }
}

interface Waiting {
  readonly share: number
  /** Did it enter? */
  answer(entered: boolean): void
}
