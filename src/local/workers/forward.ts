/** Replaces the Workers `whittle-press` and `whittle-media` on one machine: forwards every step to the worker pool. */
import { WorkerEntrypoint } from 'cloudflare:workers'
import type { MediaApi, PressApi } from '../../service/env.ts'
import type { WorkerKind } from '../../service/lanes.ts'
import type { JobMessage } from '../../service/store/tasks.ts'
import type { WaitingApi, WaitingPlace } from '../../service/store/waiting.ts'

interface ForwardEnv {
  /** The worker pool, in the service's own process. */
  readonly POOL: Fetcher
}

async function callPool(env: ForwardEnv, path: string, step?: unknown): Promise<unknown> {
  const response = await env.POOL.fetch(`http://pool${path}`, { method: 'POST', body: JSON.stringify(step ?? null) })
  if (!response.ok) throw new Error(`The worker pool failed with HTTP ${response.status}: ${await response.text()}`)
  return response.json()
}

const health = async (env: ForwardEnv, kind: WorkerKind) => ({
  ok: true as const,
  formats: (await callPool(env, `/health/${kind}`)) as string[],
})

/** Methods instead of properties, because RPC only exposes methods of the prototype. */
export class Press extends WorkerEntrypoint<ForwardEnv> implements PressApi {
  async run(taskId: string) {
    await callPool(this.env, '/run', { taskId, generation: null, step: 'whole' })
    return 'done' as const
  }

  health() {
    return health(this.env, 'press')
  }
}

export class Media extends WorkerEntrypoint<ForwardEnv> implements MediaApi {
  health() {
    return health(this.env, 'media')
  }
}

/** The order of waiting tasks, which only the worker pool knows. */
export class Waiting extends WorkerEntrypoint<ForwardEnv> implements WaitingApi {
  async places(taskIds: readonly string[]) {
    return (await callPool(this.env, '/places', taskIds)) as Record<string, WaitingPlace>
  }
}

export default {
  /**
   * Queues each step in the pool without waiting for it. Miniflare's queue delivers one batch at a time and waits for the handler to
   * return.
   */
  async queue(batch, env) {
    const kind: WorkerKind = batch.queue.startsWith('whittle-media') ? 'media' : 'press'
    for (const message of batch.messages) await callPool(env, `/queue/${kind}`, message.body)
  },
} satisfies ExportedHandler<ForwardEnv, JobMessage>
