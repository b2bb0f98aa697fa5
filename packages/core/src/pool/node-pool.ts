/** Pools in Node, Deno and Bun. */
import { availableParallelism } from 'node:os'
import { STANDARD_MEMORY_BYTES } from '../../../../src/core/model/budget.ts'
import { type Input, isPath, pathOf } from '../input.ts'
import type { JobInput } from './messages.ts'
import { nodeThread } from './node-thread.ts'
import { compressIn, JobInputs, type PoolJobs, type PoolOf, type PoolOptions } from './pool.ts'
import { ThreadPool } from './thread-pool.ts'

/** Heap of a thread in bytes beside the budget of its job: code and tables of the engines. */
const HEAP_BYTES = 256 * 2 ** 20

/** Opens a pool. */
export function openPool({ threads = availableParallelism(), memoryBudget = STANDARD_MEMORY_BYTES }: PoolOptions): PoolOf<Input> {
  const pool = new ThreadPool<PoolJobs>(() => nodeThread(new URL('./worker.js', import.meta.url), memoryBudget + HEAP_BYTES), threads)
  return {
    async compress(input, options = {}) {
      const inputs = new JobInputs()
      return compressIn(pool, await added(inputs, input, options.name), { ...options, memoryBudget }, inputs.sources)
    },
    async verify(original, result, receipt, { keys } = {}) {
      const inputs = new JobInputs()
      const job = { original: await added(inputs, original), result: await added(inputs, result), receipt, keys }
      return pool.run('verify', job, { sources: inputs.sources })
    },
    close: () => pool.close(),
  }
}

const added = async (inputs: JobInputs, input: Input, name?: string): Promise<JobInput> =>
  isPath(input) ? { kind: 'path', path: pathOf(input) } : inputs.add(input, name)
