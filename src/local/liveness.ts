/**
 * Decides whether a process that works is still alive. A codec inside one call of WebAssembly cannot be asked to stop, and no timer
 * of its thread runs meanwhile: the sign of a hang is silence. Silence is measured in processor time, so that a process on an
 * overloaded machine does not count as hung. Pure: the caller brings the clock and the messages.
 */

/** Milliseconds of processor time, except `stalledMs`. `undefined`: no such limit. */
export interface LivenessLimits {
  /** Most that the work may use in all. */
  readonly processorMs?: number
  /** Most that it may use without a sign of life. `undefined`: the process gives none. */
  readonly silentMs?: number
  /** Least that it may use before its first sign of life, even if `silentMs` is less. */
  readonly startMs?: number
  /** Milliseconds by the clock in which the process gives signs of life, computes nothing and waits for nobody. */
  readonly stalledMs?: number
  /** Share of `stalledMs` that a process may compute and still count as computing nothing. Default: 0.01, for heartbeats. */
  readonly idleShare?: number
}

/** `processor`: all processor time is used. `silent`: no sign of life. `stalled`: nothing was computed. `undefined`: alive. */
export type Verdict = 'processor' | 'silent' | 'stalled' | undefined

/** How much longer one call may take in a job that is larger than what isolates take. */
const ENLARGED = 5
const IDLE_SHARE = 0.01

export class Liveness {
  readonly #limits: LivenessLimits
  #silentLimitMs: number
  #heard = false
  #everHeard = false
  #startedMs: number | undefined
  /** Processor time at the last check. */
  #usedMs = 0
  /** Processor time at the last check before which there was a sign of life. `undefined`: not checked yet. */
  #heardAtMs: number | undefined
  /** Since when it has computed nothing: milliseconds by the clock, and the processor time then. */
  #idle: { since: number; processorMs: number } | undefined

  /** `startedMs`: processor time when the work began. `undefined`: what the first check finds. */
  constructor(limits: LivenessLimits, startedMs?: number) {
    this.#limits = limits
    this.#startedMs = this.#heardAtMs = startedMs
    this.#silentLimitMs = limits.silentMs ?? Number.POSITIVE_INFINITY
  }

  /** Processor time that it may use without a sign of life, from now on. */
  get silentLimitMs(): number {
    const { startMs = 0 } = this.#limits
    return this.#everHeard ? this.#silentLimitMs : Math.max(this.#silentLimitMs, startMs)
  }

  /** Processor time that it had used without a sign of life at the last check. */
  get silentForMs(): number {
    return this.#usedMs - (this.#heardAtMs ?? this.#usedMs)
  }

  /** Allows longer calls from now on: the job is larger than what isolates take. */
  enlarge(): void {
    this.#silentLimitMs = ENLARGED * (this.#limits.silentMs ?? Number.POSITIVE_INFINITY)
  }

  /** Notes a sign of life: a message or an answer. */
  hear(): void {
    this.#heard = this.#everHeard = true
  }

  /**
   * @param now milliseconds of any clock
   * @param processorMs what the process has used since it began; less than before: it was started again
   * @param waits for an answer that somebody owes it
   */
  check(now: number, processorMs: number, waits = false): Verdict {
    const { processorMs: mostMs = Number.POSITIVE_INFINITY, stalledMs = Number.POSITIVE_INFINITY, idleShare = IDLE_SHARE } = this.#limits
    this.#startedMs ??= processorMs
    const heard = this.#heard || this.#heardAtMs === undefined || processorMs < this.#heardAtMs
    if (heard) this.#heardAtMs = processorMs
    this.#heard = false
    this.#usedMs = processorMs
    if (processorMs - this.#startedMs > mostMs) return 'processor'
    if (this.silentForMs > this.silentLimitMs) return 'silent'
    const idle = this.#idle
    if (!idle || waits || processorMs - idle.processorMs > stalledMs * idleShare) this.#idle = { since: now, processorMs }
    // A process that gives signs of life had the processor for itself only if it has just given one.
    else if ((heard || this.#limits.silentMs === undefined) && now - idle.since > stalledMs) return 'stalled'
    return undefined
  }
}
