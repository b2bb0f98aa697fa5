import { nextTurn } from './platform/event-loop.ts'

/**
 * Lets other events of the isolate run. Long computations call it regularly, so that lease renewals and aborts are handled and the queue
 * does not treat the worker as dead.
 * @throws the reason of `signal` if it is aborted
 */
export async function yieldToEventLoop(signal?: AbortSignal): Promise<void> {
  await nextTurn()
  signal?.throwIfAborted()
}

/**
 * Yields to the event loop after a certain amount of work. Time cannot be used, because the clock of a Worker only advances during I/O.
 */
export class YieldBudget {
  readonly #every: number
  readonly #signal: AbortSignal | undefined
  #done = 0

  /** @param every amount of work that takes about 0.1 seconds, in any unit: bytes, pixels, samples */
  constructor(every: number, signal?: AbortSignal) {
    this.#every = every
    this.#signal = signal
  }

  /**
   * Adds `work` and yields if the amount is reached. Returns `undefined` if it is not.
   * @throws the signal's reason
   */
  after(work: number): Promise<void> | undefined {
    this.#done += work
    if (this.#done < this.#every) return undefined
    this.#done = 0
    return yieldToEventLoop(this.#signal)
  }
}
