/**
 * Decides if a working process hangs. A codec inside one WebAssembly call cannot be stopped, and no timer of its thread runs. So a
 * hang shows as silence. Silence is measured in CPU time, so that a process on an overloaded machine does not count as hung. No side
 * effects: the caller supplies clock and messages.
 */

/** Limits in milliseconds of CPU time, except `stalledMs`. `undefined`: no limit. */
export interface LivenessLimits {
  /** Most CPU time for the whole job. */
  readonly processorMs?: number
  /** Most CPU time between two heartbeats. `undefined`: the process sends no heartbeats. */
  readonly silentMs?: number
  /** CPU time allowed before the first heartbeat, if larger than `silentMs`. Default: 0. */
  readonly startMs?: number
  /** Most wall-clock time in which the process sends heartbeats but uses no CPU and waits for no answer. */
  readonly stalledMs?: number
  /** Share of `stalledMs` that the process may compute and still count as stalled. Default: 0.01, the cost of its heartbeats. */
  readonly idleShare?: number
}

/** `processor`: the CPU time limit is reached. `silent`: no heartbeat. `stalled`: no CPU time was used. `undefined`: alive. */
export type Verdict = 'processor' | 'silent' | 'stalled' | undefined

/** Factor for `silentMs` in jobs that exceed an isolate's memory. */
const ENLARGED_SILENCE_FACTOR = 5
const IDLE_SHARE = 0.01

export interface Measurement {
  /** CPU time of the process since it started, in milliseconds. Less than before: it was restarted. */
  readonly processorMs: number
  /** True while the process waits for an answer. Default: false. */
  readonly isWaiting?: boolean
  /** False if the process would not use a CPU that is free, as after SIGSTOP. Default: true. */
  readonly isRunnable?: boolean
}

export class Liveness {
  readonly #limits: LivenessLimits
  #silentLimitMs: number
  #heartbeatSinceCheck = false
  #hadHeartbeat = false
  #startedMs: number | undefined
  /** CPU time at the last check, in milliseconds. */
  #usedMs = 0
  /** CPU time at the last check that followed a heartbeat, in milliseconds. `undefined`: not checked yet. */
  #heartbeatAtMs: number | undefined
  /** Start of the current idle period: clock time and CPU time then, in milliseconds. */
  #idle: { since: number; processorMs: number } | undefined

  /** `startedMs`: CPU time when the work began. `undefined`: the CPU time at the first check. */
  constructor(limits: LivenessLimits, startedMs?: number) {
    this.#limits = limits
    this.#startedMs = this.#heartbeatAtMs = startedMs
    this.#silentLimitMs = limits.silentMs ?? Number.POSITIVE_INFINITY
  }

  /** CPU time in milliseconds that the process may use before its next heartbeat. */
  get silentLimitMs(): number {
    const { startMs = 0 } = this.#limits
    return this.#hadHeartbeat ? this.#silentLimitMs : Math.max(this.#silentLimitMs, startMs)
  }

  /** CPU time in milliseconds between the last heartbeat and the last check. */
  get silentForMs(): number {
    return this.#usedMs - (this.#heartbeatAtMs ?? this.#usedMs)
  }

  /** Multiplies the silence limit by 5, because single calls of a job larger than an isolate take longer. */
  enlarge(): void {
    this.#silentLimitMs = ENLARGED_SILENCE_FACTOR * (this.#limits.silentMs ?? Number.POSITIVE_INFINITY)
  }

  /** Records a heartbeat: a message or an answer. */
  recordHeartbeat(): void {
    this.#heartbeatSinceCheck = this.#hadHeartbeat = true
  }

  /**
   * Evaluates one measurement.
   * @param now milliseconds of any clock
   */
  check(now: number, { processorMs, isWaiting = false, isRunnable = true }: Measurement): Verdict {
    const { processorMs: maxMs = Number.POSITIVE_INFINITY, stalledMs = Number.POSITIVE_INFINITY, idleShare = IDLE_SHARE } = this.#limits
    this.#startedMs ??= processorMs
    const hadSign = this.#heartbeatSinceCheck || this.#heartbeatAtMs === undefined || processorMs < this.#heartbeatAtMs
    if (hadSign) this.#heartbeatAtMs = processorMs
    this.#heartbeatSinceCheck = false
    this.#usedMs = processorMs
    if (processorMs - this.#startedMs > maxMs) return 'processor'
    if (this.silentForMs > this.silentLimitMs) return 'silent'
    const idle = this.#idle
    if (!idle || isWaiting || processorMs - idle.processorMs > stalledMs * idleShare) this.#idle = { since: now, processorMs }
    // Without a recent heartbeat, a process that could compute may be inside a long call on a busy machine. One that was stopped is not.
    else if ((hadSign || !isRunnable || this.#limits.silentMs === undefined) && now - idle.since > stalledMs) return 'stalled'
    return undefined
  }
}
