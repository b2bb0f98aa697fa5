/**
 * A press outside of workerd: takes one step at a time from its parent, on files in a folder of its own. It has no address, no
 * secret and no other task: what it says of its own is said in its name by the parent, which holds the lease.
 */
import './digest-stream.ts'
import type { WorkerEnv } from '../../service/env.ts'
import type { TaskRecordFace } from '../../service/store/tasks.ts'
import { type Codecs, run } from '../../service/tasks/run.ts'
import { CALLS, type Call, type FromPress, type ToPress, type Work } from '../ipc-messages.ts'
import { FileBucket } from './file-bucket.ts'
import { PressNative } from './native.ts'

/** Of the 900 after which the parent ends a press (../options.ts). */
const PICTURE_SECONDS = 700

const send = (message: FromPress) => void process.send?.(message)

/** Answers that the parent owes, by the number of their call. */
const owed = new Map<number, PromiseWithResolvers<unknown>>()
let calls = 0

const ask = (method: Call, args: readonly unknown[]) => answered((call) => send({ kind: 'call', call, method, args }))

function answered(say: (call: number) => void): Promise<unknown> {
  const answer = Promise.withResolvers<unknown>()
  owed.set(++calls, answer)
  say(calls)
  return answer.promise
}

/** The task as its worker sees it. It is claimed and kept by the parent, which ends this process when the lease is lost. */
function recordOf({ claim }: Work): TaskRecordFace {
  const mine = {
    claim: async () => claim,
    beat: async (_: number, share: number) => {
      send({ kind: 'progress', share })
      return 'go on' as const
    },
  }
  const asked = Object.fromEntries(CALLS.map((method) => [method, (...args: unknown[]) => ask(method, args)]))
  return { ...mine, ...asked } as unknown as TaskRecordFace
}

async function work(codecs: Codecs, job: Work): Promise<void> {
  using files = new FileBucket(job.folder)
  const env: WorkerEnv = { BLOBS: files as unknown as R2Bucket, TASKS: { getByName: () => recordOf(job) } }
  // Its reads are of files.
  const enlarged = () => send({ kind: 'enlarged' })
  const unbounded = { mostReads: Number.POSITIVE_INFINITY, pictureSeconds: PICTURE_SECONDS }
  const runtime = { ...unbounded, memoryBudget: job.memoryBudget, enlarged }
  if (job.native === undefined) return void (await run(env, codecs, job.step, {}, runtime))
  using native = new PressNative(job.native, job.folder, (request) => answered((call) => send({ kind: 'native', call, request })))
  await run(env, codecs, job.step, {}, { ...runtime, native })
}

/** Serves until the parent is gone: nothing of it stays behind. */
export function serve(codecs: Codecs): void {
  process.on('message', (message: ToPress) => {
    if (message.kind === 'work') {
      work(codecs, message).then(
        () => send({ kind: 'done' }),
        (error: unknown) => send({ kind: 'done', error: String(error) }),
      )
      return
    }
    const answer = owed.get(message.call)
    owed.delete(message.call)
    if (message.error === undefined) answer?.resolve(message.value)
    else answer?.reject(new Error(message.error))
  })
  process.on('disconnect', () => process.exit())
  send({ kind: 'ready', formats: Object.keys(codecs) })
}
