/**
 * One step of one task, from claim to end. The quick lane (RPC) and the slow lane (queue) call the same function; so does
 * every part of a job that was split.
 */
import { isCodecError, TargetUnreachable } from '../codec/error.ts'
import type { WorkerEnv } from '../env.ts'
import type { Task } from '../store/task.ts'
import type { TaskRecordFace } from '../store/tasks.ts'
import { Gate } from './gate.ts'
import { type Codecs, type Lease, type Step, StepRun, targetUnreachable } from './step-run.ts'

export type { Codecs, Step } from './step-run.ts'

/** Heap and Wasm memory of one job; the isolate has 128 MB, and the service itself needs some of it. */
export const MEMORY_BUDGET_BYTES = 96 * 1024 * 1024
const BEAT_MS = 4000

/** One memory-hungry job at a time per isolate. */
const gate = new Gate(MEMORY_BUDGET_BYTES)

/** What a job of this size may need at worst: small files cannot fill a budget, whatever their codec does. */
const weightOf = (task: Task) => (task.originalSize < 64 * 1024 ? 8 * 1024 * 1024 : MEMORY_BUDGET_BYTES)

export async function run(env: WorkerEnv, codecs: Codecs, step: Step): Promise<void> {
  const record = env.TASKS.getByName(step.taskId)
  const claim = await record.claim(step.generation, step.step, step.part)
  if (claim.kind === 'forget') return
  const lease = keepLease(record, claim.attempt, step.part)
  try {
    await gate.run(claim.alone ? MEMORY_BUDGET_BYTES : weightOf(claim.task), async () => {
      lease.signal.throwIfAborted()
      using work = new StepRun({ env, codecs, record, claim, step, lease, memoryBudget: MEMORY_BUDGET_BYTES })
      await work.run()
    })
  } catch (error) {
    if (lease.signal.aborted) return
    if (error instanceof TargetUnreachable) await record.fail(claim.attempt, targetUnreachable(claim.task, error.bestSize))
    // Not even the upload could be put under its password with what this attempt had left; the next one does nothing else.
    else if (isCodecError(error, 'over_budget')) await record.giveUp(claim.attempt, error.message)
    else await record.release(claim.attempt, error instanceof Error ? `${error.name}: ${error.message}` : String(error), step.part)
  } finally {
    lease.end()
  }
}

/** Beats while the job runs; aborts it when the task was deleted or the lease went to somebody else. */
function keepLease(record: TaskRecordFace, attemptNumber: number, part: number | undefined): Lease {
  const controller = new AbortController()
  let progress = 0
  const timer = setInterval(async () => {
    const answer = await record.beat(attemptNumber, progress, part).catch(() => 'go on' as const)
    if (answer === 'stop') controller.abort(new Error('the task was cancelled or given to another worker'))
  }, BEAT_MS)
  return {
    signal: controller.signal,
    progress: (share) => {
      progress = Math.max(progress, Math.min(1, share))
    },
    end: () => clearInterval(timer),
  }
}
