/**
 * Lets other events of the isolate run. Called between pieces of a long computation, so that leases and aborts are heard and a
 * queue does not take the worker for dead. With a signal: throws its reason where the task is gone.
 */
export async function yieldToOthers(signal?: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0))
  signal?.throwIfAborted()
}

/**
 * Lets others run after so much work. Not after so much time: the clock of a Worker stands still while it computes, and moves
 * only when it reads or writes.
 */
export class Breath {
  readonly #every: number
  readonly #signal: AbortSignal | undefined
  #done = 0

  /** @param every what about a tenth of a second of work is made of, in a unit of the caller's: bytes, pixels, samples */
  constructor(every: number, signal?: AbortSignal) {
    this.#every = every
    this.#signal = signal
  }

  /** @returns undefined when it is too early. @throws the signal's reason */
  after(work: number): Promise<void> | undefined {
    this.#done += work
    if (this.#done < this.#every) return undefined
    this.#done = 0
    return yieldToOthers(this.#signal)
  }
}
