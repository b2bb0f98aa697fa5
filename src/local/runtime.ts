/** The service on one machine: presses as processes, and beside them Miniflare with prebuilt Workers. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import type { EdgeOptions } from './edge.ts'
import type { NativeProgram } from './native.ts'
import { TaskApiClient } from './task-api-client.ts'
import { Pool } from './worker-pool.ts'

export interface RuntimeOptions extends EdgeOptions {
  readonly workers: number
  readonly native: Promise<NativeProgram | undefined>
}

export interface Runtime extends AsyncDisposable {
  /** Resets every Durable Object, as a deployment does: what they hold in memory is gone, and calls under way break. */
  resetObjects(): Promise<void>
}

/** The service greets first. */
const WARM_AFTER_MS = 500

/** Opens the service; resolves when it listens. */
export async function openRuntime(options: RuntimeOptions): Promise<Runtime> {
  const secret = randomUUID() + randomUUID()
  const door = new TaskApiClient(`http://127.0.0.1:${options.taskApiPort}`, secret)
  const { workers, build, state, limits, native, log } = options
  // Should it fail before anybody waits for it: whoever does is told below.
  native.catch(() => undefined)
  // The presses come up while Miniflare is loaded, which is half a second of its own.
  const pool = await Pool.open({ workers, door, build, folder: join(state, 'presses'), limits, native, log })
  const { openEdge, RESETTER } = await import('./edge.ts')
  const edge = openEdge(options, secret, pool)
  try {
    await Promise.all([edge.ready, native])
  } catch (error) {
    await pool[Symbol.asyncDispose]()
    throw error
  }
  setTimeout(() => pool.warm(), WARM_AFTER_MS).unref()
  return {
    async resetObjects() {
      await (await edge.getWorker(RESETTER)).fetch('http://resetter')
    },
    async [Symbol.asyncDispose]() {
      await pool[Symbol.asyncDispose]()
      await edge.dispose()
    },
  }
}
