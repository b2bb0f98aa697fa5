/** Press processes that nobody needs: they are ended or replaced, and the next step finds one. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { ClaimedStep } from '../../src/local/ipc-messages.ts'
import type { PressEnd } from '../../src/local/observability/service-messages.ts'
import type { TaskApiClient } from '../../src/local/task-api-client.ts'
import { WorkerPool } from '../../src/local/worker-pool.ts'

/** Prints its process id, kind and the tasks that it runs. `long`: until the file `end` appears. */
const press = (kind: string, ready: string) => `import fs from 'node:fs'
console.log(process.pid, '${kind}', 'started')
process.on('message', ({ step }) => {
  console.log(process.pid, '${kind}', step.taskId)
  const timer = setInterval(() => {
    if (step.taskId === 'long' && !fs.existsSync(import.meta.dirname + '/end')) return
    clearInterval(timer)
    process.send({ kind: 'done' })
  }, 10)
})
process.on('disconnect', () => process.exit())
${ready}`
const READY = `process.send({ kind: 'ready', formats: ['text'] })`

const taskApi = {
  task: (taskId: string) => ({
    read: async () => ({ accountId: 'acc_1', format: 'text', originalSize: 1, options: {} }),
    claim: async () =>
      ({ kind: 'claimed', attempt: 1, task: { taskId, format: 'text' }, uploadKey: 'uploads/1', parts: [] }) as unknown as ClaimedStep,
    beat: async () => 'go on',
  }),
  download: async (_: string, path: string) => writeFileSync(path, 'upload'),
} as unknown as TaskApiClient

let root: string
let pool: WorkerPool
let lines: string[]
let ends: PressEnd[]
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'whittle-rest-'))
  mkdirSync(join(root, 'build'))
  for (const kind of ['press', 'media']) writeFileSync(join(root, 'build', `${kind}.mjs`), press(kind, READY))
  lines = []
  ends = []
})
afterEach(async () => {
  await pool[Symbol.asyncDispose]()
  rmSync(root, { recursive: true, maxRetries: 5 })
})

async function open(workers: number, restMs: number): Promise<void> {
  pool = await WorkerPool.open({
    workers,
    restMs,
    taskApi,
    build: join(root, 'build'),
    folder: join(root, 'presses'),
    limits: { processorMs: 60_000, silentMs: 60_000, stalledMs: 60_000, memoryBytes: 2 ** 30 },
    observer: { jobEnded: () => undefined, pressEnded: (why) => void ends.push(why) },
    log: (line) => void lines.push(line),
  })
  pool.warm()
}

const started = (kind: string) => lines.filter((line) => line.endsWith(`${kind} started`)).map((line) => line.split(' ')[0])
/** Runs a step. `generation`: `null` if a client waits. @returns the id of the process that ran it */
async function run(taskId: string, kind: 'press' | 'media' = 'press', generation: number | null = null): Promise<string | undefined> {
  await pool.submit(kind, { taskId, generation, step: 'whole' })
  // The line comes through another pipe than the end of the step.
  const printed = await vi.waitFor(() => lines.find((line) => line.endsWith(taskId)) ?? Promise.reject(new Error(`no line of ${taskId}`)))
  return printed.split(' ')[0]
}

it('keeps a press process for each lane and none for films', async () => {
  await open(3, 300)
  await expect.poll(() => ends).toEqual(['idle', 'idle', 'idle'])
  await expect.poll(() => pool.state().ready).toBe(2)
  await expect.poll(() => started('press')).toHaveLength(4)
  expect(await pool.formats('media')).toEqual(['text'])
  expect(started('press')).toContain(await run('picture'))
  expect(await run('film', 'media')).toBe(started('media')[1])
})

it('knows the formats of a process that started slowly', async () => {
  writeFileSync(join(root, 'build/media.mjs'), press('media', `setTimeout(() => ${READY}, 1000)`))
  await open(1, 10)
  expect(await pool.formats('media')).toEqual(['text'])
  await expect.poll(() => ends).toEqual(['idle'])
})

it('gives quick steps to the process that ran the last, and replaces it when it rests', async () => {
  await open(1, 2000)
  const first = await run('one')
  expect(await run('two')).toBe(first)
  await expect.poll(() => ends).toEqual(['idle', 'idle'])
  expect(started('press')).toHaveLength(3)
  expect(started('press').filter((id) => id !== first)).toContain(await run('three'))
})

it('leaves the process that ran the last step to the next quick one', async () => {
  await open(1, 60_000)
  const first = await run('one')
  const long = run('long', 'press', 1)
  await expect.poll(() => lines.some((line) => line.endsWith('long'))).toBe(true)
  expect(await run('two')).toBe(first)
  writeFileSync(join(root, 'build/end'), '')
  expect(await long).not.toBe(first)
})

it.runIf(process.platform === 'linux')('lets quick steps and responses come before long steps', async () => {
  await open(1, 60_000)
  const own = getPriority()
  const long = await run('seconds', 'press', 1)
  expect(getPriority(Number(long))).toBe(Math.min(19, own + 5))
  const quick = await run('quick')
  expect(quick).not.toBe(long)
  expect(getPriority(Number(quick))).toBe(own)
  expect(await run('seconds again', 'press', 2)).toBe(long)
})

it('replaces no process that runs a step', async () => {
  await open(1, 100)
  const long = run('long')
  await expect.poll(() => lines.some((line) => line.endsWith('long'))).toBe(true)
  await expect.poll(() => ends).toEqual(['idle'])
  const short = await run('short')
  writeFileSync(join(root, 'build/end'), '')
  expect(await long).not.toBe(short)
  expect(ends).not.toContain('stopped')
})

it('keeps the old process if a new one cannot start', async () => {
  await open(1, 1000)
  const first = await run('one')
  writeFileSync(join(root, 'build/press.mjs'), 'throw new Error()')
  await expect.poll(() => lines.some((line) => line.includes('Error'))).toBe(true)
  expect(await run('two')).toBe(first)
  expect(ends).toEqual(['idle'])
})
