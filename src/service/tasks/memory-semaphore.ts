/**
 * Semaphore over the memory of one isolate: a large job runs alone, small jobs run side by side. First come, first served, so that small
 * jobs do not starve a large one.
 *
 * A cancelled request ends without running `finally`, so its memory would never be released. The platform also ends requests that only wait
 * for other requests.
 * Therefore every holder and waiter counts heartbeats with its own timer, polls until the memory is free, and removes those whose heartbeats stop.
 */
export class MemorySemaphore {
  readonly #capacity: number
  readonly #holders = new Set<Participant>()
  readonly #waiters: Participant[] = []

  /** @param capacity memory shared by the jobs, in bytes */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /**
   * Waits until `weight` bytes (at most the capacity) are free, for about `waitMs` at most.
   * @returns disposable that releases the bytes; `undefined`: timeout
   */
  async acquire(weight: number, waitMs = Number.POSITIVE_INFINITY): Promise<Disposable | undefined> {
    const participant: Participant = { share: Math.min(weight, this.#capacity), heartbeats: 0 }
    const observations = new Map<Participant, Observation>()
    this.#waiters.push(participant)
    for (let waitedMs = 0, pauseMs = FIRST_PAUSE_MS; !this.#isNext(participant); pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS)) {
      if (waitedMs >= waitMs) {
        this.#waiters.splice(this.#waiters.indexOf(participant), 1)
        return undefined
      }
      const ms = Math.min(pauseMs, waitMs - waitedMs)
      await new Promise((resolve) => setTimeout(resolve, ms))
      waitedMs += ms
      participant.heartbeats++
      this.#removeSilent(observations, ms)
    }
    this.#waiters.shift()
    this.#holders.add(participant)
    const heartbeatTimer = setInterval(() => participant.heartbeats++, HEARTBEAT_MS)
    return {
      [Symbol.dispose]: () => {
        clearInterval(heartbeatTimer)
        this.#holders.delete(participant)
      },
    }
  }

  #isNext(participant: Participant): boolean {
    if (this.#waiters[0] !== participant) return false
    let taken = participant.share
    for (const { share } of this.#holders) taken += share
    return taken <= this.#capacity
  }

  /**
   * Removes holders and waiters whose heartbeats stopped. Counts pauses instead of clock time, because the clock of a Worker may stand
   * still.
   * @param observations last heartbeats of the others, as observed by one waiter
   */
  #removeSilent(observations: Map<Participant, Observation>, pauseMs: number): void {
    for (const participant of [...this.#holders, ...this.#waiters]) {
      const known = observations.get(participant)
      if (!known || known.heartbeats !== participant.heartbeats)
        observations.set(participant, { heartbeats: participant.heartbeats, silentMs: 0, count: 0 })
      else {
        known.silentMs += pauseMs
        known.count++
        if (known.silentMs < MAX_SILENCE_MS || known.count < MIN_OBSERVATIONS) continue
        this.#holders.delete(participant)
        const position = this.#waiters.indexOf(participant)
        if (position >= 0) this.#waiters.splice(position, 1)
      }
    }
  }
}

interface Participant {
  readonly share: number
  /** Number of heartbeats that the participant has counted. */
  heartbeats: number
}

interface Observation {
  heartbeats: number
  silentMs: number
  count: number
}

const FIRST_PAUSE_MS = 4
const LAST_PAUSE_MS = 250
const HEARTBEAT_MS = 2000
/**
 * Silence in milliseconds after which a holder or waiter is removed. Codecs block all timers for seconds, so 30 observations are required,
 * too.
 */
const MAX_SILENCE_MS = 15_000
const MIN_OBSERVATIONS = 30
