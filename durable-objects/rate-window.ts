import type { StoredWindow } from '../src/service/store/keys.ts'

const WINDOW_MS = 60_000
/** Up to this limit each request is known to the millisecond: 10,000 moments at most. */
const EXACT_UP_TO = 10_000
/** Above, requests of a tenth of a second are one entry that ends with the last of them: 601 entries at most. */
const COARSE_MS = 100

/**
 * The accepted requests of the last 60 s. Never are there more than the limit in any 60 s; with a limit above 10,000 a place
 * becomes free up to 0.1 s late.
 */
export class RateWindow {
  /** Epoch milliseconds, ascending; entries before `#first` are forgotten. */
  #moments: number[] = []
  /** Requests at each of them. */
  #counts: number[] = []
  #first = 0
  #size = 0

  /** As it was stored, also by releases that stored every request. */
  constructor(stored?: StoredWindow | readonly number[]) {
    if (!stored) return
    if (!('from' in stored)) for (const moment of stored) this.#push(moment, 1)
    else stored.offsets.forEach((offset, entry) => void this.#push(stored.from + offset, stored.counts[entry] ?? 1))
  }

  /** Requests that count now. */
  get size(): number {
    return this.#size
  }

  /** Epoch milliseconds when the next place is free; undefined: none is taken. */
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

  /** A clock that was set back counts from the last request on. */
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
