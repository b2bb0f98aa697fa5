/** `whittle-press` with a codec for texts that never comes back from a file of this name. */

import { PRESS_CODECS } from '../../../src/core/formats/press.ts'
import type { Codec } from '../../../src/core/model/codec.ts'
import type { WorkerEnv } from '../../../src/service/env.ts'
import { Press as RealPress } from '../../../src/service/press.ts'
import type { JobMessage } from '../../../src/service/store/tasks.ts'
import { consume } from '../../../src/service/tasks/consume.ts'
import { run } from '../../../src/service/tasks/run.ts'

const text = PRESS_CODECS.text as Codec
const hanging: Codec = {
  ...text,
  compress(source, sink, options) {
    if (source.name === 'hang.txt') for (;;);
    return text.compress(source, sink, options)
  },
}
const codecs = { ...PRESS_CODECS, text: hanging }

export class Press extends RealPress {
  override run(taskId: string) {
    return run(this.env, codecs, { taskId, generation: null, step: 'whole' })
  }
}

export default {
  queue: (batch, env) => consume(batch, env, codecs),
} satisfies ExportedHandler<WorkerEnv, JobMessage>
