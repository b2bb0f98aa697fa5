/**
 * Worker `whittle-heavy` (optional): runs jobs that exceed an isolate's budget in containers of the image in deploy/Dockerfile.
 * Each task has its own container, so that files of two customers never share a machine. See docs/decisions/containers.md.
 */
import { DurableObject, WorkerEntrypoint } from 'cloudflare:workers'
import type { WorkerEnv } from '../env.ts'
import type { WorkerKind } from '../lanes.ts'
import { handleTaskApi } from '../remote/answer.ts'
import type { Namespace } from '../store/namespace.ts'
import { withRegionBindings } from '../store/region-bindings.ts'
import type { JobMessage } from '../store/tasks.ts'
import { handleDeadLetter, isDeadLetterQueue } from '../tasks/consume.ts'
import type { Step } from '../tasks/run.ts'
import { type Machine, runStepInContainer } from './container.ts'

interface HeavyEnv extends WorkerEnv {
  readonly CONTAINERS: Namespace<{ work(kind: WorkerKind, step: Step): Promise<void> }>
}

/** API that a container can reach: only the record and the blobs of its own task. */
export class Door extends WorkerEntrypoint<WorkerEnv, { readonly taskId: string }> {
  override fetch(request: Request): Promise<Response> {
    return handleTaskApi(withRegionBindings(this.env), request, this.ctx.props.taskId)
  }
}

interface Exports {
  Door(options: { props: { taskId: string } }): Fetcher
}

export class HeavyPress extends DurableObject<HeavyEnv> {
  async work(kind: WorkerKind, step: Step): Promise<void> {
    const machine = this.ctx.container as unknown as Machine | undefined
    if (!machine) throw new Error('This deployment of whittle-heavy has no containers. Add them in deploy/wrangler.heavy.toml.')
    const { Door } = this.ctx.exports as unknown as Exports
    await runStepInContainer(machine, Door({ props: { taskId: step.taskId } }), kind, step)
  }
}

const RETRY_SECONDS = 60

export default {
  async queue(batch, env) {
    const own = withRegionBindings(env)
    for (const message of batch.messages) {
      if (isDeadLetterQueue(batch.queue)) {
        await handleDeadLetter(message, batch.queue, own)
        continue
      }
      const { taskId } = message.body
      try {
        const task = await own.TASKS.getByName(taskId).read()
        if (task) await own.CONTAINERS.getByName(taskId).work(task.worker, message.body)
        message.ack()
      } catch (error) {
        console.error(JSON.stringify({ level: 'error', event: 'container_failed', task_id: taskId, error: String(error) }))
        message.retry({ delaySeconds: RETRY_SECONDS })
      }
    }
  },
} satisfies ExportedHandler<HeavyEnv, JobMessage>
