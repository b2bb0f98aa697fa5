/** Callers who wait for something to happen, each for so long at most. */
export class Waiting {
  readonly #wakes = new Set<() => void>()

  get count(): number {
    return this.#wakes.size
  }

  /** Resolves when it happened, or after `ms`; of who gave up nothing stays. */
  async for(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#wakes.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      this.#wakes.add(wake)
    })
  }

  wakeAll(): void {
    for (const wake of this.#wakes) wake()
  }
}
