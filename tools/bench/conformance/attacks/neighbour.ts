/** A customer of another account, who sends a small file again and again, first alone and then while an attack runs. */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Figure } from './attack.ts'
import type { Target } from './target.ts'

const MOST_SECONDS = 10
/** Most time of a file beside the attack, as a multiple of its time alone. */
const MOST_FACTOR = 2

export interface NeighbourOrder {
  readonly baseUrl: string
  readonly key: string
}

/** Milliseconds of each file. `undefined`: it was refused. */
export interface NeighbourReport {
  readonly alone: readonly (number | undefined)[]
  readonly beside: readonly (number | undefined)[]
}

export class Neighbour {
  readonly #worker: Worker

  private constructor(worker: Worker) {
    this.#worker = worker
  }

  /** Resolves when the customer has measured its files alone. It then goes on until `leave`. */
  static async beside(target: Target): Promise<Neighbour> {
    const { key } = await target.account('enterprise')
    const workerData: NeighbourOrder = { baseUrl: target.baseUrl, key }
    const worker = new Worker(new URL('neighbour-client.ts', import.meta.url), { workerData })
    await once(worker, 'message')
    return new Neighbour(worker)
  }

  /** Stops sending. @returns the figures */
  async leave(): Promise<Figure[]> {
    const reported = once(this.#worker, 'message')
    this.#worker.postMessage('leave')
    const [{ alone, beside }] = (await reported) as [NeighbourReport]
    const [quiet, busy] = [completed(alone), completed(beside)]
    const factor = mean(busy) / mean(quiet)
    return [
      { what: 'files of a neighbour that were refused', value: beside.length - busy.length, unit: '', most: 0 },
      { what: `a file of the neighbour alone, mean of ${quiet.length}`, value: mean(quiet), unit: 'ms' },
      { what: `beside the attack, mean of ${busy.length}`, value: mean(busy), unit: 'ms' },
      { what: 'slowest file of the neighbour', value: Math.max(...busy) / 1000, unit: 's', most: MOST_SECONDS },
      { what: 'mean time beside the attack, as a multiple of the time alone', value: factor, unit: '×', most: MOST_FACTOR },
    ]
  }
}

const completed = (times: readonly (number | undefined)[]) => times.filter((ms) => ms !== undefined)
const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
