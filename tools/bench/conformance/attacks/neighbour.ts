/** A customer of another account, who sends a small file again and again while an attack runs. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Figure } from './attack.ts'
import type { Target } from './target.ts'

const PAUSE_MS = 500
const MOST_SECONDS = 10
const FILE = new Uint8Array(Buffer.alloc(50_000, 'text of a neighbour\n'))

export class Neighbour {
  readonly #target: Target
  readonly #key: string
  readonly #work: Promise<void>
  #accepted = 0
  #refused = 0
  #slowestMs = 0
  #left = false

  private constructor(target: Target, key: string) {
    this.#target = target
    this.#key = key
    this.#work = this.#send()
  }

  /** Starts sending. The first file loads the codec; it is sent before this resolves, and not measured. */
  static async beside(target: Target): Promise<Neighbour> {
    const { key } = await target.account('enterprise')
    await (await target.upload(key, FILE, 'neighbour.txt')).arrayBuffer()
    return new Neighbour(target, key)
  }

  async #send(): Promise<void> {
    for (; !this.#left; await sleep(PAUSE_MS)) {
      const began = performance.now()
      const response = await this.#target.upload(this.#key, FILE, 'neighbour.txt').catch(() => undefined)
      await response?.arrayBuffer().catch(() => undefined)
      if (response?.ok) this.#accepted++
      else this.#refused++
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - began)
    }
  }

  /** Stops sending. @returns the figures */
  async leave(): Promise<Figure[]> {
    this.#left = true
    await this.#work
    return [
      { what: 'files of a neighbour compressed', value: this.#accepted, unit: '' },
      { what: 'files of a neighbour refused', value: this.#refused, unit: '', most: 0 },
      { what: 'slowest file of the neighbour', value: this.#slowestMs / 1000, unit: 's', most: MOST_SECONDS },
    ]
  }
}
