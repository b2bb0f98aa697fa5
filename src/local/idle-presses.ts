/** Press processes that run no step. */
import type { WorkerKind } from '../service/lanes.ts'
import type { PressProcess } from './press-process.ts'

interface IdlePress {
  readonly press: PressProcess
  readonly timer: NodeJS.Timeout
}

export class IdlePresses {
  readonly #restMs: number
  readonly #onRest: (press: PressProcess) => void
  /** The next to take comes last. */
  readonly #idle: IdlePress[] = []

  /** @param onRest called once for each process that has been idle for `restMs` */
  constructor(restMs: number, onRest: (press: PressProcess) => void) {
    this.#restMs = restMs
    this.#onRest = onRest
  }

  /** Adds a process that may still be starting. It is taken after all others. */
  addNew(press: PressProcess): void {
    this.#idle.unshift(this.#entryOf(press))
  }

  /** Adds a process that has run a step. It is taken first, because its engines are compiled; the others come to rest. */
  addUsed(press: PressProcess): void {
    this.#idle.push(this.#entryOf(press))
  }

  /** Removes a process. @returns false if it is not idle */
  remove(press: PressProcess): boolean {
    const at = this.#idle.findIndex((idle) => idle.press === press)
    if (at < 0) return false
    clearTimeout(this.#idle.splice(at, 1)[0]!.timer)
    return true
  }

  take(kind: WorkerKind): PressProcess | undefined {
    const press = this.#idle.findLast((idle) => idle.press.kind === kind)?.press
    if (press) this.remove(press)
    return press
  }

  count(kind: WorkerKind): number {
    return this.#idle.filter(({ press }) => press.kind === kind).length
  }

  #entryOf(press: PressProcess): IdlePress {
    return { press, timer: setTimeout(() => this.#onRest(press), this.#restMs).unref() }
  }
}
