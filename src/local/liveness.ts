/**
 * Whether a press that works still lives. Nothing inside of a codec can be asked to stop, and a timer of its own thread does not run
 * while a call is in it: that very silence is the sign. It is measured in processor time, so that a machine with too much to do
 * does not pass for a press that hangs. Pure: the clock and the messages are the caller's.
 */

/** Milliseconds of processor time, but for `stalledMs`. */
export interface LifeLimits {
  /** All that one step may use. */
  readonly processorMs: number
  /** Without coming back to its loop, which says something every few seconds. */
  readonly silentMs: number
  /** By the clock: it comes back, computes nothing, and nobody owes it an answer. */
  readonly stalledMs: number
}

export type Verdict = 'spent' | 'silent' | 'stalled' | undefined

/** How much longer a call may take then. */
const ENLARGED = 5
/** What a press that only says that it is there may use. */
const IDLE_SHARE = 0.01

export class Life {
  readonly #limits: LifeLimits
  #silentMs: number
  #heard = false
  #startedMs: number | undefined
  /** Processor time when it was heard last. */
  #heardAtMs = 0
  /** By the clock, and of the processor: since when it has computed nothing. */
  #idle: { since: number; processorMs: number } | undefined

  constructor(limits: LifeLimits) {
    this.#limits = limits
    this.#silentMs = limits.silentMs
  }

  /** In one call, now. */
  get silentMs(): number {
    return this.#silentMs
  }

  /** Its calls take longer from now on: what it works on is larger than what isolates take. */
  enlarge(): void {
    this.#silentMs = ENLARGED * this.#limits.silentMs
  }

  /** It has said something, so its loop runs. */
  hear(): void {
    this.#heard = true
  }

  /**
   * @param now milliseconds of any clock
   * @param processorMs what it has used since its process began
   * @param waits for an answer that it asked for
   */
  look(now: number, processorMs: number, waits: boolean): Verdict {
    const { processorMs: mostMs, stalledMs } = this.#limits
    this.#startedMs ??= processorMs
    const heard = this.#heard || this.#heardAtMs === 0
    if (heard) this.#heardAtMs = processorMs
    this.#heard = false
    if (processorMs - this.#startedMs > mostMs) return 'spent'
    if (processorMs - this.#heardAtMs > this.#silentMs) return 'silent'
    const idle = this.#idle
    if (!idle || waits || processorMs - idle.processorMs > stalledMs * IDLE_SHARE) this.#idle = { since: now, processorMs }
    // Only one that has just been heard had the processor for itself, and did nothing with it.
    else if (heard && now - idle.since > stalledMs) return 'stalled'
    return undefined
  }
}
