/**
 * Semaphore over the memory of one isolate: a large job runs alone, small jobs run side by side. First come, first served, so that small
 * jobs do not starve a large one.
 *
 * A cancelled request ends without running `finally`, so its memory would never be released. The platform also ends requests that only wait
 * for other requests.
 * Therefore every holder and waiter counts heartbeats with its own timer, polls for its turn, and removes those whose heartbeats stop.
 */
export class Gate {
  readonly #capacity: number
  readonly #inside = new Set<Guest>()
  readonly #line: Guest[] = []

  /** @param capacity memory in bytes */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /**
   * Waits until `weight` bytes (at most the capacity) are free, for about `waitMs` at most.
   * @returns disposable that releases the bytes; `undefined`: timeout
   */
  async enter(weight: number, waitMs = Number.POSITIVE_INFINITY): Promise<Disposable | undefined> {
    const guest: Guest = { share: Math.min(weight, this.#capacity), beats: 0 }
    const others = new Map<Guest, Seen>()
    this.#line.push(guest)
    for (let waitedMs = 0, pauseMs = FIRST_PAUSE_MS; !this.#isNext(guest); pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
      if (waitedMs >= waitMs) {
        this.#line.splice(this.#line.indexOf(guest), 1)
        return undefined
      }
      const ms = Math.min(pauseMs, waitMs - waitedMs)
      await new Promise((resolve) => setTimeout(resolve, ms))
      waitedMs += ms
      guest.beats++
      this.#forgetDead(others, ms)
    }
    this.#line.shift()
    this.#inside.add(guest)
    const beating = setInterval(() => guest.beats++, BEAT_MS)
    return {
      [Symbol.dispose]: () => {
        clearInterval(beating)
        this.#inside.delete(guest)
      },
    }
  }

  #isNext(guest: Guest): boolean {
    if (this.#line[0] !== guest) return false
    let taken = guest.share
    for (const { share } of this.#inside) taken += share
    return taken <= this.#capacity
  }

  /**
   * Removes holders and waiters whose heartbeats stopped. Counts pauses instead of clock time, because the clock of a Worker may stand
   * still.
   * @param seen last heartbeats of the others, as observed by one waiter
   */
  #forgetDead(seen: Map<Guest, Seen>, pauseMs: number): void {
    for (const guest of [...this.#inside, ...this.#line]) {
      const known = seen.get(guest)
      if (!known || known.beats !== guest.beats) seen.set(guest, { beats: guest.beats, silentMs: 0, looks: 0 })
      else {
        known.silentMs += pauseMs
        known.looks++
        if (known.silentMs < DEAD_MS || known.looks < DEAD_LOOKS) continue
        this.#inside.delete(guest)
        const place = this.#line.indexOf(guest)
        if (place >= 0) this.#line.splice(place, 1)
      }
    }
  }
}

interface Guest {
  readonly share: number
  /** Number of heartbeats. */
  beats: number
}

interface Seen {
  beats: number
  silentMs: number
  looks: number
}

const FIRST_PAUSE_MS = 4
const LAST_PAUSE_MS = 250
const BEAT_MS = 2000
/**
 * Silence in milliseconds after which a holder is removed. Codecs block all timers for seconds, so a minimum number of observations is
 * required, too.
 */
const DEAD_MS = 15_000
const DEAD_LOOKS = 30
