/** Jobs whose press process executes a test program, as a real process. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, vi } from 'vitest'
import { blobFileName, type ClaimedStep } from '../../src/local/ipc-messages.ts'
import { Job, type JobDeps } from '../../src/local/job.ts'
import type { JobLimits } from '../../src/local/options.ts'
import { PressProcess } from '../../src/local/press-process.ts'
import type { TaskRecordApi } from '../../src/service/store/tasks.ts'

export const UPLOAD = 'the upload'
export const MB = 2 ** 20

/** What a job did, and what the test makes happen to it. */
export interface Witness {
  root: string
  /** Calls that the task record received: method and arguments. */
  taskCalls: [string, ...unknown[]][]
  stored: Map<string, string>
  press: PressProcess
  /** Spy on the listeners that wait for the end of the press process. */
  exitListeners: { readonly mock: { readonly calls: readonly unknown[] } }
  /** True: the task record answers heartbeats with `stop`. */
  stopped: boolean
  enlarged: boolean
  /** CPU times that the heartbeats reported, in milliseconds. */
  cpuMs: number[]
}

/** Changes of the limits of a job, the number of its processes that died before, and when the service hands its step back. */
type Change = Partial<JobLimits & { deaths: number; handedBackAfterMs: number }>

/** Returns the witness of each test's job. It is new for each test. */
export function witnessOfJobs(): Witness {
  const witness = {} as Witness
  beforeEach(() => {
    const root = mkdtempSync(join(tmpdir(), 'whittle-job-'))
    Object.assign(witness, { root, taskCalls: [], stored: new Map(), stopped: false, enlarged: false, cpuMs: [] })
  })
  afterEach(() => {
    witness.press.kill()
    rmSync(witness.root, { recursive: true, force: true, maxRetries: 5 })
  })
  return witness
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Source of a press process that executes `program`, a function body with `work`, `say`, `call` and `fs`. */
const pressSource = (program: string) => `import fs from 'node:fs'
const say = (message) => process.send(message)
let calls = 0
const owed = new Map()
const call = (method, ...args) => new Promise((resolve, reject) => {
  owed.set(++calls, { resolve, reject })
  say({ kind: 'call', call: calls, method, args })
})
process.on('message', async (message) => {
  if (message.kind === 'answer') return message.error === undefined ? owed.get(message.call).resolve(message.value) : owed.get(message.call).reject(new Error(message.error))
  const work = message
  const put = (key, text) => fs.writeFileSync(work.folder + '/' + key.replaceAll('/', '~'), text)
  ${program}
})
process.on('disconnect', () => process.exit())
say({ kind: 'ready', formats: [] })`

/** Doubles of what a job talks to, which note everything in `witness`. */
function depsOf(witness: Witness, folder: string, limits: JobLimits, processDeaths: number): JobDeps {
  const taskRecord = new Proxy({} as TaskRecordApi, {
    get:
      (_, method) =>
      async (...args: unknown[]) => {
        if (method === 'beat') {
          witness.cpuMs.push(args[3] as number)
          return witness.stopped ? 'stop' : 'go on'
        }
        witness.taskCalls.push([String(method), ...args])
        return true
      },
  })
  return {
    taskApi: {
      task: () => taskRecord,
      upload: async (path, key) => {
        const text = readFileSync(path, 'utf8')
        witness.stored.set(key, text)
        return { sha256: sha256(text), size: text.length }
      },
      remove: async (key) => void witness.stored.delete(key),
    },
    blobs: {
      linkInto: async (key, into) => {
        writeFileSync(join(into, blobFileName(key)), UPLOAD)
        return { [Symbol.asyncDispose]: async () => undefined }
      },
      addUploaded: async () => undefined,
    },
    limits,
    folder,
    processDeaths,
    enlarged: () => {
      witness.enlarged = true
    },
  }
}

/** Runs one job whose press process executes `program`. @returns the end of the job */
export async function runProgram(witness: Witness, program: string, change: Change = {}): Promise<string> {
  const { memoryBytes = 1024 * MB, processorMs = 60_000, silentMs = 60_000, stalledMs = 60_000, deaths = 0, handedBackAfterMs } = change
  const { root } = witness
  const build = join(root, 'build')
  mkdirSync(build)
  writeFileSync(join(root, 'secret'), 'secret')
  writeFileSync(join(build, 'press.mjs'), pressSource(program))
  const folder = join(root, 'press-1')
  const press = new PressProcess('press', { build, folder, memoryBytes, log: (line) => console.log(line) })
  witness.press = press
  witness.exitListeners = vi.spyOn(press.exited, 'then')
  const deps = depsOf(witness, folder, { memoryBytes, processorMs, silentMs, stalledMs }, deaths)
  const task = { taskId: 'tsk_1', originalSize: UPLOAD.length, originalSha256: sha256(UPLOAD) }
  const claim = { kind: 'claimed', attempt: 1, generation: 1, task, uploadKey: 'uploads/tsk_1', parts: [] } as unknown as ClaimedStep
  const job = new Job(press, { taskId: 'tsk_1', generation: 1, step: 'whole' }, claim, deps)
  if (handedBackAfterMs !== undefined) setTimeout(() => job.handBack(), handedBackAfterMs)
  const outcome = await job.run()
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
  return outcome
}

/** A program that writes `text` as its result and reports the hash and size of `said`. */
export const completes = (text: string, said = text, key = 'results/tsk_1/1') => `
  put('${key}', '${text}')
  const sha256 = '${sha256(said)}'
  await call('complete', 99, { key: '${key}', size: ${said.length}, sha256 }).catch((error) => call('release', 99, error.message))
  say({ kind: 'done' })`
