/** The edge with the text room alone: whole presses are the subject of test/e2e, and take long to load here. */
import { WorkerEntrypoint } from 'cloudflare:workers'
import type { MediaFace, PressFace, WorkerEnv } from '../../src/env.ts'
import { text } from '../../src/formats/text/text.ts'
import edge from '../../src/index.ts'
import type { JobMessage } from '../../src/store/tasks.ts'
import { consume } from '../../src/tasks/consume.ts'
import { type Codecs, run } from '../../src/tasks/run.ts'

export * from '../../src/index.ts'

const CODECS: Codecs = { text }

export class Press extends WorkerEntrypoint<WorkerEnv> implements PressFace {
  async run(taskId: string) {
    await run(this.env, CODECS, { taskId, generation: null, step: 'whole' })
  }

  async health() {
    return { ok: true as const, formats: Object.keys(CODECS) }
  }
}

export class Media extends WorkerEntrypoint<WorkerEnv> implements MediaFace {
  async health() {
    return { ok: true as const, formats: [] }
  }
}

export default {
  ...edge,
  queue: (batch: MessageBatch<JobMessage>, env: WorkerEnv) => consume(batch, env, CODECS),
}
