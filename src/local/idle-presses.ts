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
  /** New processes first, then used ones, the most recently used last. */
  readonly #idle: IdlePress[] = []

  /** @param onRest called once for each process that has been idle for `restMs` */
  constructor(restMs: number, onRest: (press: PressProcess) => void) {
    this.#restMs = restMs
    this.#onRest = onRest
  }

  /** Adds a process that may still be starting. */
  addNew(press: PressProcess): void {
    this.#idle.unshift(this.#entryOf(press))
  }

  /** Adds a process that has run a step. */
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

  /**
   * Takes a process. A quick step gets the most recently used one, whose engines are compiled. Others take the least recently used one: they
   * run for seconds, and leave the other to a quick step. Quick steps prefer a process that does not yield, the others one that does.
   */
  take(kind: WorkerKind, quick: boolean): PressProcess | undefined {
    const ofKind = this.#idle.map(({ press }) => press).filter((press) => press.kind === kind)
    const preferred = ofKind.filter(({ isYielding }) => isYielding !== quick)
    const press = (preferred.length > 0 ? preferred : ofKind).at(quick ? -1 : 0)
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
