/**
 * Notices a workerd that hangs. One thread of it does everything: while a codec is inside one call of WebAssembly nobody is
 * answered, nothing can be cancelled, and no limit of CPU ends it on this machine. Time alone does not tell that from a machine
 * with too much to do, so what counts is the processor time that went by without any answer.
 */

export interface Watched {
  /** Asks for anything; true when the Worker itself answered. Never rejects. */
  ask(): Promise<boolean>
  /** Processor milliseconds that it has used so far; undefined: this system does not tell. */
  processorMs(): Promise<number | undefined>
}

/** Before its first answer a service may take this much, however little it has later. */
const LEAST_TO_START_MS = 60_000
/** From this share of the patience on it is asked; a service at rest is left alone. */
const ASK_FROM = 1 / 6
/** Where there is no processor time to read: so many times as long by the clock. */
const BY_THE_CLOCK = 10
const MOST_PAUSE_MS = 5000

export class Watchdog {
  /** Settles when the service hangs, with the words for it. */
  readonly hung: Promise<string>
  readonly #watched: Watched
  readonly #patienceMs: number
  readonly #pauseMs: number
  #report!: (why: string) => void
  #heard = false
  #everHeard = false
  /** Of the processor, at the last tick before which it had answered. */
  #sinceMs = 0
  #silentMs = 0
  #timer: NodeJS.Timeout | undefined

  /** `patienceMs`: of processor time, without an answer. */
  constructor(watched: Watched, patienceMs: number) {
    this.#watched = watched
    this.#patienceMs = patienceMs
    this.#pauseMs = Math.min(MOST_PAUSE_MS, patienceMs / 4)
    this.hung = new Promise((resolve) => {
      this.#report = resolve
    })
    this.#timer = setTimeout(() => void this.#look(), this.#pauseMs)
  }

  /** It has answered somebody. */
  hear(): void {
    this.#heard = this.#everHeard = true
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  async #look(): Promise<void> {
    const used = await this.#watched.processorMs()
    if (this.#timer === undefined) return
    this.#timer = setTimeout(() => void this.#look(), this.#pauseMs)
    this.#silentMs += this.#pauseMs
    if (this.#heard || (used !== undefined && used < this.#sinceMs)) {
      this.#heard = false
      this.#silentMs = 0
      this.#sinceMs = used ?? 0
      return
    }
    const patienceMs = this.#everHeard ? this.#patienceMs : Math.max(this.#patienceMs, LEAST_TO_START_MS)
    const busyMs = used === undefined ? this.#silentMs / BY_THE_CLOCK : used - this.#sinceMs
    if (busyMs >= patienceMs) {
      this.stop()
      this.#report(`it answered nothing while it was busy for ${Math.round(busyMs / 1000)} s of processor time`)
    } else if (busyMs >= patienceMs * ASK_FROM) void this.#watched.ask().then((answered) => answered && this.hear())
  }
}
