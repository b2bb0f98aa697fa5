/** Several things at a time, not all at once. */

/** Runs `work` for each item, `most` at a time; the answers are in the items' order. Throws what broke first, when all have ended. */
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

/** What has begun while more comes in: up to `most`, which together hold up to `capacity` bytes. */
export class Ahead {
  readonly #most: number
  readonly #capacity: number
  readonly #running = new Map<Promise<unknown>, number>()

  constructor(most: number, capacity: number) {
    this.#most = most
    this.#capacity = capacity
  }

  /** Begins; resolves when there is room for another one. What breaks is told by the promise that `work` returned. */
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
