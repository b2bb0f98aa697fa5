/** The service on one machine: a pool of press processes, and Miniflare with prebuilt Workers. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { EdgeOptions } from './edge.ts'
import { collectGarbage } from './garbage.ts'
import type { FfmpegProgram } from './native.ts'
import type { PoolState } from './observability/service-messages.ts'
import { TaskApiClient } from './task-api-client.ts'
import { RESETTER } from './unsafe-workers.ts'
import { type PoolObserver, WorkerPool } from './worker-pool.ts'

export interface RuntimeOptions extends EdgeOptions {
  readonly workers: number
  readonly native: Promise<FfmpegProgram | undefined>
  /** Receives the figures of the worker pool. Default: nobody does. */
  readonly observer?: PoolObserver
}

export interface Runtime extends AsyncDisposable {
  poolState(): PoolState
  /** Starts no more steps, except those for which a client waits. Resolves when no step runs. */
  drain(): Promise<void>
  /** Resets every Durable Object, as a deployment does. Objects lose what they hold in memory, and running calls fail. */
  resetObjects(): Promise<void>
}

/** Milliseconds before extra press processes start, so that they do not delay the start of the service. */
const WARM_UP_DELAY_MS = 500

/** Milliseconds before the garbage of the start is collected: 75 MB, mostly sources of Miniflare and the configuration of workerd. */
const GARBAGE_DELAY_MS = 5000

/** Opens the service. Resolves when it listens. @throws Error if Miniflare or FFmpeg cannot start */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const secret = randomUUID() + randomUUID()
  const door = new TaskApiClient(`http://127.0.0.1:${options.taskApiPort}`, secret)
  const { workers, build, state, limits, native, observer, log } = options
  // Prevents an unhandled rejection. `Promise.all` below reports the error.
  native.catch(() => undefined)
  // The press processes start while Miniflare loads, which takes about 0.5 s.
  const folder = join(state, 'presses')
  const pool = await WorkerPool.open({ workers, taskApi: door, build, folder, limits, native, log, ...(observer && { observer }) })
  const { openEdge } = await import('./edge.ts')
  const edge = openEdge(options, secret, pool)
  try {
    await Promise.all([edge.ready, native])
  } catch (error) {
    await pool[Symbol.asyncDispose]()
    throw error
  }
  setTimeout(() => pool.warm(), WARM_UP_DELAY_MS).unref()
  setTimeout(collectGarbage, GARBAGE_DELAY_MS).unref()
  return {
    poolState: () => pool.state(),
    drain: () => pool.drain(),
    async resetObjects() {
      await (await edge.getWorker(RESETTER)).fetch('http://resetter')
    },
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]()
      await edge.dispose()
    },
  }
}
