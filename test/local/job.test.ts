/** A job in the hands of presses that do what they should not: programs in place of the real one, in real processes. */
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Claimed, fileOf } from '../../src/local/ipc-messages.ts'
import { Job, type JobDeps } from '../../src/local/job.ts'
import type { JobLimits } from '../../src/local/options.ts'
import { PressProcess } from '../../src/local/press-process.ts'
import type { TaskRecordFace } from '../../src/service/store/tasks.ts'

const UPLOAD = 'the upload'
const MB = 2 ** 20
let root: string
/** What the task was told. */
let told: [string, ...unknown[]][]
let stored: Map<string, string>
let press: PressProcess
/** Who waits for the press's end. */
let waits: { readonly mock: { readonly calls: readonly unknown[] } }
let stopped: boolean
let enlarged: boolean

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'whittle-job-'))
  told = []
  stored = new Map()
  stopped = false
  enlarged = false
})
afterEach(() => {
  press.kill()
  rmSync(root, { recursive: true, force: true, maxRetries: 5 })
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Runs one job with a press whose work is `program`, a function body with `work`, `say`, `call` and `fs`. */
async function run(program: string, change: Partial<JobLimits & { deaths: number }> = {}): Promise<string> {
  const { memoryBytes = 1024 * MB, processorMs = 60_000, silentMs = 60_000, stalledMs = 60_000, deaths = 0 } = change
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
  waits = vi.spyOn(press.exited, 'then')
  const face = new Proxy({} as TaskRecordFace, {
    get:
      (_, method) =>
      async (...args: unknown[]) => {
        if (method === 'beat') return stopped ? 'stop' : 'go on'
        told.push([String(method), ...args])
        return true
      },
  })
  const world: JobDeps = {
    door: {
      task: () => face,
      upload: async (path, key) => {
        const text = readFileSync(path, 'utf8')
        stored.set(key, text)
        return { sha256: sha256(text), size: text.length }
      },
      remove: async (key) => void stored.delete(key),
    },
    blobs: {
      lend: async (key, into) => {
        writeFileSync(join(into, fileOf(key)), UPLOAD)
        return { [Symbol.asyncDispose]: async () => undefined }
      },
      adopt: async () => undefined,
    },
    limits: { memoryBytes, processorMs, silentMs, stalledMs },
    folder,
    deaths,
    enlarged: () => {
      enlarged = true
    },
  }
  const task = { taskId: 'tsk_1', originalSize: UPLOAD.length, originalSha256: sha256(UPLOAD) }
  const claim = { kind: 'claimed', attempt: 1, generation: 1, task, uploadKey: 'uploads/tsk_1', parts: [] } as unknown as Claimed
  const good = await new Job(press, { taskId: 'tsk_1', generation: 1, step: 'whole' }, claim, world).run()
  expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([])
  return good
}

/** A press that made `text` of its upload and says so. */
const completes = (text: string, said = text, key = 'results/tsk_1/1') => `
  put('${key}', '${text}')
  const sha256 = '${sha256(said)}'
  await call('complete', 99, { key: '${key}', size: ${said.length}, sha256 }).catch((error) => call('release', 99, error.message))
  say({ kind: 'done' })`

describe('a job', () => {
  it('stores what its press made, then completes the task in the name of its own attempt', async () => {
    expect(await run(`if (fs.readFileSync(work.folder + '/uploads~tsk_1', 'utf8') !== '${UPLOAD}') throw 0;${completes('small')}`)).toBe(
      'done',
    )
    expect(stored).toEqual(new Map([['results/tsk_1/1', 'small']]))
    expect(told).toMatchObject([['complete', 1, { key: 'results/tsk_1/1', size: 5 }]])
  })

  it('does not complete a task with a result that is not what was verified', async () => {
    await run(completes('other', 'small'))
    expect(told).toEqual([['release', 1, 'Error: the result is not what it was verified to be', undefined, 'codec']])
  })

  it('does not store a blob for a press that is not of its own step', async () => {
    await run(completes('small', 'small', 'results/tsk_2/1'))
    expect(stored.size).toBe(0)
    expect(told).toMatchObject([['release', 1, "Error: results/tsk_2/1 is not this job's", undefined, 'codec']])
  })

  it('does not let a press remove a task, or ask for anything else that is not its business', async () => {
    await run(`await call('remove').catch((error) => call('release', 1, error.message)); say({ kind: 'done' })`)
    expect(told).toEqual([['release', 1, 'Error: a press may not ask for remove', undefined, 'codec']])
  })

  it('says when an isolate would not have been enough for it', async () => {
    await run(completes('small'))
    expect(enlarged).toBe(false)
    press.kill()
    rmSync(join(root, 'build'), { recursive: true })
    await run(`say({ kind: 'enlarged' });${completes('small')}`)
    expect(enlarged).toBe(true)
  })

  it('is released at once when its press dies', async () => {
    expect(await run('process.kill(process.pid, 9)')).toBe('died')
    expect(told).toEqual([['release', 1, 'its press ended: SIGKILL', undefined]])
  })

  it('is not kept by its press, which takes thousands of them: only what hears it last hears that it is gone', async () => {
    expect(await run(completes('small'))).toBe('done')
    expect(waits.mock.calls).toEqual([])
    press.kill()
    await press.exited
    const heard: unknown[] = []
    press.onMessage((message) => heard.push(message))
    expect(heard).toEqual([{ kind: 'gone', why: 'SIGKILL' }])
  })

  it('gives the upload back when its third press dies', async () => {
    await run('process.exit(3)', { deaths: 2 })
    expect(told).toEqual([['giveUp', 1, 'the job lost its worker; it was tried 3 times']])
  })

  it.each([
    ['in one call', 'for (;;);'],
    ['in calls that never come back to the loop', 'for (;;) await null'],
  ])('ends a press that hangs %s, and its task as over_budget', async (_, program) => {
    expect(await run(program, { silentMs: 500 })).toBe('died')
    expect(told).toEqual([['giveUp', 1, 'one call of its codec did not end within 1 s of processor time']])
    expect(await press.exited).toBe('SIGKILL')
  })

  it('lets a press work that comes back to its loop, until it has used all that a step may', async () => {
    const program = `for (;;) {
      const until = performance.now() + 100
      while (performance.now() < until);
      say({ kind: 'progress', share: 0 })
      await new Promise((go) => setTimeout(go, 0))
    }`
    expect(await run(program, { silentMs: 600, processorMs: 1200 })).toBe('died')
    expect(told).toEqual([['giveUp', 1, 'more processor time than a job has']])
  })

  it('releases the step of a press that waits for nothing', async () => {
    expect(await run(`setInterval(() => say({ kind: 'progress', share: 0 }), 100)`, { stalledMs: 1500 })).toBe('died')
    expect(told).toEqual([['release', 1, 'its press ended: it did nothing for 2 s', undefined]])
  })

  it('ends a press that takes more memory than it may, and its task as over_budget', async () => {
    await run(`const held = []; for (;;) { held.push(Buffer.alloc(${16 * MB}, 1)); await new Promise((go) => setTimeout(go, 20)) }`, {
      memoryBytes: 300 * MB,
    })
    expect(told).toEqual([['giveUp', 1, 'more memory than a job has']])
  })

  it('ends a press whose task was deleted, while it is busy, and tells nobody', async () => {
    setTimeout(() => {
      stopped = true
    }, 500)
    expect(await run('for (;;);')).toBe('stopped')
    expect(told).toEqual([])
    expect(await press.exited).toBe('SIGKILL')
  })

  it('gives its press neither files beside its own, nor processes, nor secrets', async () => {
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
    expect(JSON.parse(told[0]?.[2] as string)).toEqual({
      read: refused,
      list: refused,
      write: refused,
      spawn: refused,
      environment: refused,
    })
  })
})
