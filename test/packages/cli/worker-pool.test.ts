/** Threads that crash: their job fails, and the pool goes on. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { VerifyJob } from '../../../packages/cli/src/worker-messages.ts'
import { WorkerPool } from '../../../packages/cli/src/worker-pool.ts'

const folder = mkdtempSync(join(tmpdir(), 'whittle-pool-'))
const script = join(folder, 'worker.mjs')
let pool: WorkerPool
beforeAll(() => {
  writeFileSync(
    script,
    `import { parentPort, threadId } from 'node:worker_threads'
parentPort.on('message', ({ original }) => {
  if (original === 'exit') process.exit(7)
  if (original === 'throw') throw new Error('a bug')
  if (original === 'hang') return
  parentPort.postMessage({ kind: 'progress', share: 0.5 })
  if (original === 'bug') return parentPort.postMessage({ kind: 'failed', message: 'bug', isExpected: false })
  parentPort.postMessage({ kind: 'failed', message: String(threadId), isExpected: true })
})`,
  )
  pool = new WorkerPool(pathToFileURL(script))
})
afterAll(async () => {
  await pool.close()
  rmSync(folder, { recursive: true })
})

const jobOf = (original: string): VerifyJob => ({ kind: 'verify', original, result: '', receipt: undefined, keys: undefined })
/** Id of the thread that answers. */
const thread = async () => ((await pool.run(jobOf('id'))) as { message: string }).message

it('uses a thread again, and a new one after a bug', async () => {
  const shares: number[] = []
  const first = await thread()
  expect(await thread()).toBe(first)
  expect(await pool.run(jobOf('bug'), undefined, (share) => shares.push(share))).toMatchObject({ kind: 'failed', message: 'bug' })
  expect(shares).toEqual([0.5])
  expect(await thread()).not.toBe(first)
})

it('fails the job of a thread that crashes or ends, and runs the next', async () => {
  await expect(pool.run(jobOf('throw'))).rejects.toThrow('the engine stopped: a bug')
  await expect(pool.run(jobOf('exit'))).rejects.toThrow('exit code 7')
  expect(Number(await thread())).toBeGreaterThan(0)
})

it('ends the thread of a job that is aborted', async () => {
  const stop = new AbortController()
  const hanging = pool.run(jobOf('hang'), stop.signal)
  stop.abort(new Error('interrupted'))
  await expect(hanging).rejects.toThrow('interrupted')
  await expect(pool.run(jobOf('id'), stop.signal)).rejects.toThrow('interrupted')
})
