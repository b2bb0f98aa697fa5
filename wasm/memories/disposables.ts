/** Engines that end together, the last one first. Does what `DisposableStack` does, which Node 20 and Safari lack. */
export class Disposables {
  #values: Disposable[] = []

  /** Adds a value and returns it. */
  use<T extends Disposable>(value: T): T {
    this.#values.push(value)
    return value
  }

  /**
   * Disposes all values, also if one of them fails.
   * @throws the last error
   */
  [Symbol.dispose](): void {
    const values = this.#values.reverse()
    this.#values = []
    let failure: { error: unknown } | undefined
    for (const value of values) {
      try {
        value[Symbol.dispose]()
      } catch (error) {
        failure = { error }
      }
    }
    if (failure) throw failure.error
  }
}
