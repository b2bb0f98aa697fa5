/** Runs one step of one task, from claim to end. Quick tasks (RPC), queue messages and parts of split jobs all use `run`. */

import { isCodecError, TargetUnreachable } from '../../core/model/error.ts'
import type { WorkerEnv } from '../env.ts'
import { ISOLATE_BYTES } from '../lanes.ts'
import { countJob, type JobOutcome, outcomeOfCall } from '../store/metrics.ts'
import { LONG_PAUSES_MS, PlatformError, SHORT_PAUSES_MS, withRetries } from '../store/retry.ts'
import { type Claim, SUPPORTED_PROTOCOLS, type TaskRecordApi } from '../store/tasks.ts'
import { traceField } from '../trace-context.ts'
import { MemorySemaphore } from './memory-semaphore.ts'
import { type Codecs, ISOLATE, knowsCodes, type Lease, type Runtime, type Step, StepRun, targetUnreachable } from './step-run.ts'

export type { Codecs, Runtime, Step } from './step-run.ts'

const HEARTBEAT_MS = 4000

/** Memory semaphore of this isolate: one large job at a time. In the press pool of one machine, each process runs one job anyway. */
const semaphore = new MemorySemaphore(ISOLATE_BYTES)

/** Memory that a job may need, in bytes. Files below 64 KiB need little memory, whatever their codec does. */
const memoryNeeded = ({ bytes }: Step) => (bytes !== undefined && bytes < 64 * 1024 ? 8 * 1024 * 1024 : ISOLATE_BYTES)

export interface RunOptions {
  /** Longest wait for memory in milliseconds. `undefined`: no limit. The task is claimed only after the wait. */
  readonly waitMs?: number
  /** Id of the worker that claims the step. If the claim's response is lost, a repeated claim returns the same lease. */
  readonly worker?: string
}

/**
 * Runs a step of a task.
 * @returns `'busy'`: no memory became free in time, or the record shares no protocol version with this release; nothing was done
 */
export async function run(
  env: WorkerEnv,
  codecs: Codecs,
  step: Step,
  admission: RunOptions = {},
  runtime: Runtime = ISOLATE,
): Promise<'done' | 'busy'> {
  const record = recordOf(env, step.taskId)
  const weight = memoryNeeded(step)
  let permit = await semaphore.acquire(weight, admission.waitMs)
  if (!permit) return 'busy'
  try {
    const worker = { id: admission.worker ?? crypto.randomUUID(), protocol: SUPPORTED_PROTOCOLS.newest, oldest: SUPPORTED_PROTOCOLS.oldest }
    const claim = await record.claim(step.generation, step.step, step.part, worker)
    if (claim.kind === 'incompatible') {
      const { taskId: task_id, step: name, part } = step
      console.error(
        JSON.stringify({
          level: 'error',
          event: 'incompatible',
          task_id,
          step: name,
          part,
          own: SUPPORTED_PROTOCOLS,
          record: claim.spoken,
        }),
      )
      return 'busy'
    }
    if (claim.kind === 'forget') return 'done'
    const lease = keepLease(record, claim.attempt, step.part)
    const observed = observeJob(env, record, claim, step)
    try {
      if (claim.alone && weight < ISOLATE_BYTES) {
        permit[Symbol.dispose]()
        permit = (await semaphore.acquire(ISOLATE_BYTES))!
      }
      await attempt({ env, codecs, record: observed.record, claim, step, lease, runtime })
    } finally {
      lease.end()
      observed.end()
    }
    return 'done'
  } finally {
    permit[Symbol.dispose]()
  }
}

/** Record of a task with retries: long ones for calls that end an attempt. Heartbeats are not retried, because they repeat anyway. */
function recordOf(env: WorkerEnv, taskId: string): TaskRecordApi {
  const tasks = withRetries(env.TASKS, ['claim'], SHORT_PAUSES_MS)
  return withRetries(tasks, ['split', 'completePart', 'complete', 'fail', 'giveUp', 'release'], LONG_PAUSES_MS).getByName(taskId)
}

type Claimed = Extract<Claim, { kind: 'claimed' }>

/** Notes how a job ends, by the calls of its task's record. `end` writes the log line and the metric. */
function observeJob(env: WorkerEnv, record: TaskRecordApi, { task }: Claimed, step: Step): { record: TaskRecordApi; end(): void } {
  const startedMs = Date.now()
  let outcome: JobOutcome = 'stopped'
  const observed = new Proxy(record, {
    get(target, method) {
      const member: unknown = Reflect.get(target, method)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        outcome = outcomeOfCall(String(method), args) ?? outcome
        return Reflect.apply(member, target, args) as unknown
      }
    },
  })
  const end = () => {
    const ms = Date.now() - startedMs
    const { taskId: task_id, requestId: request_id, traceparent, format } = task
    const ids = { task_id, request_id, ...traceField(traceparent), step: step.step, part: step.part }
    console.log(JSON.stringify({ level: 'info', event: 'job_ended', ...ids, format, outcome, ms }))
    countJob(env.METRICS, { format, step: step.step, outcome, seconds: ms / 1000 })
  }
  return { record: observed, end }
}

async function attempt(job: ConstructorParameters<typeof StepRun>[0]): Promise<void> {
  const { record, claim, step, lease } = job
  try {
    lease.signal.throwIfAborted()
    using work = new StepRun(job)
    await work.run()
  } catch (error) {
    if (lease.signal.aborted) return
    await endAttempt(record, claim, step.part, error)
  }
}

async function endAttempt(record: TaskRecordApi, claim: Claimed, part: number | undefined, error: unknown): Promise<void> {
  const { attempt } = claim
  if (error instanceof TargetUnreachable) return record.fail(attempt, targetUnreachable(claim, error.bestSize))
  // This attempt had too little budget left even to encrypt the unchanged upload. The next attempt does only that.
  if (isCodecError(error, 'over_budget')) return record.giveUp(attempt, knowsCodes(claim) ? (error.detail ?? error.message) : error.message)
  const why = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return record.release(attempt, why, part, error instanceof PlatformError ? 'platform' : 'codec')
}

/** Sends heartbeats while the job runs. Aborts the job if the task was removed or the lease was lost. */
function keepLease(record: TaskRecordApi, attemptNumber: number, part: number | undefined): Lease {
  const controller = new AbortController()
  let progress = 0
  const timer = setInterval(async () => {
    const answer = await record.beat(attemptNumber, progress, part).catch(() => 'go on' as const)
    if (answer === 'stop') controller.abort(new Error('The task was removed, or another worker has its lease.'))
  }, HEARTBEAT_MS)
  return {
    signal: controller.signal,
    progress: (share) => {
      progress = Math.max(progress, Math.min(1, share))
    },
    end: () => clearInterval(timer),
  }
}
