/** Limits for parallel work. */

/**
 * Runs `work` for all items, `most` at a time. Results are in the order of the items.
 * If a call fails, the first error is thrown after all calls have ended.
 */
export async function sideBySide<Item, Answer>(
  items: readonly Item[],
  most: number,
  work: (item: Item, place: number) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Promise<Answer>[] = []
  const next = items.entries()
  const worker = async () => {
    for (const [place, item] of next) {
      answers[place] = work(item, place)
      await answers[place].catch(() => undefined)
    }
  }
  await Promise.all(Array.from({ length: most }, worker))
  return Promise.all(answers)
}

/** Work that runs while more arrives: at most `most` jobs that use at most `capacity` bytes together. */
export class Ahead {
  readonly #most: number
  readonly #capacity: number
  readonly #running = new Map<Promise<unknown>, number>()

  constructor(most: number, capacity: number) {
    this.#most = most
    this.#capacity = capacity
  }

  /** Starts `work` and resolves when another job may start. Errors reach the caller only through the promise that `work` returned. */
  async begin(bytes: number, work: () => Promise<unknown>): Promise<void> {
    const ended = work()
      .catch(() => undefined)
      .finally(() => this.#running.delete(ended))
    this.#running.set(ended, bytes)
    while (this.#running.size >= this.#most || this.#held() > this.#capacity) await Promise.race(this.#running.keys())
  }

  async end(): Promise<void> {
    await Promise.all(this.#running.keys())
  }

  #held(): number {
    return [...this.#running.values()].reduce((sum, bytes) => sum + bytes, 0)
  }
}
