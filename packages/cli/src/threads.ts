/** The command's threads: the pool of the library, with films and sound if `@whittle-app/film` is installed. */
import { nodeThread } from '../../core/src/pool/node-thread.ts'
import { ThreadPool } from '../../core/src/pool/thread-pool.ts'
import type { CommandJobs } from './worker-messages.ts'

/** Heap of a thread in bytes. Wasm memory is limited by the budget of the job. */
const HEAP_BYTES = 2048 * 2 ** 20

export type CommandThreads = ThreadPool<CommandJobs>

/** @param threads most files at the same time */
export const openThreads = (threads: number): CommandThreads =>
  new ThreadPool(() => nodeThread(new URL('./worker.js', import.meta.url), HEAP_BYTES), threads)
