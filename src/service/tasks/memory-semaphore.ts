/**
 * How much memory the jobs of one isolate may want at the same time. A hungry job runs alone; small ones run side by side.
 * First come, first served, so that a hungry job is not starved by small ones.
 *
 * A request that is cancelled (its client left, its caller gave up) ends without any `finally`: what it held would be held for
 * ever, and who waits for nothing but another request is taken for hung and ended by the platform, too. So everybody here shows
 * with timers of their own request that they are alive, and looks for themselves; who shows no life is forgotten.
 */
export class Gate {
  readonly #capacity: number
  readonly #inside = new Set<Guest>()
  readonly #line: Guest[] = []

  /** `capacity` in bytes. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /**
   * Waits until `weight` bytes (capped at the capacity) are free, at most about `waitMs`.
   * @returns what gives them back; undefined: it would have taken longer
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

  /** `seen`: what one guest knows of the others, and for how long. Time is counted by pauses: the clock may stand still. */
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
  /** Signs of life. */
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
/** A codec may keep the thread for seconds: nobody's timers run then. So silence is counted in pauses of others, too. */
const DEAD_MS = 15_000
const DEAD_LOOKS = 30
