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
  readonly #sharing: Sharing | undefined
  readonly #holders = new Set<Participant>()
  readonly #waiters: Participant[] = []

  /**
   * @param capacity memory shared by the jobs, in bytes
   * @param sharing rules between owners. `undefined`: jobs have no owners
   */
  constructor(capacity: number, sharing?: Sharing) {
    this.#capacity = capacity
    this.#sharing = sharing
  }

  /**
   * Waits until `weight` bytes (at most the capacity) are free, for about `waitMs` at most.
   * @returns disposable that releases the bytes; `undefined`: timeout
   */
  async acquire(weight: number, waitMs = Number.POSITIVE_INFINITY, guest?: Guest): Promise<Disposable | undefined> {
    const participant: Participant = { share: Math.min(weight, this.#capacity), heartbeats: 0, guest }
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
      if (this.#first() === participant) this.#evictSlow(observations, ms)
    }
    this.#waiters.splice(this.#waiters.indexOf(participant), 1)
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
    return this.#first() === participant && participant.share <= this.#freeBytes()
  }

  #freeBytes(): number {
    let free = this.#capacity
    for (const { share } of this.#holders) free -= share
    return free
  }

  /** The waiter whose turn it is: of those within their owner's share, the first one of the owner that holds least. */
  #first(): Participant | undefined {
    if (!this.#sharing) return this.#waiters[0]
    const held = new Map<string | undefined, number>()
    for (const { guest, share } of this.#holders) held.set(guest?.owner, (held.get(guest?.owner) ?? 0) + share)
    const free = this.#freeBytes()
    let first: { readonly waiter: Participant; readonly held: number } | undefined
    for (const waiter of this.#waiters) {
      const own = held.get(waiter.guest?.owner) ?? 0
      if (own > 0 && exceedsShare(own + waiter.share, free - waiter.share, this.#sharing)) continue
      if (!first || own < first.held) first = { waiter, held: own }
    }
    return first?.waiter
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
        observations.set(participant, { ...(known ?? NO_PACE), heartbeats: participant.heartbeats, silentMs: 0, count: 0 })
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

  /** Evicts holders that wait for their sender and move at less than the minimum pace. Their memory is free when their work has ended. */
  #evictSlow(observations: Map<Participant, Observation>, pauseMs: number): void {
    const { minBytesPerSecond = 0 } = this.#sharing ?? {}
    for (const participant of this.#holders) {
      const { guest } = participant
      const known = observations.get(participant)
      if (!guest || !known) continue
      known.from ??= guest.receivedBytes
      // Time that a holder spends on storing its bytes is not its sender's fault.
      if (guest.isReceiving) known.receivingMs += pauseMs
      if (known.receivingMs < PACE_WINDOW_MS) continue
      if (guest.receivedBytes - known.from < (minBytesPerSecond * known.receivingMs) / 1000) guest.evict()
      known.from = guest.receivedBytes
      known.receivingMs = 0
    }
  }
}

/** Rules between the owners of jobs, which are accounts. */
export interface Sharing {
  /** Bytes that one owner may always hold. It may hold more while as much stays free for others. */
  readonly ownerBytes: number
  /** Pace in bytes per second below which a holder is evicted while others wait. */
  readonly minBytesPerSecond: number
}

/** A job with an owner, which receives its bytes from a sender. */
export interface Guest {
  readonly owner: string
  readonly receivedBytes: number
  /** True while the job waits for bytes of its sender. */
  readonly isReceiving: boolean
  /** Ends the job, because its sender is too slow. */
  evict(): void
}

const exceedsShare = (ownBytes: number, freeBytes: number, { ownerBytes }: Sharing) => ownBytes > ownerBytes && freeBytes < ownerBytes

interface Participant {
  readonly share: number
  readonly guest: Guest | undefined
  /** Number of heartbeats that the participant has counted. */
  heartbeats: number
}

/** What one waiter has seen of another participant. */
interface Observation {
  heartbeats: number
  silentMs: number
  count: number
  /** Received bytes at the start of the current pace window. `undefined`: the window has not begun. */
  from: number | undefined
  /** Milliseconds of the current pace window in which the participant waited for its sender. */
  receivingMs: number
}

const NO_PACE = { from: undefined, receivingMs: 0 }
const FIRST_PAUSE_MS = 4
const LAST_PAUSE_MS = 250
const HEARTBEAT_MS = 2000
/**
 * Silence in milliseconds after which a holder or waiter is removed. Codecs block all timers for seconds, so 30 observations are required,
 * too.
 */
const MAX_SILENCE_MS = 15_000
const MIN_OBSERVATIONS = 30
/** Milliseconds over which the pace of a holder is measured. */
const PACE_WINDOW_MS = 4000
