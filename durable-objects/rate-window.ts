import type { StoredWindow } from '../src/service/store/keys.ts'

const WINDOW_MS = 60_000
/** Up to this rate limit, each request is stored with its exact millisecond: at most 10,000 entries. */
const MAX_EXACT_LIMIT = 10_000
/** Interval in milliseconds for rate limits above 10,000. Requests of one interval share an entry, so there are at most 601 entries. */
const COARSE_INTERVAL_MS = 100

/**
 * Sliding window of the requests accepted in the last 60 s. Never allows more than the limit in any 60 s.
 * With a limit above 10,000, a slot becomes free up to 0.1 s late.
 */
export class RateWindow {
  /** Times of accepted requests in epoch milliseconds, ascending. Entries before `#first` have expired. */
  #times: number[] = []
  /** Number of requests at each entry of `#times`. */
  #counts: number[] = []
  #first = 0
  #size = 0

  /** @param stored the window as stored; the first release stored one number for each request */
  constructor(stored?: StoredWindow | readonly number[]) {
    if (!stored) return
    if (!('from' in stored)) for (const time of stored) this.#push(time, 1)
    else stored.offsets.forEach((offset, entry) => void this.#push(stored.from + offset, stored.counts[entry] ?? 1))
  }

  /** Number of accepted requests in the last 60 s. */
  get size(): number {
    return this.#size
  }

  /** Epoch milliseconds when the next slot becomes free. `undefined`: the window is empty. */
  get freeAt(): number | undefined {
    const oldest = this.#times[this.#first]
    return oldest === undefined ? undefined : oldest + WINDOW_MS
  }

  add(now: number, limit: number): void {
    this.#push(limit > MAX_EXACT_LIMIT ? Math.ceil(now / COARSE_INTERVAL_MS) * COARSE_INTERVAL_MS : now, 1)
  }

  forget(now: number): void {
    for (let time = this.#times[this.#first]; time !== undefined && time + WINDOW_MS <= now; time = this.#times[this.#first]) {
      this.#size -= this.#counts[this.#first++]!
    }
    if (this.#first * 2 < this.#times.length) return
    this.#times = this.#times.slice(this.#first)
    this.#counts = this.#counts.slice(this.#first)
    this.#first = 0
  }

  stored(): StoredWindow {
    const moments = this.#times.slice(this.#first)
    const from = moments[0] ?? 0
    return {
      from,
      offsets: Uint32Array.from(moments, (time) => time - from),
      counts: Uint32Array.from(this.#counts.slice(this.#first)),
    }
  }

  /** Adds requests to the window. If the system clock was set back, they are counted at the time of the last request. */
  #push(at: number, count: number): void {
    const last = this.#times.length - 1
    const time = Math.max(at, last >= this.#first ? this.#times[last]! : at)
    if (last >= this.#first && this.#times[last] === time) this.#counts[last]! += count
    else {
      this.#times.push(time)
      this.#counts.push(count)
    }
    this.#size += count
  }
}
