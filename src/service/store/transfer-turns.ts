/**
 * Turns of downloads on one machine, which share one core: one transfer of each account at a time. Otherwise a dozen downloads of one
 * account would slow down those of all others until the buffers of their connections are full.
 */

/** Shortest time in milliseconds after which the next transfer of the account may start although this one has not ended. */
const MIN_TURN_MS = 50
/** The same time as a multiple of what transfers usually take. Longer ones wait for a client that reads slowly, or that has left. */
const TURN_FACTOR = 4
/** Weight of the last transfer in the usual time. */
const WEIGHT = 0.1

export class TransferTurns {
  /** Waiting transfers of each account that has a running one, in order of arrival. */
  readonly #waiting = new Map<string, (() => void)[]>()
  /** Milliseconds that a transfer usually takes. */
  #usualMs = 0

  /** Runs the transfer of a range when no other one of the account is in its turn. */
  async run(accountId: string, transfer: () => Promise<void>): Promise<void> {
    const waiting = this.#waiting.get(accountId)
    if (waiting) await new Promise<void>((resolve) => waiting.push(resolve))
    else this.#waiting.set(accountId, [])
    const startedMs = Date.now()
    let ended = false
    const end = () => {
      if (ended) return
      ended = true
      clearTimeout(timer)
      const next = this.#waiting.get(accountId)?.shift()
      if (next) next()
      else this.#waiting.delete(accountId)
    }
    const timer = setTimeout(end, Math.max(MIN_TURN_MS, TURN_FACTOR * this.#usualMs))
    try {
      await transfer()
      if (!ended) this.#usualMs += (Date.now() - startedMs - this.#usualMs) * WEIGHT
    } finally {
      end()
    }
  }
}
