/** Threads that crash: their job fails, and the pool goes on. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { nodeThread } from '../../../packages/core/src/pool/node-thread.ts'
import { ThreadPool } from '../../../packages/core/src/pool/thread-pool.ts'
import { CodecError } from '../../../src/core/model/error.ts'
import { memorySource } from '../../../src/core/model/source.ts'

type TestJobs = {
  readonly act: { readonly job: { readonly what: string }; readonly value: { readonly thread: number; readonly sum?: number } }
}

const MB = 2 ** 20
const folder = mkdtempSync(join(tmpdir(), 'whittle-pool-'))
const script = join(folder, 'worker.mjs')
const open = (threads: number) => new ThreadPool<TestJobs>(() => nodeThread(pathToFileURL(script), 64 * MB), threads)
let pool: ThreadPool<TestJobs>
beforeAll(() => {
  writeFileSync(
    script,
    `import { parentPort, threadId } from 'node:worker_threads'
const failed = (name, isExpected) => parentPort.postMessage({ kind: 'failed', error: { name, message: 'why', bestSize: name === 'TargetUnreachable' ? 7 : undefined }, isExpected })
parentPort.on('message', ({ kind, job, bytes, message }) => {
  if (kind === 'range') return parentPort.postMessage({ kind: 'done', value: { thread: threadId, sum: bytes ? bytes.reduce((a, b) => a + b) : message.length } })
  if (job.what === 'exit') process.exit(7)
  if (job.what === 'throw') throw new Error('a bug')
  if (job.what === 'hang') return
  if (job.what === 'later') setTimeout(() => process.exit(9), 0)
  if (job.what === 'fill') for (const all = []; ; ) all.push(Array.from({ length: 100000 }, (_, i) => ({ i })))
  if (job.what === 'read') return parentPort.postMessage({ kind: 'read', id: 1, source: 0, offset: 2, length: 3 })
  if (job.what === 'bug') return failed('Error', false)
  if (job.what !== 'id' && job.what !== 'later') return failed(job.what, true)
  parentPort.postMessage({ kind: 'progress', share: 0.5 })
  parentPort.postMessage({ kind: 'done', value: { thread: threadId } })
})`,
  )
  pool = open(1)
})
afterAll(async () => {
  await pool.close()
  rmSync(folder, { recursive: true })
})

const run = (what: string, control = {}) => pool.run('act', { what }, control)
/** Id of the thread that answers. */
const thread = async () => (await run('id')).thread

it('uses a thread again after an error of the file, and a new one after a bug', async () => {
  const shares: number[] = []
  const first = await thread()
  expect((await run('id', { onProgress: (share: number) => shares.push(share) })).thread).toBe(first)
  expect(shares).toEqual([0.5])
  await expect(run('RangeError')).rejects.toThrow(new RangeError('why'))
  await expect(run('TargetUnreachable')).rejects.toMatchObject({ name: 'TargetUnreachable', bestSize: 7 })
  expect(await thread()).toBe(first)
  await expect(run('bug')).rejects.toThrow('why')
  expect(await thread()).not.toBe(first)
})

it('fails the job of a thread that crashes or ends, and runs the next', async () => {
  await expect(run('throw')).rejects.toThrow('the engine stopped: a bug')
  await expect(run('exit')).rejects.toThrow('exit code 7')
  expect(await thread()).toBeGreaterThan(0)
})

it('reports a thread that runs out of memory as over_budget', async () => {
  const error: unknown = await run('fill').catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(CodecError)
  expect(error).toMatchObject({ reason: 'over_budget', detail: { code: 'thread_out_of_memory' } })
  expect(await thread()).toBeGreaterThan(0)
})

it('fails the next job of a thread that ended after its last one, instead of waiting for ever', async () => {
  await run('later')
  await new Promise((ended) => setTimeout(ended, 300))
  await expect(run('hang')).rejects.toThrow('exit code 9')
})

it('ends the thread of a job that is aborted, and lets a waiting one leave', async () => {
  const first = await thread()
  const [running, waiting] = [new AbortController(), new AbortController()]
  const hanging = run('hang', { signal: running.signal })
  const queued = run('id', { signal: waiting.signal })
  waiting.abort(new Error('not needed'))
  await expect(queued).rejects.toThrow('not needed')
  const next = run('id')
  running.abort(new Error('interrupted'))
  await expect(hanging).rejects.toThrow('interrupted')
  expect((await next).thread).not.toBe(first)
  await expect(run('id', { signal: running.signal })).rejects.toThrow('interrupted')
})

it('reads sources of the caller by messages', async () => {
  expect(await run('read', { sources: [memorySource(Uint8Array.of(1, 2, 3, 4, 5, 6), '')] })).toMatchObject({ sum: 12 })
  const broken = { ...memorySource(new Uint8Array(6), ''), read: async () => Promise.reject(new Error('no disk')) }
  expect(await run('read', { sources: [broken] })).toMatchObject({ sum: 'no disk'.length })
})

it('starts no more threads than it may, and none after it is closed', async () => {
  const two = open(2)
  const ids = await Promise.all(Array.from({ length: 6 }, () => two.run('act', { what: 'id' })))
  expect(new Set(ids.map((one) => one.thread)).size).toBe(2)
  const hanging = [1, 2, 3].map(() => two.run('act', { what: 'hang' }).catch((error: Error) => error.message))
  await two.close()
  expect((await Promise.all(hanging)).sort()).toEqual([
    expect.stringContaining('exit code'),
    expect.stringContaining('exit code'),
    'the pool is closed',
  ])
  await expect(two.run('act', { what: 'id' })).rejects.toThrow('closed')
  expect(() => open(0)).toThrow(RangeError)
})
