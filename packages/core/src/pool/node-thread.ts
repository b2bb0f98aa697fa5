/** Threads of `node:worker_threads`, in Node, Deno and Bun. */
import { parentPort, Worker } from 'node:worker_threads'
import { overBudget } from '../../../../src/core/model/error.ts'
import type { FromThread, ToThread } from './messages.ts'
import type { Port } from './serve.ts'
import type { Thread, ThreadListener } from './thread-pool.ts'

const MB = 2 ** 20

/**
 * Starts a thread.
 * @param heapBytes most bytes of its JavaScript heap; Wasm memory and buffers are limited by the budget of the job
 */
export function nodeThread(script: URL, heapBytes: number): Thread {
  const worker = new Worker(script, { resourceLimits: { maxOldGenerationSizeMb: Math.ceil(heapBytes / MB) } })
  let listener: ThreadListener | undefined
  let ended: Error | undefined
  const end = (error: Error) => {
    ended ??= error
    listener?.ended(ended)
  }
  worker.on('message', (message: FromThread) => listener?.message(message))
  worker.on('error', (error: NodeJS.ErrnoException) =>
    end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? overBudget('thread_out_of_memory') : new Error(`the engine stopped: ${error.message}`)),
  )
  worker.on('exit', (code) => end(new Error(`the engine stopped with exit code ${code}`)))
  return {
    post: (message) => worker.postMessage(message),
    listen(next) {
      listener = next
      // A thread may crash after its last job.
      if (ended) next?.ended(ended)
    },
    async end() {
      await worker.terminate()
    },
  }
}

/** The thread's connection to its pool. @throws Error in a process that is no thread */
export function nodePort(): Port {
  const port = parentPort
  if (!port) throw new Error('this script runs in threads of a pool only')
  return {
    post: (message, transfer = []) => port.postMessage(message, [...transfer]),
    listen: (listener) => void port.on('message', (message: ToThread) => listener(message)),
  }
}
