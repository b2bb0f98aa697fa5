/**
 * Runs the hourly clean-up over ten million blobs of a simulated bucket: `npm run bench -- sweep`. Half of the blobs have no task, and one
 * object in a thousand throws. Measures the number of rounds and the memory, which must not grow.
 */
import type { Env } from '../../src/service/env.ts'
import { sweep } from '../../src/service/tasks/sweep.ts'

const BLOBS = 10_000_000
const THROWS_EACH = 1000
const DIGITS = 9

export interface SweepRow {
  readonly blobs: number
  readonly rounds: number
  readonly removed: number
  readonly failed: number
  readonly seconds: number
  /** Largest heap at the end of a round, in MB. */
  readonly mostMegabytes: number
}

/** Simulated bucket that computes its listing and stores only the number of removed blobs. */
class SimulatedBucket {
  removed = 0
  #place: string | undefined

  async list({ prefix, limit = 500, startAfter, cursor }: R2ListOptions) {
    const from = cursor !== undefined ? Number(cursor) : startAfter ? numberOf(startAfter) + 1 : 0
    const to = prefix === 'results/' ? Math.min(BLOBS, from + limit) : from
    const objects = Array.from({ length: to - from }, (_, i) => ({ key: keyOf(from + i), uploaded: new Date(Date.now() - 7_200_000) }))
    return { objects, truncated: prefix === 'results/' && to < BLOBS, cursor: String(to) }
  }

  async get() {
    const place = this.#place
    return place === undefined ? null : { text: async () => place }
  }

  async put(_: string, place: string) {
    this.#place = place
  }

  async delete(keys: string | string[]) {
    if (typeof keys === 'string') this.#place = undefined
    else this.removed += keys.length
  }
}

const keyOf = (i: number) => `results/tsk_${String(i).padStart(DIGITS, '0')}/1`
const numberOf = (key: string) => Number(key.slice('results/tsk_'.length, 'results/tsk_'.length + DIGITS))

async function names(key: string): Promise<string[] | undefined> {
  const i = numberOf(key)
  if (i % THROWS_EACH === 7) throw new Error('simulated failure of a Durable Object')
  return i % 2 === 0 ? [key] : undefined
}

export async function benchSweep(): Promise<SweepRow> {
  const bucket = new SimulatedBucket()
  const env = { BLOBS: bucket, TASKS: { getByName: (id: string) => ({ names: () => names(`results/${id}/1`) }) } } as unknown as Env
  const began = performance.now()
  const sums = { blobs: 0, failed: 0 }
  let [rounds, mostMegabytes] = [0, 0]
  // The error messages about pages with failures are suppressed.
  const error = console.error
  console.error = () => undefined
  for (let isEnded = false; !isEnded; rounds++) {
    const { looked, failed, ended } = await sweep(env)
    sums.blobs += looked
    sums.failed += failed
    mostMegabytes = Math.max(mostMegabytes, process.memoryUsage().heapUsed / 1e6)
    isEnded = ended
  }
  console.error = error
  const row = { ...sums, rounds, removed: bucket.removed, seconds: (performance.now() - began) / 1000, mostMegabytes }
  console.log(
    `\n${row.blobs} blobs in ${rounds} sweeps: ${row.removed} removed, ${row.failed} could not be checked; ${row.seconds.toFixed(0)} s, heap ${mostMegabytes.toFixed(0)} MB at most`,
  )
  return row
}
