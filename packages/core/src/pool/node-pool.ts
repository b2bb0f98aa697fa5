/** Pools in Node, Deno and Bun. */
import { availableParallelism } from 'node:os'
import type { VerifyReport } from '../../../../src/core/audit/check.ts'
import type { PublicKeys } from '../../../../src/core/audit/receipt.ts'
import type { Receipt } from '../../../../src/core/library.ts'
import { STANDARD_MEMORY_BYTES } from '../../../../src/core/model/budget.ts'
import { type Input, isPath, pathOf } from '../input.ts'
import type { Compressed } from '../options.ts'
import type { JobInput } from './messages.ts'
import { nodeThread } from './node-thread.ts'
import { compressIn, JobInputs, type PoolCompressOptions, type PoolJobs, type PoolOptions } from './pool.ts'
import { ThreadPool } from './thread-pool.ts'

export type { PoolCompressOptions, PoolOptions } from './pool.ts'

/** Heap of a thread in bytes beside the budget of its job: code and tables of the engines. */
const HEAP_BYTES = 256 * 2 ** 20

export interface Pool {
  /**
   * Compresses like `compress`, in a thread.
   * @throws the errors of `compress`; CodecError `over_budget` if the thread runs out of memory; Error if the thread crashes
   */
  compress(input: Input, options?: PoolCompressOptions): Promise<Compressed>
  /** Verifies like `verify`, in a thread. */
  verify(original: Input, result: Input, receipt?: Receipt | string, options?: { readonly keys?: PublicKeys }): Promise<VerifyReport>
  /** Ends all threads. Jobs that run or wait fail. */
  close(): Promise<void>
}

/**
 * Opens a pool of threads, so that several files are compressed at the same time and this thread stays free. A file that crashes the engines
 * ends a thread, and its job fails. An aborted `signal` ends the thread of the job, which frees its memory at once.
 *
 * ```ts
 * const pool = createPool({ threads: 4 })
 * const results = await Promise.all(paths.map((path) => pool.compress(path)))
 * await pool.close()
 * ```
 *
 * The formats are those of this package, without those that `use` has added.
 * @throws RangeError if `threads` is no whole number above 0
 */
export function createPool({ threads = availableParallelism(), memoryBudget = STANDARD_MEMORY_BYTES }: PoolOptions = {}): Pool {
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
