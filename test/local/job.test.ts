/** Jobs with faulty press processes: test programs run as real processes in place of the press. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { blobFileName, type ClaimedStep } from '../../src/local/ipc-messages.ts'
import { Job, type JobDeps } from '../../src/local/job.ts'
import type { JobLimits } from '../../src/local/options.ts'
import { PressProcess } from '../../src/local/press-process.ts'
import type { TaskRecordApi } from '../../src/service/store/tasks.ts'

const UPLOAD = 'the upload'
const MB = 2 ** 20
let root: string
/** Calls that the task record received: method and arguments. */
let taskCalls: [string, ...unknown[]][]
let stored: Map<string, string>
let press: PressProcess
/** Spy on the listeners that wait for the end of the press process. */
let exitListeners: { readonly mock: { readonly calls: readonly unknown[] } }
let stopped: boolean
let enlarged: boolean
/** CPU times that the heartbeats reported, in milliseconds. */
let cpuMs: number[]

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'whittle-job-'))
  taskCalls = []
  stored = new Map()
  stopped = false
  enlarged = false
  cpuMs = []
})
afterEach(() => {
  press.kill()
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Runs one job with a press process that executes `program`, a function body with `work`, `say`, `call` and `fs`. */
async function run(program: string, change: Partial<JobLimits & { deaths: number; handedBackAfterMs: number }> = {}): Promise<string> {
  const { memoryBytes = 1024 * MB, processorMs = 60_000, silentMs = 60_000, stalledMs = 60_000, deaths = 0, handedBackAfterMs } = change
  const build = join(root, 'build')
  mkdirSync(build)
  writeFileSync(join(root, 'secret'), 'secret')
  writeFileSync(
    join(build, 'press.mjs'),
    `import fs from 'node:fs'
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
say({ kind: 'ready', formats: [] })`,
  )
  const folder = join(root, 'press-1')
  press = new PressProcess('press', { build, folder, memoryBytes, log: (line) => console.log(line) })
  exitListeners = vi.spyOn(press.exited, 'then')
  const taskRecord = new Proxy({} as TaskRecordApi, {
    get:
      (_, method) =>
      async (...args: unknown[]) => {
        if (method === 'beat') {
          cpuMs.push(args[3] as number)
          return stopped ? 'stop' : 'go on'
        }
        taskCalls.push([String(method), ...args])
        return true
      },
  })
  const deps: JobDeps = {
    taskApi: {
      task: () => taskRecord,
      upload: async (path, key) => {
        const text = readFileSync(path, 'utf8')
        stored.set(key, text)
        return { sha256: sha256(text), size: text.length }
      },
      remove: async (key) => void stored.delete(key),
    },
    blobs: {
      linkInto: async (key, into) => {
        writeFileSync(join(into, blobFileName(key)), UPLOAD)
        return { [Symbol.asyncDispose]: async () => undefined }
      },
      addUploaded: async () => undefined,
    },
    limits: { memoryBytes, processorMs, silentMs, stalledMs },
    folder,
    processDeaths: deaths,
    enlarged: () => {
      enlarged = true
    },
  }
  const task = { taskId: 'tsk_1', originalSize: UPLOAD.length, originalSha256: sha256(UPLOAD) }
  const claim = { kind: 'claimed', attempt: 1, generation: 1, task, uploadKey: 'uploads/tsk_1', parts: [] } as unknown as ClaimedStep
  const job = new Job(press, { taskId: 'tsk_1', generation: 1, step: 'whole' }, claim, deps)
  if (handedBackAfterMs !== undefined) setTimeout(() => job.handBack(), handedBackAfterMs)
  const outcome = await job.run()
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
  return outcome
}

/** A program that writes `text` as its result and reports the hash and size of `said`. */
const completes = (text: string, said = text, key = 'results/tsk_1/1') => `
  put('${key}', '${text}')
  const sha256 = '${sha256(said)}'
  await call('complete', 99, { key: '${key}', size: ${said.length}, sha256 }).catch((error) => call('release', 99, error.message))
  say({ kind: 'done' })`

const SPIN = (ms: number) => `for (const end = performance.now() + ${ms}; performance.now() < end; );`

describe('a job', () => {
  it('reports its CPU time before it ends', async () => {
    expect(await run(`${SPIN(400)}${completes('small')}`)).toBe('done')
    const total = cpuMs.reduce((sum, ms) => sum + ms, 0)
    expect(total).toBeGreaterThan(0)
    expect(cpuMs.every((ms) => ms >= 0)).toBe(true)
  })

  it('uploads the result, then completes the task with its own attempt number', async () => {
    expect(await run(`if (fs.readFileSync(work.folder + '/uploads~tsk_1', 'utf8') !== '${UPLOAD}') throw 0;${completes('small')}`)).toBe(
      'done',
    )
    expect(stored).toEqual(new Map([['results/tsk_1/1', 'small']]))
    expect(taskCalls).toMatchObject([['complete', 1, { key: 'results/tsk_1/1', size: 5 }]])
  })

  it('does not complete a task if the result differs from the verified one', async () => {
    await run(completes('other', 'small'))
    expect(taskCalls).toEqual([['release', 1, 'Error: the stored result differs from the verified one', undefined, 'codec']])
  })

  it('does not upload a blob that belongs to another task', async () => {
    await run(completes('small', 'small', 'results/tsk_2/1'))
    expect(stored.size).toBe(0)
    expect(taskCalls).toMatchObject([['release', 1, 'Error: results/tsk_2/1 does not belong to this job', undefined, 'codec']])
  })

  it('refuses task methods that a press process may not call', async () => {
    await run(`await call('remove').catch((error) => call('release', 1, error.message)); say({ kind: 'done' })`)
    expect(taskCalls).toEqual([['release', 1, 'Error: a press process may not call remove', undefined, 'codec']])
  })

  it('reports that the job needs more than the memory of an isolate', async () => {
    await run(completes('small'))
    expect(enlarged).toBe(false)
    press.kill()
    rmSync(join(root, 'build'), { recursive: true })
    await run(`say({ kind: 'enlarged' });${completes('small')}`)
    expect(enlarged).toBe(true)
  })

  it('releases the step at once when its press process dies', async () => {
    expect(await run('process.kill(process.pid, 9)')).toBe('died')
    expect(taskCalls).toEqual([['release', 1, 'its press process ended: SIGKILL', undefined]])
  })

  it('is not retained by its press process: only the last listener gets the end event', async () => {
    expect(await run(completes('small'))).toBe('done')
    expect(exitListeners.mock.calls).toEqual([])
    press.kill()
    await press.exited
    const heard: unknown[] = []
    press.onMessage((message) => heard.push(message))
    expect(heard).toEqual([{ kind: 'gone', why: 'SIGKILL' }])
  })

  it('gives up when the third press process dies', async () => {
    await run('process.exit(3)', { deaths: 2 })
    expect(taskCalls).toEqual([['giveUp', 1, { code: 'job_lost_worker', times: 3 }]])
  })

  it.each([
    ['in one call that never returns', 'for (;;);'],
    ['in microtasks that never return to the event loop', 'for (;;) await null'],
  ])('kills a press process that hangs %s, and gives up its task', async (_, program) => {
    expect(await run(program, { silentMs: 500 })).toBe('died')
    expect(taskCalls).toEqual([['giveUp', 1, 'one codec call used more than 1 s of CPU time']])
    expect(await press.exited).toBe('SIGKILL')
  })

  it('allows calls that return to the event loop, up to the CPU time limit of a step', async () => {
    const program = `for (;;) {
      const until = performance.now() + 100
      while (performance.now() < until);
      say({ kind: 'progress', share: 0 })
      await new Promise((go) => setTimeout(go, 0))
    }`
    expect(await run(program, { silentMs: 600, processorMs: 1200 })).toBe('died')
    expect(taskCalls).toEqual([['giveUp', 1, 'the job used more CPU time than a job may']])
  })

  it('releases the step of a stalled press process', async () => {
    expect(await run(`setInterval(() => say({ kind: 'progress', share: 0 }), 100)`, { stalledMs: 1500 })).toBe('died')
    expect(taskCalls).toEqual([['release', 1, 'its press process ended: it made no progress for 2 s', undefined]])
  })

  it('kills a press process above the memory limit, and gives up its task', async () => {
    await run(`const held = []; for (;;) { held.push(Buffer.alloc(${16 * MB}, 1)); await new Promise((go) => setTimeout(go, 20)) }`, {
      memoryBytes: 300 * MB,
    })
    expect(taskCalls).toEqual([['giveUp', 1, 'the job used more memory than a job may']])
  })

  it('kills a busy press process when its task was deleted, without another task call', async () => {
    setTimeout(() => {
      stopped = true
    }, 500)
    expect(await run('for (;;);')).toBe('stopped')
    expect(taskCalls).toEqual([])
    expect(await press.exited).toBe('SIGKILL')
  })

  it('hands a step back when the service stops, so that nothing waits for its lease (sigterm-waits-for-leases)', async () => {
    expect(await run('for (;;);', { handedBackAfterMs: 500 })).toBe('stopped')
    expect(taskCalls).toEqual([['release', 1, 'the service stops', undefined, 'platform']])
    expect(await press.exited).toBe('SIGKILL')
  })

  it('denies the press process other files, child processes and environment variables', async () => {
    const refused = 'ERR_ACCESS_DENIED'
    const tries = {
      read: `fs.readFileSync('${root}/secret')`,
      list: `fs.readdirSync('${root}')`,
      write: `fs.writeFileSync('${root}/build/press.mjs', '')`,
      spawn: "(await import('node:child_process')).execFileSync('/bin/true')",
      environment: `if (Object.keys(process.env).every((name) => ['TZ', 'PWD', 'OLDPWD', 'SHLVL', '_'].includes(name) || name.startsWith('NODE_CHANNEL_'))) throw { code: '${refused}' }`,
    }
    await run(`
      const ends = {}
      ${Object.entries(tries)
        .map(([name, code]) => `try { ${code}; ends.${name} = 'allowed' } catch (error) { ends.${name} = error.code }`)
        .join('\n')}
      await call('release', 1, JSON.stringify(ends))
      say({ kind: 'done' })`)
    expect(JSON.parse(taskCalls[0]?.[2] as string)).toEqual({
      read: refused,
      list: refused,
      write: refused,
      spawn: refused,
      environment: refused,
    })
  })
})
