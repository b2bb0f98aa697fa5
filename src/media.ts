/** `whittle-media`: audio and video, apart because its engine is under the GPL. */
import type { WorkerEnv } from './env.ts'
import { MEDIA_CODECS } from './formats/media.ts'
import type { JobMessage } from './store/tasks.ts'
import { consume } from './tasks/consume.ts'

export default {
  queue: (batch, env) => consume(batch, env, MEDIA_CODECS),
} satisfies ExportedHandler<WorkerEnv, JobMessage>
