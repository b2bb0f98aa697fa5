/**
 * How much memory the jobs of one isolate may want at the same time. A hungry job runs alone; small ones run side by side.
 * First come, first served, so that a hungry job is not starved by small ones.
 */
export class Gate {
  readonly #capacity: number
  #taken = 0
  readonly #queue: { weight: number; enter: () => void }[] = []

  /** `capacity` in bytes. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Runs `work` when `weight` bytes (capped at the capacity) are free. */
  async run<T>(weight: number, work: () => Promise<T>): Promise<T> {
    const share = Math.min(weight, this.#capacity)
    await new Promise<void>((enter) => {
      this.#queue.push({ weight: share, enter })
      this.#admit()
    })
    try {
      return await work()
    } finally {
      this.#taken -= share
      this.#admit()
    }
  }

  #admit() {
    for (let next = this.#queue[0]; next && this.#taken + next.weight <= this.#capacity; next = this.#queue[0]) {
      this.#queue.shift()
      this.#taken += next.weight
      next.enter()
    }
  }
}
