/** `Server-Timing` header (W3C): duration of the stages of one request. */
export class Timing {
  readonly #startedMs = Date.now()
  readonly #spans: [name: string, ms: number][] = []

  async measure<T>(name: string, work: () => Promise<T>): Promise<T> {
    const startedMs = Date.now()
    try {
      return await work()
    } finally {
      this.#spans.push([name, Date.now() - startedMs])
    }
  }

  get elapsedMs(): number {
    return Date.now() - this.#startedMs
  }

  header(): string {
    return [...this.#spans, ['total', this.elapsedMs] as const].map(([name, ms]) => `${name};dur=${ms}`).join(', ')
  }
}
