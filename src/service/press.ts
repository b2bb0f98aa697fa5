/** Worker `whittle-press`: all codecs except audio and video. RPC for quick tasks, queue consumer for all others. */
import { WorkerEntrypoint } from 'cloudflare:workers'
import { PRESS_CODECS } from '../core/formats/press.ts'
import type { PressApi, WorkerEnv } from './env.ts'
import { withRegionBindings } from './store/region-bindings.ts'
import type { JobMessage } from './store/tasks.ts'
import { consume } from './tasks/consume.ts'
import { run } from './tasks/run.ts'

/** Longest wait for memory, in milliseconds, before a quick task moves to the queue. */
const QUICK_WAIT_MS = 2000

export class Press extends WorkerEntrypoint<WorkerEnv> implements PressApi {
  run(taskId: string, bytes: number, worker: string): Promise<'done' | 'busy'> {
    return run(
      withRegionBindings(this.env),
      PRESS_CODECS,
      { taskId, generation: null, step: 'whole', bytes },
      { worker, waitMs: QUICK_WAIT_MS },
    )
  }

  async health() {
    return { ok: true as const, formats: Object.keys(PRESS_CODECS) }
  }
}

export default {
  queue: (batch, env) => consume(batch, withRegionBindings(env), PRESS_CODECS),
} satisfies ExportedHandler<WorkerEnv, JobMessage>
