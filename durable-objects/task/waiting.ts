/** Callers that wait for an event, each with its own timeout. */
export class WaitList {
  readonly #waiters = new Set<() => void>()

  get count(): number {
    return this.#waiters.size
  }

  /** Resolves at the event or after `ms` milliseconds. The caller is removed in both cases. */
  async wait(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#waiters.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      this.#waiters.add(wake)
    })
  }

  wakeAll(): void {
    for (const wake of this.#waiters) wake()
  }
}
