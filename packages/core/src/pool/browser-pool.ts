/** Pools of module workers, in browsers. */
import type { Input } from '../../../../src/core/library.ts'
import { STANDARD_MEMORY_BYTES } from '../../../../src/core/model/budget.ts'
import type { FromThread } from './messages.ts'
import { compressIn, JobInputs, type PoolJobs, type PoolOf, type PoolOptions } from './pool.ts'
import { type Thread, type ThreadListener, ThreadPool } from './thread-pool.ts'

/** Opens a pool. */
export function openPool({ threads = navigator.hardwareConcurrency, memoryBudget = STANDARD_MEMORY_BYTES }: PoolOptions): PoolOf<Input> {
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
