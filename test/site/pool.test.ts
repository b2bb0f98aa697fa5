/** The workers of the front page: order of jobs, and what happens when a worker ends. */
import { expect, it, vi } from 'vitest'
import { Pool, WorkerEnded, workerCount } from '../../site/src/model/pool.ts'
import type { Question } from '../../site/src/model/protocol.ts'
import { FakeWorker } from './fake-workers.ts'

const question = (name: string): Question => ({ type: 'identify', file: new File(['x'], name) })

function poolOf(size: number) {
  const workers: FakeWorker[] = []
  const pool = new Pool(() => workers[workers.push(new FakeWorker()) - 1]!, size)
  return { pool, workers }
}

const nameOf = (worker: FakeWorker) => (worker.asked.at(-1)!.question as { file: File }).file.name

it('starts no worker before the first job, and reuses it for the next', async () => {
  const { pool, workers } = poolOf(1)
  expect(workers).toHaveLength(0)
  const [first, second] = [pool.run(question('a'), { priority: 0 }), pool.run(question('b'), { priority: 0 })]
  workers[0]!.answer({ type: 'identified', format: 'jpg' })
  expect(await first).toEqual({ type: 'identified', format: 'jpg' })
  expect(nameOf(workers[0]!)).toBe('b')
  workers[0]!.answer({ type: 'identified', format: 'png' })
  expect(await second).toEqual({ type: 'identified', format: 'png' })
  expect(workers).toHaveLength(1)
})

it('starts jobs of a higher priority first, and others in their order', () => {
  const { pool, workers } = poolOf(1)
  for (const [name, priority] of [
    ['running', 0],
    ['c', 0],
    ['d', 0],
    ['a', 1],
    ['b', 1],
  ] as const)
    void pool.run(question(name), { priority })
  const order: string[] = []
  for (let i = 0; i < 5; i++) {
    order.push(nameOf(workers[0]!))
    workers[0]!.answer({ type: 'identified', format: 'jpg' })
  }
  expect(order).toEqual(['running', 'a', 'b', 'c', 'd'])
})

it('goes on with a new worker after one has ended, and the job of the lost worker fails alone', async () => {
  const { pool, workers } = poolOf(1)
  const [damaged, next] = [pool.run(question('damaged'), { priority: 0 }), pool.run(question('next'), { priority: 0 })]
  workers[0]!.fail('out of memory')
  await expect(damaged).rejects.toThrow(WorkerEnded)
  expect(workers[0]!.isEnded).toBe(true)
  workers[1]!.answer({ type: 'identified', format: 'jpg' })
  expect(await next).toEqual({ type: 'identified', format: 'jpg' })
})

it('ends the worker of a job that is stopped, and never starts one that waits', async () => {
  const { pool, workers } = poolOf(1)
  const [running, waiting] = [new AbortController(), new AbortController()]
  const first = pool.run(question('a'), { priority: 0, signal: running.signal })
  const second = pool.run(question('b'), { priority: 0, signal: waiting.signal })
  waiting.abort(new Error('stopped'))
  await expect(second).rejects.toThrow('stopped')
  expect(workers[0]!.isEnded).toBe(false)
  running.abort(new Error('stopped'))
  await expect(first).rejects.toThrow('stopped')
  expect(workers[0]!.isEnded).toBe(true)
  expect(workers).toHaveLength(1)
  await expect(pool.run(question('c'), { priority: 0, signal: running.signal })).rejects.toThrow('stopped')
})

it('ignores what an ended job still reports', async () => {
  const { pool, workers } = poolOf(1)
  const shares: number[] = []
  const job = pool.run(question('a'), { priority: 0, onProgress: (share) => shares.push(share) })
  workers[0]!.progress(0.5)
  workers[0]!.answer({ type: 'identified', format: 'jpg' })
  workers[0]!.progress(0.9)
  await job
  expect(shares).toEqual([0.5])
})

it('ends idle workers, so that their engines give back their memory', async () => {
  vi.useFakeTimers()
  try {
    const { pool, workers } = poolOf(2)
    const job = pool.run(question('a'), { priority: 0 })
    workers[0]!.answer({ type: 'identified', format: 'jpg' })
    await job
    vi.advanceTimersByTime(60_000)
    expect(workers[0]!.isEnded).toBe(true)
    void pool.run(question('b'), { priority: 0 })
    expect(workers).toHaveLength(2)
  } finally {
    vi.useRealTimers()
  }
})

it('leaves a core to the page, and gives a small device one worker', () => {
  expect([workerCount(1, 8), workerCount(2, 8), workerCount(4, 8), workerCount(64, 8), workerCount(8, 2)]).toEqual([1, 1, 3, 4, 1])
})
