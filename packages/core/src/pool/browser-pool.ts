/** Pools of module workers, in browsers. */
import type { VerifyReport } from '../../../../src/core/audit/check.ts'
import type { PublicKeys } from '../../../../src/core/audit/receipt.ts'
import type { Input, Receipt } from '../../../../src/core/library.ts'
import { STANDARD_MEMORY_BYTES } from '../../../../src/core/model/budget.ts'
import type { Compressed } from '../options.ts'
import type { FromThread } from './messages.ts'
import { compressIn, JobInputs, type PoolCompressOptions, type PoolJobs, type PoolOptions } from './pool.ts'
import { type Thread, type ThreadListener, ThreadPool } from './thread-pool.ts'

export type { PoolCompressOptions, PoolOptions } from './pool.ts'

export interface Pool {
  /**
   * Compresses like `compress`, in a worker.
   * @throws the errors of `compress`, and Error if the worker crashes
   */
  compress(input: Input, options?: PoolCompressOptions): Promise<Compressed>
  /** Verifies like `verify`, in a worker. */
  verify(original: Input, result: Input, receipt?: Receipt | string, options?: { readonly keys?: PublicKeys }): Promise<VerifyReport>
  /** Ends all workers. Jobs that run or wait fail. */
  close(): Promise<void>
}

/**
 * Opens a pool of module workers, so that several files are compressed at the same time and the page stays responsive. A file that crashes
 * the engines ends a worker, and its job fails. An aborted `signal` ends the worker of the job, which frees its memory at once.
 *
 * ```ts
 * const pool = createPool({ threads: 2 })
 * const results = await Promise.all(files.map((file) => pool.compress(file)))
 * await pool.close()
 * ```
 *
 * @throws RangeError if `threads` is no whole number above 0
 */
export function createPool({ threads = navigator.hardwareConcurrency, memoryBudget = STANDARD_MEMORY_BYTES }: PoolOptions = {}): Pool {
  const pool = new ThreadPool<PoolJobs>(browserThread, threads)
  return {
    async compress(input, options = {}) {
      const inputs = new JobInputs()
      return compressIn(pool, await inputs.add(input, options.name), { ...options, memoryBudget }, inputs.sources)
    },
    async verify(original, result, receipt, { keys } = {}) {
      const inputs = new JobInputs()
      const job = { original: await inputs.add(original), result: await inputs.add(result), receipt, keys }
      return pool.run('verify', job, { sources: inputs.sources })
    },
    close: () => pool.close(),
  }
}

/** Starts a module worker. The literal address lets bundlers find its script. */
function browserThread(): Thread {
  const worker = new Worker(new URL('./browser-worker.js', import.meta.url), { type: 'module' })
  let listener: ThreadListener | undefined
  let ended: Error | undefined
  worker.onmessage = ({ data }: MessageEvent<FromThread>) => listener?.message(data)
  worker.onerror = ({ message }) => {
    ended ??= new Error(`the engine stopped: ${message || 'its script cannot be loaded'}`)
    listener?.ended(ended)
  }
  return {
    post: (message) => worker.postMessage(message),
    listen(next) {
      listener = next
      if (ended) next?.ended(ended)
    },
    end: async () => worker.terminate(),
  }
}
