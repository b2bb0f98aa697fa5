import type { RateLimiter } from '../env.ts'

/** Most keys that are counted separately in one window. Further keys share a count, so that memory is bounded. */
const MAX_KEYS = 100_000

/** Rate limiter in the memory of one isolate, with fixed windows. For services on one machine, where all requests reach one isolate. */
export class MemoryRateLimiter implements RateLimiter {
  readonly #most: number
  readonly #windowMs: number
  readonly #counts = new Map<string, number>()
  #windowStart = 0

  /** @param most requests of one key in a window of `windowMs` milliseconds */
  constructor(most: number, windowMs: number) {
    this.#most = most
    this.#windowMs = windowMs
  }

  async limit({ key }: { key: string }): Promise<{ success: boolean }> {
    const now = Date.now()
    if (now - this.#windowStart >= this.#windowMs) {
      this.#counts.clear()
      this.#windowStart = now
    }
    const counted = this.#counts.has(key) || this.#counts.size < MAX_KEYS ? key : ''
    const count = (this.#counts.get(counted) ?? 0) + 1
    this.#counts.set(counted, count)
    return { success: count <= this.#most }
  }
}
