/** Limits for parallel work. */

/**
 * Runs `work` for all items, at most `limit` at a time. Results are in the order of the items.
 * If a call fails, the first error is thrown after all calls have ended.
 */
export async function mapConcurrently<Item, Answer>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Promise<Answer>[] = []
  const next = items.entries()
  const worker = async () => {
    for (const [index, item] of next) {
      answers[index] = work(item, index)
      await answers[index].catch(() => undefined)
    }
  }
  await Promise.all(Array.from({ length: limit }, worker))
  return Promise.all(answers)
}

/** Work that runs while more arrives: at most `limit` jobs that use at most `capacity` bytes together. */
export class ConcurrencyLimiter {
  readonly #most: number
  readonly #capacity: number
  readonly #running = new Map<Promise<unknown>, number>()

  constructor(limit: number, capacity: number) {
    this.#most = limit
    this.#capacity = capacity
  }

  /** Starts `work` and resolves when another job may start. Errors reach the caller only through the promise that `work` returned. */
  async start(bytes: number, work: () => Promise<unknown>): Promise<void> {
    const ended = work()
      .catch(() => undefined)
      .finally(() => this.#running.delete(ended))
    this.#running.set(ended, bytes)
    while (this.#running.size >= this.#most || this.#bytesInUse() > this.#capacity) await Promise.race(this.#running.keys())
  }

  async drain(): Promise<void> {
    await Promise.all(this.#running.keys())
  }

  #bytesInUse(): number {
    return [...this.#running.values()].reduce((sum, bytes) => sum + bytes, 0)
  }
}
