/**
 * Watches one process from outside (workerd, a press process or FFmpeg) and decides when it must end. The process need not cooperate:
 * inside one WebAssembly call it answers nobody and cannot be cancelled. `liveness.ts` defines what counts as hung.
 */
import { Liveness, type LivenessLimits, type Verdict as LivenessVerdict } from './liveness.ts'

interface WatchdogLimits extends LivenessLimits {
  /** Resident memory limit, in bytes. `undefined`: no limit. */
  readonly memoryBytes?: number
}

export interface ProcessSample {
  /** CPU time that the process has used so far, in milliseconds. */
  readonly processorMs: number
  readonly residentBytes?: number
  /** True if the process waits for an answer. Using no CPU is then no sign of a hang. */
  readonly isWaiting?: boolean
  /** False if the process would not use a CPU that is free. Default: true. */
  readonly isRunnable?: boolean
}

export interface WatchedProcess {
  /** Measures the process. `undefined`: not supported on this system, or the process has ended. Never rejects. */
  sample(): Promise<ProcessSample | undefined>
  /** Asks the process to respond; true if it did. Called only while it uses CPU time without heartbeats. Never rejects. */
  requestHeartbeat?(): Promise<boolean>
}

export type WatchdogVerdict = NonNullable<LivenessVerdict> | 'memory'

export interface WatchdogOptions {
  readonly limits: WatchdogLimits
  /** Milliseconds between two measurements. */
  readonly everyMs: number
  /** CPU time when the work began, in milliseconds. `undefined`: the first measurement. */
  readonly startedMs?: number
  /** Share of wall-clock time that counts as CPU time if there is no measurement. `undefined`: no decision without one. */
  readonly clockShare?: number
}

/** Share of `silentMs` after which the process is asked to respond. */
const ASK_FROM = 1 / 6

export class Watchdog {
  /** Settles with the reason when the process must end. */
  readonly verdict: Promise<WatchdogVerdict>
  readonly #watched: WatchedProcess
  readonly #options: WatchdogOptions
  readonly #liveness: Liveness
  readonly #resolveVerdict: (verdict: WatchdogVerdict) => void
  /** CPU time at the last measurement or its estimate, in milliseconds. */
  #usedMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(watched: WatchedProcess, options: WatchdogOptions) {
    const { promise, resolve } = Promise.withResolvers<WatchdogVerdict>()
    this.verdict = promise
    this.#resolveVerdict = resolve
    this.#watched = watched
    this.#options = options
    this.#liveness = new Liveness(options.limits, options.startedMs)
    this.#wait()
  }

  /** CPU time since the last heartbeat, and its limit, in milliseconds. */
  get silence(): { readonly usedMs: number; readonly limitMs: number } {
    return { usedMs: this.#liveness.silentForMs, limitMs: this.#liveness.silentLimitMs }
  }

  /** Records a heartbeat. */
  recordHeartbeat(): void {
    this.#liveness.recordHeartbeat()
  }

  /** Allows longer calls from now on. */
  enlarge(): void {
    this.#liveness.enlarge()
  }

  /** Stops watching. `verdict` does not settle any more. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #wait(): void {
    this.#timer = setTimeout(() => void this.#check(), this.#options.everyMs)
  }

  async #check(): Promise<void> {
    const sample = (await this.#watched.sample()) ?? this.#estimateFromClock()
    if (this.#timer === undefined) return
    this.#wait()
    if (!sample) return
    this.#usedMs = sample.processorMs
    const { limits } = this.#options
    const exceedsMemory = (sample.residentBytes ?? 0) > (limits.memoryBytes ?? Number.POSITIVE_INFINITY)
    const verdict = exceedsMemory ? 'memory' : this.#liveness.check(performance.now(), sample)
    if (verdict) {
      this.stop()
      this.#resolveVerdict(verdict)
    } else if (this.#watched.requestHeartbeat && this.silence.usedMs >= this.silence.limitMs * ASK_FROM) {
      void this.#watched.requestHeartbeat().then((answered) => answered && this.recordHeartbeat())
    }
  }

  #estimateFromClock(): ProcessSample | undefined {
    const { clockShare, everyMs } = this.#options
    return clockShare === undefined ? undefined : { processorMs: this.#usedMs + everyMs * clockShare }
  }
}
