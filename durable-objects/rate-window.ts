import type { StoredWindow } from '../src/service/store/keys.ts'

const WINDOW_MS = 60_000
/** Up to this rate limit, each request is stored with its exact millisecond: at most 10,000 entries. */
const EXACT_UP_TO = 10_000
/**
 * Interval in milliseconds that shares one entry if the rate limit is above 10,000: at most 601 entries. The entry expires with the
 * interval's end.
 */
const COARSE_MS = 100

/**
 * Sliding window of the requests accepted in the last 60 s. Never allows more than the limit in any 60 s.
 * With a limit above 10,000, a slot becomes free up to 0.1 s late.
 */
export class RateWindow {
  /** Times of accepted requests in epoch milliseconds, ascending. Entries before `#first` have expired. */
  #moments: number[] = []
  /** Number of requests at each entry of `#moments`. */
  #counts: number[] = []
  #first = 0
  #size = 0

  /** @param stored the window as stored; the first release stored one number for each request */
  constructor(stored?: StoredWindow | readonly number[]) {
    if (!stored) return
    if (!('from' in stored)) for (const moment of stored) this.#push(moment, 1)
    else stored.offsets.forEach((offset, entry) => void this.#push(stored.from + offset, stored.counts[entry] ?? 1))
  }

  /** Number of requests in the window. */
  get size(): number {
    return this.#size
  }

  /** Epoch milliseconds when the next slot becomes free. `undefined`: the window is empty. */
  get freeAt(): number | undefined {
    const oldest = this.#moments[this.#first]
    return oldest === undefined ? undefined : oldest + WINDOW_MS
  }

  add(now: number, limit: number): void {
    this.#push(limit > EXACT_UP_TO ? Math.ceil(now / COARSE_MS) * COARSE_MS : now, 1)
  }

  forget(now: number): void {
    for (let moment = this.#moments[this.#first]; moment !== undefined && moment + WINDOW_MS <= now; moment = this.#moments[this.#first]) {
      this.#size -= this.#counts[this.#first++]!
    }
    if (this.#first * 2 < this.#moments.length) return
    this.#moments = this.#moments.slice(this.#first)
    this.#counts = this.#counts.slice(this.#first)
    this.#first = 0
  }

  stored(): StoredWindow {
    const moments = this.#moments.slice(this.#first)
    const from = moments[0] ?? 0
    return {
      from,
      offsets: Uint32Array.from(moments, (moment) => moment - from),
      counts: Uint32Array.from(this.#counts.slice(this.#first)),
    }
  }

  /** Adds requests to the window. If the system clock was set back, they are counted at the time of the last request. */
  #push(at: number, count: number): void {
    const last = this.#moments.length - 1
    const moment = Math.max(at, last >= this.#first ? this.#moments[last]! : at)
    if (last >= this.#first && this.#moments[last] === moment) this.#counts[last]! += count
    else {
      this.#moments.push(moment)
      this.#counts.push(count)
    }
    this.#size += count
  }
}
