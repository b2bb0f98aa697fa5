/**
 * A press process outside of workerd: runs one step at a time for its parent, on files in its own folder. It has no address, no secret
 * and no other task. The parent holds the lease and makes all task calls.
 */
import './digest-stream.ts'
import type { WorkerEnv } from '../../service/env.ts'
import type { TaskRecordApi } from '../../service/store/tasks.ts'
import { type Codecs, run } from '../../service/tasks/run.ts'
import { type MessageFromPress, type MessageToPress, TASK_METHODS, type TaskMethod, type WorkMessage } from '../ipc-messages.ts'
import { FileBucket } from './file-bucket.ts'
import { PressFfmpeg } from './native.ts'

/** CPU seconds for embedded pictures, out of the 900 after which the parent ends the process (../options.ts). */
const PICTURE_SECONDS = 700

const send = (message: MessageFromPress) => void process.send?.(message)

/** Calls that the parent has not answered yet, by call number. */
const pendingCalls = new Map<number, PromiseWithResolvers<unknown>>()
let calls = 0

const callTask = (method: TaskMethod, args: readonly unknown[]) => requestFromParent((call) => send({ kind: 'call', call, method, args }))

function requestFromParent(sendCall: (call: number) => void): Promise<unknown> {
  const answer = Promise.withResolvers<unknown>()
  pendingCalls.set(++calls, answer)
  sendCall(calls)
  return answer.promise
}

/** The task record for this job. The parent claims it and sends the heartbeats; if the lease is lost, it ends this process. */
function recordOf({ claim }: WorkMessage): TaskRecordApi {
  const local = {
    claim: async () => claim,
    beat: async (_: number, share: number) => {
      send({ kind: 'progress', share })
      return 'go on' as const
    },
  }
  const remote = Object.fromEntries(TASK_METHODS.map((method) => [method, (...args: unknown[]) => callTask(method, args)]))
  return { ...local, ...remote } as unknown as TaskRecordApi
}

async function runWork(codecs: Codecs, job: WorkMessage): Promise<void> {
  using files = new FileBucket(job.folder)
  const env: WorkerEnv = { BLOBS: files as unknown as R2Bucket, TASKS: { getByName: () => recordOf(job) } }
  // Reads are unlimited, because they read local files.
  const enlarged = () => send({ kind: 'enlarged' })
  const unbounded = { mostReads: Number.POSITIVE_INFINITY, pictureSeconds: PICTURE_SECONDS }
  const runtime = { ...unbounded, memoryBudget: job.memoryBudget, enlarged }
  if (job.native === undefined) return void (await run(env, codecs, job.step, {}, runtime))
  using native = new PressFfmpeg(job.native, job.folder, (request) => requestFromParent((call) => send({ kind: 'native', call, request })))
  await run(env, codecs, job.step, {}, { ...runtime, native })
}

/** Registers the message handlers and runs until the parent disconnects. */
export function servePress(codecs: Codecs): void {
  process.on('message', (message: MessageToPress) => {
    if (message.kind === 'work') {
      runWork(codecs, message).then(
        () => send({ kind: 'done' }),
        (error: unknown) => send({ kind: 'done', error: String(error) }),
      )
      return
    }
    const answer = pendingCalls.get(message.call)
    pendingCalls.delete(message.call)
    if (message.error === undefined) answer?.resolve(message.value)
    else answer?.reject(new Error(message.error))
  })
  process.on('disconnect', () => process.exit())
  send({ kind: 'ready', formats: Object.keys(codecs) })
}
