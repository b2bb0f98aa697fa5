/** Equal shares of a limited number among those that ask again and again. Kept in memory only: after a restart, they ask again. */
export class Shares {
  readonly #keptMs: number
  /** Time of the last question in epoch milliseconds, by name. */
  readonly #asked = new Map<string, number>()

  /** @param keptMs time in milliseconds after the last question from which a name no longer counts */
  constructor(keptMs: number) {
    this.#keptMs = keptMs
  }

  /** Returns the share of a name, at least 1. @param most sum of all shares */
  of(name: string, most: number): number {
    const now = Date.now()
    this.#asked.set(name, now)
    for (const [other, askedAt] of this.#asked) if (askedAt <= now - this.#keptMs) this.#asked.delete(other)
    return Math.max(1, Math.floor(most / this.#asked.size))
  }

  /** Ends the share of a name. */
  end(name: string): void {
    this.#asked.delete(name)
  }
}
