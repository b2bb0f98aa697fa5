/** Time limits of a transfer with another server: between its steps, and of the whole. */
export class TimeLimits implements Disposable {
  /** Aborts when a limit is reached, when the caller's signal aborts, and at the end. */
  readonly signal: AbortSignal
  /** Error of the limit that was reached. `undefined`: none. */
  timedOut: Error | undefined
  readonly #controller = new AbortController()
  readonly #whole: ReturnType<typeof setTimeout>
  #expected: ReturnType<typeof setTimeout> | undefined

  /**
   * @param signal signal of the caller, such as the removal of the task
   * @param wholeMs longest time of the transfer in milliseconds
   * @param tooSlow returns the error of a transfer that takes longer
   */
  constructor(signal: AbortSignal, wholeMs: number, tooSlow: () => Error) {
    this.signal = AbortSignal.any([signal, this.#controller.signal])
    this.#whole = this.#after(wholeMs, tooSlow)
  }

  /** Expects the next step within `ms` milliseconds. */
  expect(ms: number, late: () => Error): void {
    clearTimeout(this.#expected)
    this.#expected = this.#after(ms, late)
  }

  /** Stops the clock between steps: while a part is stored, the other server is not at fault. */
  stopExpecting(): void {
    clearTimeout(this.#expected)
  }

  #after(ms: number, late: () => Error) {
    return setTimeout(() => {
      this.timedOut ??= late()
      this.#controller.abort(this.timedOut)
    }, ms)
  }

  /** Also ends a connection that is still open. */
  [Symbol.dispose](): void {
    clearTimeout(this.#whole)
    clearTimeout(this.#expected)
    this.#controller.abort()
  }
}
