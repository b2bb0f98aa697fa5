/**
 * Watches one process from outside and says when it must end: workerd, a press or FFmpeg. None of them has to help: a process inside
 * one call of WebAssembly answers nobody, and nothing inside it can be cancelled. What counts as hung is decided in `liveness.ts`.
 */
import { Liveness, type LivenessLimits, type Verdict as LivenessVerdict } from './liveness.ts'

export interface WatchdogLimits extends LivenessLimits {
  /** Most resident memory, in bytes. `undefined`: no limit. */
  readonly memoryBytes?: number
}

export interface Sample {
  /** Milliseconds of processor time that the process has used so far. */
  readonly processorMs: number
  readonly residentBytes?: number
  /** True if it waits for an answer, so that computing nothing is no sign of a hang. */
  readonly waits?: boolean
}

export interface Watched {
  /** Measures the process. `undefined`: this system does not tell, or the process is gone. Never rejects. */
  sample(): Promise<Sample | undefined>
  /** Asks the process for a sign of life; true if it gave one. Called while it is silent, never while it is at rest. Never rejects. */
  ask?(): Promise<boolean>
}

export type Verdict = NonNullable<LivenessVerdict> | 'memory'

export interface WatchdogOptions {
  readonly limits: WatchdogLimits
  /** Milliseconds between two samples. */
  readonly everyMs: number
  /** Processor time when the work began, in milliseconds. `undefined`: what the first sample says. */
  readonly startedMs?: number
  /** Share of the clock that counts as processor time where the system does not tell. `undefined`: without a sample nothing is decided. */
  readonly clockShare?: number
}

/** Share of `silentMs` from which on the process is asked. */
const ASK_FROM = 1 / 6

export class Watchdog {
  /** Settles when the process must end. */
  readonly verdict: Promise<Verdict>
  readonly #watched: Watched
  readonly #options: WatchdogOptions
  readonly #liveness: Liveness
  readonly #settle: (verdict: Verdict) => void
  /** Processor time at the last sample, or what stands in for it. */
  #usedMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor(watched: Watched, options: WatchdogOptions) {
    const { promise, resolve } = Promise.withResolvers<Verdict>()
    this.verdict = promise
    this.#settle = resolve
    this.#watched = watched
    this.#options = options
    this.#liveness = new Liveness(options.limits, options.startedMs)
    this.#wait()
  }

  /** Processor time without a sign of life: what it used, and what it may use. Milliseconds. */
  get silence(): { readonly usedMs: number; readonly limitMs: number } {
    return { usedMs: this.#liveness.silentForMs, limitMs: this.#liveness.silentLimitMs }
  }

  /** Notes a sign of life. */
  hear(): void {
    this.#liveness.hear()
  }

  /** Allows longer calls from now on. */
  enlarge(): void {
    this.#liveness.enlarge()
  }

  /** Watches no longer. `verdict` stays as it is. */
  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #wait(): void {
    this.#timer = setTimeout(() => void this.#check(), this.#options.everyMs)
  }

  async #check(): Promise<void> {
    const sample = (await this.#watched.sample()) ?? this.#byTheClock()
    if (this.#timer === undefined) return
    this.#wait()
    if (!sample) return
    this.#usedMs = sample.processorMs
    const { limits } = this.#options
    const isLarge = (sample.residentBytes ?? 0) > (limits.memoryBytes ?? Number.POSITIVE_INFINITY)
    const verdict = isLarge ? 'memory' : this.#liveness.check(performance.now(), sample.processorMs, sample.waits)
    if (verdict) {
      this.stop()
      this.#settle(verdict)
    } else if (this.#watched.ask && this.silence.usedMs >= this.silence.limitMs * ASK_FROM) {
      void this.#watched.ask().then((answered) => answered && this.hear())
    }
  }

  #byTheClock(): Sample | undefined {
    const { clockShare, everyMs } = this.#options
    return clockShare === undefined ? undefined : { processorMs: this.#usedMs + everyMs * clockShare }
  }
}
