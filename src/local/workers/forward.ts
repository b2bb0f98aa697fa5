/** Stands in for `whittle-press` and `whittle-media` where the presses are processes: every step goes to the pool. */
import { WorkerEntrypoint } from 'cloudflare:workers'
import type { MediaFace, PressFace } from '../../service/env.ts'
import type { Kind } from '../../service/lanes.ts'
import type { JobMessage } from '../../service/store/tasks.ts'

interface ForwardEnv {
  /** The parent of the presses, in this service's own process. */
  readonly POOL: Fetcher
}

async function tell(env: ForwardEnv, path: string, step?: unknown): Promise<unknown> {
  const answer = await env.POOL.fetch(`http://pool${path}`, { method: 'POST', body: JSON.stringify(step ?? null) })
  if (!answer.ok) throw new Error(`the pool of presses answered ${answer.status}: ${await answer.text()}`)
  return answer.json()
}

const health = async (env: ForwardEnv, kind: Kind) => ({ ok: true as const, formats: (await tell(env, `/health/${kind}`)) as string[] })

/** Methods, not properties: RPC reaches only what the prototype has. */
export class Press extends WorkerEntrypoint<ForwardEnv> implements PressFace {
  async run(taskId: string) {
    await tell(this.env, '/run', { taskId, generation: null, step: 'whole' })
    return 'done' as const
  }

  health() {
    return health(this.env, 'press')
  }
}

export class Media extends WorkerEntrypoint<ForwardEnv> implements MediaFace {
  health() {
    return health(this.env, 'media')
  }
}

export default {
  /** Miniflare's queue hands out one batch at a time and waits for its end: a step is only put in line here. */
  async queue(batch, env) {
    const kind: Kind = batch.queue.startsWith('whittle-media') ? 'media' : 'press'
    for (const message of batch.messages) await tell(env, `/queue/${kind}`, message.body)
  },
} satisfies ExportedHandler<ForwardEnv, JobMessage>
