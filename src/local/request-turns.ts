/**
 * Turns of requests in the local reverse proxy. workerd works on all requests at once, so a hundred uploads of one account would delay each
 * request of the others by seconds. Therefore few requests of one account begin at the same time, and accounts take turns.
 */

export interface TurnLimits {
  /** Beginning requests of the only active account. More would not make its uploads faster, because workerd uses one core. */
  readonly alone: number
  /** Beginning requests of one account while others are active. */
  readonly shared: number
  /** Beginning requests of all accounts together. */
  readonly all: number
  /**
   * Shortest time in milliseconds after which a request without a response no longer counts, such as one that waits for a long job. On a
   * slow machine, it counts for `TURN_FACTOR` times as long as requests usually take.
   */
  readonly beginningMs: number
}

const LIMITS: TurnLimits = { alone: 4, shared: 1, all: 12, beginningMs: 1000 }
const TURN_FACTOR = 4
/** Weight of the last request in the usual time. */
const WEIGHT = 0.1
/** Milliseconds after its last request for which an account is active. */
const ACTIVE_MS = 1000

interface Waiting {
  readonly owner: string
  begin(): void
}

/** Lets requests begin within `TurnLimits`. */
export class RequestTurns {
  readonly #limits: TurnLimits
  /** Beginning requests by account. An account without any has no entry. */
  readonly #beginning = new Map<string, number>()
  /** In order of arrival. */
  readonly #waiting = new Set<Waiting>()
  #all = 0
  /** Milliseconds that requests usually take until their responses. */
  #usualMs = 0
  /** Time of the last beginning of each active account, the oldest first. */
  readonly #active = new Map<string, number>()

  constructor(limits: Partial<TurnLimits> = {}) {
    this.#limits = { ...LIMITS, ...limits }
  }

  /**
   * Waits for the turn of a request.
   * @param owner account of the request
   * @param left aborts when the client leaves
   * @returns function that ends the turn, for when the response begins or the request has failed. A second call has no effect
   * @throws the reason of `left`
   */
  async take(owner: string, left: AbortSignal): Promise<() => void> {
    if (!this.#fits(owner)) await this.#waitFor(owner, left)
    else this.#begin(owner)
    const startedMs = performance.now()
    let ended = false
    const leave = () => {
      if (ended) return
      ended = true
      clearTimeout(timer)
      this.#end(owner)
    }
    const timer = setTimeout(leave, Math.max(this.#limits.beginningMs, TURN_FACTOR * this.#usualMs))
    return () => {
      if (!ended) this.#usualMs += (performance.now() - startedMs - this.#usualMs) * WEIGHT
      leave()
    }
  }

  #waitFor(owner: string, left: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.delete(waiting)
        reject(left.reason)
      }
      const waiting: Waiting = {
        owner,
        begin: () => {
          left.removeEventListener('abort', leave)
          this.#waiting.delete(waiting)
          this.#begin(owner)
          resolve()
        },
      }
      if (left.aborted) return reject(left.reason)
      left.addEventListener('abort', leave, { once: true })
      this.#waiting.add(waiting)
    })
  }

  #begin(owner: string): void {
    this.#beginning.set(owner, this.#countOf(owner) + 1)
    this.#all++
    this.#active.delete(owner)
    this.#active.set(owner, performance.now())
  }

  #end(owner: string): void {
    const count = this.#countOf(owner) - 1
    if (count > 0) this.#beginning.set(owner, count)
    else this.#beginning.delete(owner)
    this.#all--
    for (let next = this.#next(); next; next = this.#next()) next.begin()
  }

  #countOf(owner: string): number {
    return this.#beginning.get(owner) ?? 0
  }

  #fits(owner: string): boolean {
    const { all, alone, shared } = this.#limits
    return this.#all < all && this.#countOf(owner) < (this.#hasOthers(owner) ? shared : alone)
  }

  /** True if another account is active. */
  #hasOthers(owner: string): boolean {
    const oldestMs = performance.now() - ACTIVE_MS
    for (const [active, lastMs] of this.#active) {
      if (lastMs < oldestMs && this.#countOf(active) === 0) this.#active.delete(active)
      else if (active !== owner) return true
    }
    return false
  }

  /** The waiting request of the account with the fewest beginning ones, and among those the first. */
  #next(): Waiting | undefined {
    let best: Waiting | undefined
    for (const waiting of this.#waiting)
      if (this.#fits(waiting.owner) && (!best || this.#countOf(waiting.owner) < this.#countOf(best.owner))) best = waiting
    return best
  }
}
