/** Work of a task that the alarm starts: one run at a time, which can be stopped. */
export class OneRun {
  #running: Promise<void> | undefined
  #controller = new AbortController()

  get isRunning(): boolean {
    return this.#running !== undefined
  }

  /**
   * Runs `work` and resolves when it has ended. The signal aborts when the run is stopped. `mark` is called with true at the start and
   * with false at the end, before `stop` resolves.
   */
  async start(work: (signal: AbortSignal) => Promise<void>, mark: (runs: boolean) => void): Promise<void> {
    this.#controller = new AbortController()
    mark(true)
    this.#running = work(this.#controller.signal).finally(() => {
      this.#running = undefined
      mark(false)
    })
    await this.#running
  }

  /** Stops a run and resolves when it has ended. `reason`: message of the error of the signal. */
  async stop(reason: string): Promise<void> {
    this.#controller.abort(new Error(reason))
    await this.#running
  }
}
