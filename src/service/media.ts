/** Worker `whittle-media`: audio and video codecs. A separate Worker, because its engine is under the GPL. */
import { WorkerEntrypoint } from 'cloudflare:workers'
import { MEDIA_CODECS } from '../core/formats/media.ts'
import type { MediaApi, WorkerEnv } from './env.ts'
import { withRegionBindings } from './store/region-bindings.ts'
import type { JobMessage } from './store/tasks.ts'
import { consume } from './tasks/consume.ts'

export class Media extends WorkerEntrypoint<WorkerEnv> implements MediaApi {
  async health() {
    return { ok: true as const, formats: Object.keys(MEDIA_CODECS) }
  }
}

export default {
  queue: (batch, env) => consume(batch, withRegionBindings(env), MEDIA_CODECS),
} satisfies ExportedHandler<WorkerEnv, JobMessage>
