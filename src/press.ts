/** `whittle-press`: every codec but audio and video. RPC for the quick lane, queue consumer for the slow lane. */
import { WorkerEntrypoint } from 'cloudflare:workers'
import type { PressFace, WorkerEnv } from './env.ts'
import { PRESS_CODECS } from './formats/press.ts'
import type { JobMessage } from './store/tasks.ts'
import { consume } from './tasks/consume.ts'
import { run } from './tasks/run.ts'

export class Press extends WorkerEntrypoint<WorkerEnv> implements PressFace {
  async run(taskId: string): Promise<void> {
    await run(this.env, PRESS_CODECS, { taskId, generation: null, step: 'whole' })
  }

  async health() {
    return { ok: true as const, formats: Object.keys(PRESS_CODECS) }
  }
}

export default {
  queue: (batch, env) => consume(batch, env, PRESS_CODECS),
} satisfies ExportedHandler<WorkerEnv, JobMessage>
